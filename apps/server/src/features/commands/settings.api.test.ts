import { updateRobotSettings } from "@suncrew/contract/robots/robots.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CommandHarness } from "../../../test/command-harness.ts";
import { FastClock } from "../../../test/fast-clock.ts";
import type { Person } from "../../../test/fixtures.ts";
import type { Answer } from "../../../test/test-client.ts";

let harness: CommandHarness;

beforeEach(async () => {
  harness = await CommandHarness.open({ clock: new FastClock(10), servers: 2 });
  await harness.live();
});
afterEach(() => harness.close());

async function change(
  body: object,
  as: Person = "owner",
  robotId = harness.fixtures.ownRobot.id,
  on = harness.server,
): Promise<Answer> {
  const client = await on.as(as);
  return client.raw(updateRobotSettings.path.replace(":robotId", String(robotId)), { method: "PUT", body });
}

const stored = () =>
  harness.db
    .selectFrom("robots")
    .select(["cleaning_direction", "main_motor_speed", "brush_motor_speed"])
    .where("id", "=", harness.fixtures.ownRobot.id)
    .executeTakeFirstOrThrow();
const asBefore = { cleaning_direction: "FORWARD", main_motor_speed: 75, brush_motor_speed: 80 };
const robot = () => harness.robot();

describe("§7 updateRobotSettings", () => {
  test("§8 Settings Updated: stored when the robot shows them, with before and after recorded", async () => {
    const answer = await change({ main_motor_speed: "40", brush_motor_speed: "30" }, "admin");
    expect(answer).toMatchObject({
      status: 200,
      body: { success: true, message: "Settings for Robot OWN-1 have been updated." },
    });
    expect(robot().truth().applied).toMatchObject({ mainSpeed: 40, brushSpeed: 30 });
    const after = { ...asBefore, main_motor_speed: 40, brush_motor_speed: 30 };
    expect(await stored()).toEqual(after);
    expect(await harness.audit()).toMatchObject([
      { action: "UPDATE_SETTINGS", outcome: "DONE", before: asBefore, after },
    ]);
    expect(await harness.activity()).toEqual([]);
  });

  test("§6: a PARTNER changes the direction, even while the robot moves, and START uses what is stored", async () => {
    await harness.press("START");
    expect(await change({ cleaning_direction: "REVERSE" })).toMatchObject({ status: 200 });
    expect(robot().truth()).toMatchObject({ motion: "MOVING", applied: { direction: "REV" } });
    await harness.press("STOP");
    await harness.press("START", { as: "owner" });
    expect(robot().truth().applied).toEqual({ direction: "REV", mainSpeed: 75, brushSpeed: 80 });
  });

  test("decisions, Roles: speeds of a PARTNER that differ from the stored ones are 403, equal ones are not", async () => {
    expect(await change({ main_motor_speed: 74 })).toMatchObject({ status: 403 });
    expect(await change({ cleaning_direction: "REVERSE", brush_motor_speed: "81" })).toMatchObject({ status: 403 });
    expect(await harness.audit()).toMatchObject([{ outcome: "REFUSED" }, { outcome: "REFUSED" }]);
    expect(await change({ cleaning_direction: "REVERSE", main_motor_speed: 75 })).toMatchObject({ status: 200 });
    expect(await stored()).toEqual({ ...asBefore, cleaning_direction: "REVERSE" });
  });

  test("§6: out of scope and nonexistent answer 404 alike; nothing to change or a wrong value is 400", async () => {
    const { foreignRobot } = harness.fixtures;
    const foreign = await change({ cleaning_direction: "REVERSE" }, "owner", foreignRobot.id);
    const absent = await change({ cleaning_direction: "REVERSE" }, "owner", 999_999);
    expect(foreign).toMatchObject({ status: 404 });
    expect(foreign.body).toEqual(absent.body);
    expect(await harness.commands(foreignRobot)).toEqual([]);
    for (const body of [{}, { main_motor_speed: 101 }, { cleaning_direction: "FWD" }]) {
      expect((await change(body)).status).toBe(400);
    }
  });

  test("wire, Commands: offline or silent is 504 and nothing is stored", async () => {
    robot().inject({ kind: "silent" });
    expect(await change({ cleaning_direction: "REVERSE" })).toMatchObject({ status: 504 });
    robot().clear("silent");
    robot().inject({ kind: "away" });
    await harness.until(async () => !(await harness.state()).online);
    expect(await change({ cleaning_direction: "REVERSE" })).toMatchObject({ status: 504 });
    expect(await stored()).toEqual(asBefore);
    expect(await harness.commands()).toMatchObject([{ verb: "SET", outcome: "UNCONFIRMED" }]);
    expect(await harness.audit()).toMatchObject([{ outcome: "FAILED" }, { outcome: "REFUSED" }]);
  });

  test("protocol rule 6: what was answered as not confirmed is stored, and recorded, once the robot shows it", async () => {
    robot().inject({ kind: "silent" });
    expect(await change({ cleaning_direction: "REVERSE" })).toMatchObject({ status: 504 });
    expect(await stored()).toEqual(asBefore);
    robot().clear("silent");
    await harness.until(async () => (await stored()).cleaning_direction === "REVERSE");
    expect(await harness.commands()).toMatchObject([{ verb: "SET", outcome: "UNCONFIRMED" }]);
    expect(await harness.audit()).toMatchObject([
      { action: "UPDATE_SETTINGS", outcome: "FAILED" },
      { action: "UPDATE_SETTINGS", outcome: "DONE", actor: "Omkar Jain", before: asBefore },
    ]);
    await harness.press("START", { as: "owner" });
    expect(robot().truth().applied).toEqual({ direction: "REV", mainSpeed: 75, brushSpeed: 80 });
  });

  test("protocol rule 6: not if a START was accepted since, whose settings are those of its run", async () => {
    robot().inject({ kind: "silent" });
    expect(await change({ main_motor_speed: 40 }, "admin")).toMatchObject({ status: 504 });
    robot().clear("silent");
    expect(await harness.press("START", { params: { "main-speed": 40 } })).toMatchObject({ status: 200 });
    expect(robot().truth().applied).toMatchObject({ mainSpeed: 40 });
    expect(await stored()).toEqual(asBefore);
  });

  test("wire, Commands: maintenance is 409, a robot that refuses 502, and nothing is stored", async () => {
    robot().inject({ kind: "refuse", verbs: ["SET"] });
    expect(await change({ cleaning_direction: "REVERSE" })).toMatchObject({ status: 502 });
    robot().clear("refuse");
    robot().setByHand({ maintenance: true });
    await harness.until(async () => (await harness.state()).mode === "MAINTENANCE");
    expect(await change({ cleaning_direction: "REVERSE" })).toMatchObject({ status: 409 });
    expect(await stored()).toEqual(asBefore);
  });

  test("protocol rule 6: concurrent changes on two servers: what is stored is what the robot has", async () => {
    const [, other] = harness.servers;
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        change(
          { cleaning_direction: index % 2 ? "REVERSE" : "FORWARD", main_motor_speed: index },
          "admin",
          harness.fixtures.ownRobot.id,
          index % 3 ? other : harness.server,
        ),
      ),
    );
    expect(answers.every(({ status }) => [200, 409, 504].includes(status))).toBe(true);
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    const { applied } = robot().truth();
    expect(await stored()).toEqual({
      cleaning_direction: applied.direction === "FWD" ? "FORWARD" : "REVERSE",
      main_motor_speed: applied.mainSpeed,
      brush_motor_speed: 80,
    });
  });
});
