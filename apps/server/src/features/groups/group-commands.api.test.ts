import { createGroup, groupSendCommand, siteStop, updateGroup } from "@suncrew/contract/groups/groups.ts";
import { groupMaintenance, robotMaintenance } from "@suncrew/contract/maintenance/maintenance.ts";
import { runsCalendar } from "@suncrew/contract/runs/runs.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CommandHarness } from "../../../test/command-harness.ts";
import type { TestRobot } from "../../../test/fixtures.ts";
import type { TestClient } from "../../../test/test-client.ts";

let harness: CommandHarness;
let owner: TestClient;
let groupId: number;
let robots: readonly TestRobot[];

beforeEach(async () => {
  harness = await CommandHarness.open({ more: 2 });
  robots = [harness.fixtures.ownRobot, harness.fixtures.ownRobot2, ...harness.moreRobots];
  for (const robot of robots) await harness.live(robot);
  owner = await harness.server.as("owner");
  const body = { site_id: siteId(), group_name: "East Row", robot_ids: robots.map(({ id }) => id) };
  ({ groupId } = await owner.ask(createGroup, { body }));
});
afterEach(() => harness.close());

const siteId = () => harness.fixtures.ownSiteId;
const command = (verb: "START" | "STOP", robotObjectIds?: number[]) =>
  owner.ask(groupSendCommand, {
    body: { siteId: siteId(), groupId, command: verb, ...(robotObjectIds && { robotObjectIds }) },
  });
const motions = () => robots.map((robot) => harness.robot(robot).truth().motion);
const takeOffline = (robot: TestRobot) => {
  harness.robot(robot).inject({ kind: "away" });
  return harness.until(async () => !(await harness.state(robot)).online);
};
const lastActivity = async (robot: TestRobot) => (await harness.activity(robot)).at(-1);

describe("wire, Commands: a group acts on all its members together", () => {
  test("§4 Group action outcome: all start, all stop, each recorded as of the group", async () => {
    expect(await command("START")).toEqual({
      success: true,
      message: "4 of 4 robots started.",
      results: robots.map(({ id, serial }) => ({
        robotId: serial,
        robotObjectId: id,
        outcome: "SUCCESS",
        message: `START command sent to Robot ${serial}`,
        pending: false,
        live_position: expect.any(String),
      })),
    });
    expect(motions()).toEqual(["MOVING", "MOVING", "MOVING", "MOVING"]);
    for (const robot of robots) {
      expect(await lastActivity(robot)).toMatchObject({
        action: "START",
        action_type: "GROUP",
        status: "SUCCESS",
        user_name: "Omkar Jain",
      });
    }
    const run = await harness.db.selectFrom("runs").selectAll().executeTakeFirst();
    expect(run).toMatchObject({ action_type: "GROUP", group_id: groupId, group_name: "East Row" });
    expect(await command("STOP")).toMatchObject({ success: true, message: "4 of 4 robots stopped." });
    expect(motions()).toEqual(["STOPPED", "STOPPED", "STOPPED", "STOPPED"]);
  });

  test("§4 Group action outcome: a mix names each robot with its reason; only those that failed are tried again", async () => {
    const [locked, moving, refusing, fine] = robots;
    if (!locked || !moving || !refusing || !fine) throw new Error("There are four robots.");
    await owner.ask(robotMaintenance, { params: { robotId: locked.id }, body: { enabled: true, reason: "Worn" } });
    await harness.press("START", { robot: moving });
    harness.robot(refusing).inject({ kind: "refuse", verbs: ["START"], code: "BATTERY_LOW" });
    const first = await command("START");
    expect(first).toMatchObject({ success: false, message: "1 of 4 robots started. 1 failed. 2 skipped." });
    expect(first.results.map(({ robotId, outcome, message }) => [robotId, outcome, message])).toEqual([
      [locked.serial, "SKIPPED", "Robot OWN-1 is in maintenance. Exit maintenance first."],
      [moving.serial, "SKIPPED", "Robot OWN-2 is already cleaning."],
      [refusing.serial, "FAILED", "Robot OWN-M1 refused: its battery is too low."],
      [fine.serial, "SUCCESS", "START command sent to Robot OWN-M2"],
    ]);
    expect(harness.robot(locked).truth().startsTaken).toEqual([]);
    harness.robot(refusing).clear();
    expect(await command("START", [refusing.id])).toMatchObject({
      success: true,
      message: "1 of 1 robot started.",
      results: [{ robotId: refusing.serial, outcome: "SUCCESS" }],
    });
  });

  test("Cleaning runs: robots of a group that were not started appear in the calendar beside the others, with the reason", async () => {
    const [own, second, third] = robots;
    if (!own || !second || !third) throw new Error("The group has four robots.");
    await takeOffline(second);
    harness.robot(third).inject({ kind: "refuse" });
    await command("START");
    const { days } = await owner.ask(runsCalendar, { params: { siteId: siteId() } });
    const [entry, ...others] = days.flatMap(({ entries }) => entries);
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ title: "East Row", robots: 4, counts: { running: 2, failed: 1, skipped: 1 } });
    expect(entry?.reasons.toSorted((one, other) => one.outcome.localeCompare(other.outcome))).toEqual([
      { serial_number: third.serial, outcome: "FAILED", reason: "Robot OWN-M1 refused: it gave no reason." },
      { serial_number: second.serial, outcome: "SKIPPED", reason: expect.stringContaining("is offline") },
    ]);
  });

  test("protocol rule 2: an offline robot is skipped at a start; protocol rule 3: a Stop for it is stored and delivered", async () => {
    const [offline] = robots;
    if (!offline) throw new Error("There are four robots.");
    await takeOffline(offline);
    expect(await command("START")).toMatchObject({
      success: false,
      results: [{ outcome: "SKIPPED" }, { outcome: "SUCCESS" }, { outcome: "SUCCESS" }, { outcome: "SUCCESS" }],
    });
    const stopped = await command("STOP");
    expect(stopped).toMatchObject({
      success: false,
      message: "3 of 4 robots stopped. 1 failed. For 1 the Stop is stored and repeated until the robot confirms it.",
      results: [
        {
          outcome: "FAILED",
          pending: true,
          message: "Robot OWN-1 is offline. The Stop is stored and delivered when the robot returns.",
        },
        { outcome: "SUCCESS", pending: false },
        { outcome: "SUCCESS", pending: false },
        { outcome: "SUCCESS", pending: false },
      ],
    });
    expect(await lastActivity(offline)).toMatchObject({ action: "STOP", status: "FAILED", action_type: "GROUP" });
    harness.robot(offline).clear();
    await harness.until(async () => (await harness.commands(offline)).every(({ settled_at }) => settled_at !== null));
    expect(await lastActivity(offline)).toMatchObject({ action: "STOP", status: "SUCCESS" });
  });

  test("wire, Commands: robots out of scope are 404, those of another group 400, and nothing moves", async () => {
    const { foreignRobot, foreignSiteId, ownSiteId } = harness.fixtures;
    const other = { site_id: ownSiteId, group_name: "West", robot_ids: [robots[3]?.id ?? 0] };
    const rest = { site_id: ownSiteId, group_name: "East Row", robot_ids: robots.slice(0, 3).map(({ id }) => id) };
    await owner.ask(updateGroup, { params: { groupId }, body: rest });
    await owner.ask(createGroup, { body: other });
    const base = { siteId: ownSiteId, groupId, command: "START" as const };
    const stray = await owner.call(groupSendCommand, { body: { ...base, robotObjectIds: [robots[3]?.id ?? 0] } });
    expect(stray).toMatchObject({ status: 400, body: { success: false, errors: [{ field: "robotObjectIds" }] } });
    const hidden = await owner.call(groupSendCommand, { body: { ...base, robotObjectIds: [foreignRobot.id] } });
    expect(hidden.status).toBe(404);
    expect((await owner.call(groupSendCommand, { body: { ...base, siteId: foreignSiteId } })).status).toBe(404);
    expect(motions()).not.toContain("MOVING");
  });
});

describe("Stop everything: one press for a site", () => {
  test("§7 site stop: every robot of the site stops, whatever its group, and the rest is reported", async () => {
    const [first, second] = robots;
    if (!first || !second) throw new Error("There are four robots.");
    await harness.press("START", { robot: first });
    await harness.press("START", { robot: second });
    await harness.press("START", { robot: harness.fixtures.foreignRobot, as: "stranger" });
    const answer = await owner.ask(siteStop, { body: { siteId: siteId() } });
    expect(answer).toMatchObject({ success: true, message: "2 of 2 robots stopped. 2 already stopped." });
    expect(answer.results.map(({ was_moving }) => was_moving)).toEqual([true, true, false, false]);
    expect(motions()).toEqual(["STOPPED", "STOPPED", "STOPPED", "STOPPED"]);
    expect(harness.robot(harness.fixtures.foreignRobot).truth().motion).toBe("MOVING");
    expect(await lastActivity(first)).toMatchObject({ action: "STOP", action_type: "MANUAL", user_name: "Omkar Jain" });
  });

  test("§7 site stop: a site without robots answers so", async () => {
    const body = { siteId: harness.fixtures.secondSiteId };
    expect(await owner.ask(siteStop, { body })).toEqual({
      success: false,
      message: "There is no robot at this site.",
      results: [],
    });
  });
});

describe("protocol rule 8: a group is locked and released together", () => {
  const maintain = (body: object) =>
    owner.ask(groupMaintenance, { params: { groupId }, body: { enabled: true, ...body } });

  test("protocol rule 8: every member stops and is locked; one locked already is skipped, with who locked it", async () => {
    const [first] = robots;
    if (!first) throw new Error("There are four robots.");
    await owner.ask(robotMaintenance, { params: { robotId: first.id }, body: { enabled: true, reason: "Worn" } });
    await command("START");
    const locked = await maintain({ reason: "Row is washed" });
    expect(locked).toMatchObject({
      success: false,
      message: "3 of 4 robots locked for maintenance. 1 skipped.",
      results: [
        { outcome: "SKIPPED", message: expect.stringContaining("locked by Omkar Jain since") },
        { outcome: "SUCCESS", pending: false },
        { outcome: "SUCCESS" },
        { outcome: "SUCCESS" },
      ],
    });
    expect(motions()).toEqual(["STOPPED", "STOPPED", "STOPPED", "STOPPED"]);
    expect(await command("START")).toMatchObject({ success: false, message: "0 of 4 robots started. 4 skipped." });
    expect(await maintain({ enabled: false })).toMatchObject({ success: true, message: "4 of 4 robots released." });
    expect(motions()).toEqual(["STOPPED", "STOPPED", "STOPPED", "STOPPED"]);
    expect(await maintain({ enabled: false })).toMatchObject({
      success: false,
      message: "0 of 4 robots released. 4 skipped.",
      results: [{ message: "Robot OWN-1 is not in maintenance." }, {}, {}, {}],
    });
  });

  test("decisions, stubs: released robots start if requested; the lock of an offline one remains", async () => {
    const [offline] = robots;
    if (!offline) throw new Error("There are four robots.");
    await maintain({ reason: "Row is washed" });
    await takeOffline(offline);
    expect(await maintain({ enabled: false, start_after: true })).toMatchObject({
      success: false,
      message: "3 of 4 robots released and started. 1 failed.",
      results: [
        { outcome: "FAILED", message: expect.stringContaining("It stays in maintenance") },
        { outcome: "SUCCESS", message: "Robot OWN-2 was released from maintenance and started." },
        { outcome: "SUCCESS" },
        { outcome: "SUCCESS" },
      ],
    });
    expect(motions()).toEqual(["STOPPED", "MOVING", "MOVING", "MOVING"]);
    expect(harness.robot(offline).truth().mode).toBe("MAINTENANCE");
  });

  test("protocol rule 8: the lock of an offline member remains, not confirmed, and is delivered", async () => {
    const [offline] = robots;
    if (!offline) throw new Error("There are four robots.");
    await takeOffline(offline);
    expect(await maintain({ reason: "Row is washed" })).toMatchObject({
      success: true,
      message:
        "4 of 4 robots locked for maintenance. For 1 the lock is stored and repeated until the robot confirms it.",
      results: [{ outcome: "SUCCESS", pending: true }, { pending: false }, {}, {}],
    });
    harness.robot(offline).clear();
    await harness.robot(offline).until(({ mode }) => mode === "MAINTENANCE");
  });
});
