import { robotStatus } from "@suncrew/contract/commands/commands.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CommandHarness } from "../../../test/command-harness.ts";
import { InterruptibleBroker } from "../../../test/interruptible-broker.ts";
import { FastClock } from "../../../test/fast-clock.ts";
import type { Person } from "../../../test/fixtures.ts";

let harness: CommandHarness;
let broker: InterruptibleBroker;

beforeEach(async () => {
  harness = await CommandHarness.open({
    clock: new FastClock(10),
    wrapBroker: (inner) => (broker = new InterruptibleBroker(inner)),
  });
  await harness.live();
});
afterEach(() => harness.close());

async function ask(robotId = "OWN-1", as: Person = "owner") {
  return (await harness.server.as(as)).call(robotStatus, { query: { robotId } });
}

describe("§7 getRobotStatus", () => {
  test("§7 getRobotStatus: queries the robot and returns its current state", async () => {
    const before = await harness.state();
    const answer = await ask();
    expect(answer).toMatchObject({
      status: 200,
      body: {
        success: true,
        data: { status: "stop", robot_status: "idle", battery: 90, motion: "STOPPED", direction: "FWD" },
      },
    });
    const { data } = robotStatus.response.parse(answer.body);
    expect(Date.parse(data.timestamp)).toBeGreaterThan(before.live_at?.getTime() ?? 0);
    expect(await harness.commands()).toEqual([]);
  });

  test("§7 getRobotStatus: concurrent queries are all answered", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask()));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
  });

  test("§6: robots of others and nonexistent ones answer 404 alike", async () => {
    const answers = await Promise.all([ask("FAR-1"), ask("NO-SUCH")]);
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 404, body: { success: false, message: "Robot not found" } });
    }
    await harness.live(harness.fixtures.foreignRobot);
    expect(await ask("FAR-1", "admin")).toMatchObject({ status: 200 });
    expect((await ask("#")).status).toBe(400);
  });

  test("decisions: a robot known to be offline fails immediately, a silent or deaf one after 10 s", async () => {
    const robot = harness.robot();
    for (const kind of ["silent", "deaf"] as const) {
      robot.inject({ kind });
      const askedAt = harness.clock.now().getTime();
      expect(await ask()).toMatchObject({ status: 504, body: { success: false } });
      expect(harness.clock.now().getTime() - askedAt).toBeGreaterThanOrEqual(10_000);
      robot.clear(kind);
    }
    robot.inject({ kind: "away" });
    await harness.until(async () => !(await harness.state()).online);
    const sent = broker.published.length;
    expect(await ask()).toMatchObject({ status: 504, body: { message: expect.stringContaining("is offline") } });
    expect(broker.published.slice(sent).filter(({ payload }) => payload.includes("STATUS"))).toEqual([]);
  });

  test("decisions: without a broker 503 immediately", async () => {
    broker.setCut(true);
    expect(await ask()).toMatchObject({ status: 503, body: { success: false } });
  });
});
