import { robotMaintenance } from "@suncrew/contract/maintenance/maintenance.ts";
import { allocateDevices } from "@suncrew/contract/devices/devices.ts";
import { createRobot, deleteRobot } from "@suncrew/contract/robots/robot-forms.ts";
import { deleteSite } from "@suncrew/contract/sites/site-forms.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { v7 as uuidv7 } from "uuid";
import { addRobot, setState, type TestRobot } from "../../../test/fixtures.ts";
import { seedGroups } from "../../../test/group-fixtures.ts";
import { createTestApp, TEST_NOW, type TestApp } from "../../../test/test-app.ts";

let server: TestApp;
beforeEach(async () => {
  server = await createTestApp();
  await seedGroups(server.db, server.fixtures, "planned");
});
afterEach(() => server.close());

const before = (ms: number) => new Date(TEST_NOW.getTime() - ms);

async function remove(siteId = server.fixtures.ownSiteId) {
  return (await server.as("admin")).call(deleteSite, { params: { id: siteId } });
}

const isThere = async (siteId = server.fixtures.ownSiteId) =>
  (await (await server.as("admin")).ask(siteDetails)).some(({ id }) => id === siteId);

async function beginRun(robot: TestRobot): Promise<void> {
  await server.db
    .insertInto("runs")
    .values({
      id: uuidv7(),
      robot_id: robot.id,
      site_id: robot.siteId,
      started_by: "Omkar Jain",
      began_at: before(60_000),
    })
    .execute();
}

async function giveCommand(robot: TestRobot, verb: "START" | "STOP" | "SET"): Promise<void> {
  await server.db
    .insertInto("commands")
    .values({
      id: uuidv7(),
      robot_id: robot.id,
      site_id: robot.siteId,
      serial_number: robot.serial,
      verb,
      seq: 1,
      session: 1,
      issued_at: TEST_NOW,
      expires_at: TEST_NOW,
      settle_by: TEST_NOW,
      ...(verb === "START" && { run_id: uuidv7(), max_duration_s: 60 }),
      params: "{}",
      requested_by: "Omkar Jain",
    })
    .execute();
}

describe("§4 Site and robot counts: deleting a site removes its robots", () => {
  test("its robots, groups and schedules are deleted with it; the other sites stay as they are", async () => {
    const { ownSiteId, foreignSiteId, secondSiteId } = server.fixtures;
    const { status, body } = await remove();
    expect([status, body]).toEqual([200, { message: "Site deleted successfully" }]);
    expect([await isThere(), await isThere(foreignSiteId), await isThere(secondSiteId)]).toEqual([false, true, true]);
    const left = async (table: "robots" | "robot_groups") =>
      (await server.db.selectFrom(table).select("site_id").where("deleted_at", "is", null).execute()).map(
        ({ site_id }) => site_id,
      );
    expect(await left("robots")).toEqual([foreignSiteId]);
    expect(await left("robot_groups")).toEqual([foreignSiteId]);
    for (const table of ["schedules", "robot_group_members"] as const) {
      const rows = await server.db.selectFrom(table).select("site_id").execute();
      expect([table, rows]).toEqual([table, [{ site_id: foreignSiteId }]]);
    }
    expect((await remove()).status).toBe(404);
    const audit = await server.db
      .selectFrom("audit")
      .select(["action", "entity_id", "outcome", "actor", "before"])
      .where("site_id", "=", ownSiteId)
      .orderBy("id")
      .execute();
    expect(audit.map(({ action, outcome, actor }) => [action, outcome, actor])).toEqual([
      ["DELETE_GROUP", "DONE", "Anita Rao"],
      ["DELETE_ROBOT", "DONE", "Anita Rao"],
      ["DELETE_ROBOT", "DONE", "Anita Rao"],
      ["DELETE_SITE", "DONE", "Anita Rao"],
    ]);
    expect(audit.at(-1)?.before).toMatchObject({ name: "Ownfield Park", robots: 2, groups: 1, schedules: 1 });
  });

  test("its serial numbers are free for its partner's other sites, and for another partner's once a Super Admin allocates them", async () => {
    await remove();
    const { foreignSiteId, secondSiteId, ownRobot, strangerPartnerId: partner_id } = server.fixtures;
    const body = {
      site_id: foreignSiteId,
      serial_number: ownRobot.serial,
      robot_name: "Moved",
      installation_date: "2024-02-29",
    };
    const [stranger, owner] = [await server.as("stranger"), await server.as("owner")];
    expect((await stranger.call(createRobot, { body })).status).toBe(400);
    const { robotId: id } = await owner.ask(createRobot, { body: { ...body, site_id: secondSiteId } });
    await owner.ask(deleteRobot, { params: { id } });
    await (await server.as("admin")).ask(allocateDevices, { body: { serials: [ownRobot.serial], partner_id } });
    const { robotId } = await stranger.ask(createRobot, { body });
    expect(robotId).not.toBe(ownRobot.id);
  });

  test("what was open about its robots ends: a pending Stop, other commands, alerts and the maintenance lock", async () => {
    const { ownRobot, ownRobot2, ownSiteId } = server.fixtures;
    const params = { robotId: ownRobot2.id };
    await (await server.as("owner")).ask(robotMaintenance, { params, body: { enabled: true, reason: "Brush worn" } });
    await giveCommand(ownRobot, "STOP");
    const alert = { source: "ROBOT", code: "X", severity: "INFO", text: "Worn", raised_at: before(1_000) } as const;
    await server.db
      .insertInto("alerts")
      .values({ robot_id: ownRobot.id, site_id: ownSiteId, ...alert })
      .execute();
    expect((await remove()).status).toBe(200);
    const commands = await server.db
      .selectFrom("commands")
      .select(["verb", "outcome", "settled_at"])
      .orderBy("verb")
      .execute();
    expect(commands).toEqual([
      { verb: "MAINTENANCE_ON", outcome: "UNCONFIRMED", settled_at: TEST_NOW },
      { verb: "STOP", outcome: "UNCONFIRMED", settled_at: TEST_NOW },
    ]);
    const lock = await server.db.selectFrom("maintenance_locks").selectAll().executeTakeFirstOrThrow();
    expect(lock).toMatchObject({ released_by: "Anita Rao", released_at: TEST_NOW, locked_by: "Omkar Jain" });
    expect(await server.db.selectFrom("alerts").select("cleared_at").execute()).toEqual([{ cleared_at: TEST_NOW }]);
    const [stop] = await server.db.selectFrom("activity").select(["action", "status", "details"]).execute();
    expect(stop).toEqual({ action: "STOP", status: "FAILED", details: "The robot was deleted by Anita Rao." });
  });

  test("a run that a lost robot left open ends when the robot must have stopped by itself", async () => {
    const { ownRobot } = server.fixtures;
    await beginRun(ownRobot);
    await setState(server.db, ownRobot.id, {
      motion: "MOVING",
      live_at: before(600_000),
      received_at: before(600_000),
      connection: "CONNECTION_BROKEN",
      connection_at: before(590_000),
    });
    expect((await remove()).status).toBe(200);
    const run = await server.db
      .selectFrom("runs")
      .select(["outcome", "reason", "ended_at", "began_at"])
      .executeTakeFirstOrThrow();
    expect(run).toMatchObject({ outcome: "CUT_SHORT", reason: "LINK_LOST" });
  });

  test("a site without robots is deleted, a nonexistent one is not", async () => {
    expect((await remove(server.fixtures.secondSiteId)).status).toBe(200);
    expect((await remove(999_999)).status).toBe(404);
  });
});

describe("a site is not deleted while a robot there may move", () => {
  test.each<[string, (robot: TestRobot) => Promise<void>, string]>([
    ["cleans", beginRun, "is cleaning"],
    [
      "shows that it moves",
      (robot) => setState(server.db, robot.id, { online: true, motion: "MOVING", live_at: TEST_NOW }),
      "is cleaning",
    ],
    ["is being started", (robot) => giveCommand(robot, "START"), "is being started"],
    [
      "was cleaning when it went offline 5 minutes ago",
      (robot) =>
        setState(server.db, robot.id, {
          motion: "MOVING",
          live_at: before(300_000),
          connection: "CONNECTION_BROKEN",
          connection_at: before(300_000),
        }),
      "was cleaning when its connection was lost",
    ],
  ])("one that %s: 409 names it and nothing is changed", async (_words, bring, sentence) => {
    const { ownRobot2, ownSiteId } = server.fixtures;
    if (bring === beginRun) await setState(server.db, ownRobot2.id, { online: true, live_at: TEST_NOW });
    await bring(ownRobot2);
    const { status, body } = await remove();
    expect([status, body]).toEqual([
      409,
      { message: expect.stringContaining(`Robot OWN-2 ${sentence}`), code: "SITE_HAS_MOVING_ROBOTS" },
    ]);
    expect(await isThere()).toBe(true);
    const audit = await server.db
      .selectFrom("audit")
      .select(["action", "outcome", "reason"])
      .where("action", "!=", "SIGN_IN")
      .execute();
    expect(audit).toEqual([{ action: "DELETE_SITE", outcome: "REFUSED", reason: expect.stringContaining("OWN-2") }]);
    const schedules = await server.db.selectFrom("schedules").select("id").where("site_id", "=", ownSiteId).execute();
    expect(schedules).toHaveLength(1);
  });

  test("of many moving robots five are named and the others counted", async () => {
    const { ownSiteId } = server.fixtures;
    for (let nth = 1; nth <= 7; nth += 1) {
      const robot = await addRobot(server.db, ownSiteId, `ROW-${nth}`);
      await setState(server.db, robot.id, { online: true, motion: "MOVING", live_at: TEST_NOW });
    }
    const { text } = await remove();
    expect(text.match(/ROW-\d is cleaning/g)).toHaveLength(5);
    expect(text).toContain("So are 2 more robots there.");
  });

  test("a robot that is added while the site is deleted is either deleted with it or not added", async () => {
    const { ownSiteId } = server.fixtures;
    const body = { site_id: ownSiteId, serial_number: "FREE-1", robot_name: "Late", installation_date: "2024-02-29" };
    const [removed, created] = await Promise.all([
      remove(),
      server.as("admin").then((admin) => admin.call(createRobot, { body })),
    ]);
    expect(removed.status).toBe(200);
    expect([201, 404]).toContain(created.status);
    const left = await server.db
      .selectFrom("robots")
      .select("id")
      .where("site_id", "=", ownSiteId)
      .where("deleted_at", "is", null)
      .execute();
    expect(left).toEqual([]);
  });

  test("of two people who delete it concurrently, one succeeds and the other finds nothing", async () => {
    const both = await Promise.all([remove(), remove()]);
    expect(both.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 404]);
  });
});
