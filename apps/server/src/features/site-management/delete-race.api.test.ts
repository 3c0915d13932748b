import { routes } from "@suncrew/contract/routes.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { seedGroups } from "../../../test/group-fixtures.ts";
import { createRestorePoint, type RestorePoint } from "../../../test/restore-point.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";

let server: TestApp;
let restorePoint: RestorePoint;
beforeAll(async () => {
  server = await createTestApp();
  restorePoint = await createRestorePoint(server.db);
});
afterAll(() => server.close());

const day = "2024-02-29";
const form = { name: "Edited", address: "a", district: "b", state: "c", pin_code: "342301", commissioning_date: day };
const plan = { start_time: "2099-01-31 06:30:00", duration_minutes: 30, frequency: "DAILY" as const };

/**
 * Everything that adds something to the site or changes it, concurrently with its deletion, starting with another each
 * round.
 */
async function everythingAtOnce(round: number): Promise<{ readonly deletion: number; readonly others: number[] }> {
  const { ownSiteId: site_id, ownRobot, ownRobot2, ownGroup, secondSiteId } = server.fixtures;
  const admin = await server.as("admin");
  const owner = await server.as("owner");
  const robot = { robot_name: "Late", installation_date: day };
  const csv = `site,serial_number,installation_date\nOwnfield Park,FREE-1,${day}\n`;
  const remove = () => admin.call(routes.deleteSite, { params: { id: site_id } });
  const calls = [
    () => owner.call(routes.createRobot, { body: { site_id, serial_number: "FREE-1", ...robot } }),
    () => owner.call(routes.importRobots, { body: { csv, apply: true } }),
    () => owner.call(routes.createGroup, { body: { site_id, group_name: "Late", robot_ids: [ownRobot2.id] } }),
    remove,
    () =>
      owner.call(routes.updateSchedule, {
        params: { scheduleId: ownGroup.scheduleId },
        body: { site_id, group_id: ownGroup.groupId, ...plan },
      }),
    () =>
      owner.call(routes.updateRobot, {
        params: { id: ownRobot2.id },
        body: { site_id: secondSiteId, serial_number: "OWN-2", ...robot },
      }),
    () =>
      owner.call(routes.updateSite, { params: { id: site_id }, body: { ...form, latitude: 52.52, longitude: 13.405 } }),
    () =>
      owner.call(routes.robotMaintenance, {
        params: { robotId: ownRobot.id },
        body: { enabled: true, reason: "Brush worn" },
      }),
    () => owner.call(routes.siteStop, { body: { siteId: site_id } }),
  ];
  const first = round % calls.length;
  const inTurn = [...calls.slice(first), ...calls.slice(0, first)];
  const statuses = await Promise.all(inTurn.map(async (call) => (await call()).status));
  const nth = inTurn.indexOf(remove);
  return { deletion: statuses[nth] ?? 0, others: statuses.toSpliced(nth, 1) };
}

/** Everything that remains at a site. */
async function leftAt(siteId: number): Promise<number[]> {
  const counts: number[] = [];
  for (const table of ["robots", "robot_groups"] as const) {
    const rows = await server.db
      .selectFrom(table)
      .select("id")
      .where("site_id", "=", siteId)
      .where("deleted_at", "is", null)
      .execute();
    counts.push(rows.length);
  }
  for (const table of ["schedules", "robot_group_members"] as const) {
    const rows = await server.db.selectFrom(table).select("site_id").where("site_id", "=", siteId).execute();
    counts.push(rows.length);
  }
  const open = await server.db
    .selectFrom("commands")
    .innerJoin("robots", "robots.id", "commands.robot_id")
    .select("commands.id")
    .where("commands.settled_at", "is", null)
    .where("robots.deleted_at", "is not", null)
    .execute();
  const locks = await server.db
    .selectFrom("maintenance_locks as l")
    .innerJoin("robots", "robots.id", "l.robot_id")
    .select("l.id")
    .where("l.released_at", "is", null)
    .where("robots.deleted_at", "is not", null)
    .execute();
  return [...counts, open.length, locks.length];
}

test("a site is deleted completely, whatever others do there at the same moment, and nobody gets a failure", async () => {
  for (let round = 0; round < 18; round += 1) {
    await restorePoint.restore();
    await seedGroups(server.db, server.fixtures, "planned");
    await server.db.updateTable("maintenance_locks").set({ released_at: new Date(), released_by: "test" }).execute();
    const { deletion, others } = await everythingAtOnce(round);
    expect(others.filter((status) => ![200, 201, 400, 404, 409, 504].includes(status))).toEqual([]);
    // No robot moves.
    expect(deletion).toBe(200);
    expect(await leftAt(server.fixtures.ownSiteId)).toEqual([0, 0, 0, 0, 0, 0]);
  }
});
