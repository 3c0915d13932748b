import { commandMessageSchema } from "@suncrew/contract/devices/messages.ts";
import { robotDetailsWithSettings } from "@suncrew/contract/robots/robots.ts";
import { robotMaintenance } from "@suncrew/contract/maintenance/maintenance.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CommandHarness } from "../../../test/command-harness.ts";
import { InterruptibleBroker } from "../../../test/interruptible-broker.ts";
import { FastClock } from "../../../test/fast-clock.ts";

let harness: CommandHarness;
let broker: InterruptibleBroker;

// Time runs fast, because these tests wait for what is not confirmed.
beforeEach(async () => {
  harness = await CommandHarness.open({
    clock: new FastClock(8),
    wrapBroker: (inner) => (broker = new InterruptibleBroker(inner)),
  });
  await harness.live();
});
afterEach(() => harness.close());

const robot = () => harness.robot();
const set = async (body: object) => {
  const client = await harness.server.as("owner");
  const params = { robotId: harness.fixtures.ownRobot.id };
  return client.call(robotMaintenance, { params, body: { enabled: true, ...body } });
};
const lock = () => set({ reason: "Brush worn" });
const release = (more: object = {}) => set({ enabled: false, ...more });
const shown = async () => {
  const client = await harness.server.as("owner");
  const { robots } = await client.ask(robotDetailsWithSettings, { params: { siteId: harness.fixtures.ownSiteId } });
  return robots.find(({ robot_id }) => robot_id === harness.fixtures.ownRobot.id);
};
const verbs = async () => (await harness.commands()).map(({ verb, outcome }) => `${verb} ${outcome ?? "open"}`);
const settled = () =>
  harness.until(async () => (await harness.commands()).every(({ settled_at }) => settled_at !== null));
const confirmed = () =>
  harness.until(async () => {
    const lockRow = await harness.db.selectFrom("maintenance_locks").selectAll().executeTakeFirst();
    return lockRow?.confirmed_at;
  });
/** However busy this machine is: a lock that is answered as not confirmed yet is confirmed by a repetition. */
const lockedFor = async () => {
  expect(await lock()).toMatchObject({ status: 200 });
  await confirmed();
};

describe("protocol rule 8: what the robot does not confirm within 8 s", () => {
  test("protocol rule 8: a robot that does not receive its lock is sent it again until it shows it; before, it cannot be released", async () => {
    robot().inject({ kind: "deaf" });
    expect(await lock()).toMatchObject({ status: 200, body: { confirmed: false } });
    expect(await release()).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining("has not confirmed its lock yet") },
    });
    expect(await harness.press("START")).toMatchObject({ status: 409 });
    robot().clear("deaf");
    await confirmed();
    const sent = broker.published.filter(({ payload }) => payload.includes("MAINTENANCE_ON"));
    expect(sent.length).toBeGreaterThan(1);
    expect(new Set(sent.map(({ payload }) => commandMessageSchema.parse(JSON.parse(payload)).id)).size).toBe(1);
    expect(await verbs()).toEqual(["MAINTENANCE_ON CONFIRMED"]);
  });

  test("protocol rule 8: a release that the robot does not confirm is 504, and the lock remains", async () => {
    await lockedFor();
    robot().inject({ kind: "deaf" });
    expect(await release({ start_after: true })).toMatchObject({
      status: 504,
      body: { success: false, message: expect.stringContaining("It stays in maintenance") },
    });
    robot().clear("deaf");
    expect(await shown()).toMatchObject({ operating_mode: "maintenance", maintenance: { confirmed: true } });
    expect(await verbs()).toEqual(["MAINTENANCE_ON CONFIRMED", "MAINTENANCE_OFF UNCONFIRMED"]);
    expect(robot().truth()).toMatchObject({ mode: "MAINTENANCE", startsTaken: [] });
  });

  test("protocol rule 8: if the robot left maintenance unheard, it is locked again as soon as it is heard", async () => {
    await lockedFor();
    robot().inject({ kind: "silent" });
    expect(await release()).toMatchObject({ status: 504 });
    expect(robot().truth().mode).toBe("AUTO");
    robot().clear("silent");
    robot().setByHand({ battery: 50 });
    await harness.until(async () => (await harness.commands()).length === 3);
    await settled();
    await confirmed();
    expect(robot().truth().mode).toBe("MAINTENANCE");
    expect(await verbs()).toEqual([
      "MAINTENANCE_ON CONFIRMED",
      "MAINTENANCE_OFF UNCONFIRMED",
      "MAINTENANCE_ON CONFIRMED",
    ]);
  });
});
