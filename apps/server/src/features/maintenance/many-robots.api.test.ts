import { robotsMaintenance } from "@suncrew/contract/maintenance/maintenance.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CommandHarness } from "../../../test/command-harness.ts";
import type { Person } from "../../../test/fixtures.ts";

let harness: CommandHarness;

beforeEach(async () => {
  harness = await CommandHarness.open();
  // The partner's robots are at two of its sites.
  const { ownRobot2, secondSiteId } = harness.fixtures;
  await harness.db.updateTable("robots").set({ site_id: secondSiteId }).where("id", "=", ownRobot2.id).execute();
  for (const robot of robots()) await harness.live(robot);
});
afterEach(() => harness.close());

const robots = () => [harness.fixtures.ownRobot, harness.fixtures.ownRobot2];
const ids = () => robots().map(({ id }) => id);
const modes = () => robots().map((robot) => harness.robot(robot).truth().mode);
const locks = () => harness.db.selectFrom("maintenance_locks").selectAll().where("released_at", "is", null).execute();
const set = async (body: object, as: Person = "owner") =>
  (await harness.server.as(as)).call(robotsMaintenance, { body: { enabled: true, robotObjectIds: ids(), ...body } });

test("protocol rule 8: one call locks robots at several sites, and releases them; each has its own result", async () => {
  await harness.press("START");
  const locked = await set({ reason: "Brush change" });
  expect(locked).toMatchObject({
    status: 200,
    body: { success: true, message: "2 of 2 robots locked for maintenance." },
  });
  const { results } = robotsMaintenance.response.parse(locked.body);
  expect(results.map(({ robotObjectId, outcome }) => [robotObjectId, outcome])).toEqual(
    ids().map((id) => [id, "SUCCESS"]),
  );
  expect(modes()).toEqual(["MAINTENANCE", "MAINTENANCE"]);
  expect(harness.robot().truth().motion).toBe("STOPPED");
  expect(await locks()).toHaveLength(2);
  const again = await set({ reason: "Brush change" });
  expect(robotsMaintenance.response.parse(again.body).results.map(({ outcome }) => outcome)).toEqual([
    "SKIPPED",
    "SKIPPED",
  ]);
  const released = await set({ enabled: false });
  expect(released.body).toMatchObject({ success: true, message: "2 of 2 robots released." });
  expect(await locks()).toEqual([]);
  expect(modes()).not.toContain("MAINTENANCE");
});

test("§6 PARTNER: if one robot is another partner's, none is locked", async () => {
  const robotObjectIds = [harness.fixtures.ownRobot.id, harness.fixtures.foreignRobot.id];
  expect((await set({ reason: "Brush change", robotObjectIds })).status).toBe(404);
  expect((await set({ reason: "Brush change" }, "stranger")).status).toBe(404);
  expect(await locks()).toEqual([]);
});

test("§5 Maintenance: a lock without a reason, a start with a lock, an empty list and a start on release are refused by the field's name", async () => {
  const bad = [
    { reason: "" },
    { reason: "x", start_after: true },
    { reason: "x", robotObjectIds: [] },
    { enabled: false, start_after: true },
  ];
  const answers = await Promise.all(bad.map((body) => set(body)));
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
  expect(answers.map(({ body }) => JSON.stringify(body))).toEqual([
    expect.stringContaining("reason"),
    expect.stringContaining("start_after"),
    expect.stringContaining("robotObjectIds"),
    expect.stringContaining("start_after"),
  ]);
  expect(await locks()).toEqual([]);
});
