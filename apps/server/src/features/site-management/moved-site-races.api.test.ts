import { createSchedule, getRobotSchedule, updateSchedule } from "@suncrew/contract/schedules/schedules.ts";
import { updateSite } from "@suncrew/contract/sites/site-forms.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { seedGroups } from "../../../test/group-fixtures.ts";
import { holdLock, untilBlocked } from "../../../test/row-locks.ts";
import { createRestorePoint, type RestorePoint } from "../../../test/restore-point.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";

// The tests' clock is at 12:00 on Monday, 15 June 2026, in India: 8:30 in Berlin.
let server: TestApp;
let restorePoint: RestorePoint;
beforeAll(async () => {
  server = await createTestApp();
  restorePoint = await createRestorePoint(server.db);
});
beforeEach(() => restorePoint.restore());
afterAll(() => server.close());

const body = () => ({
  site_id: server.fixtures.ownSiteId,
  group_id: server.fixtures.ownGroup.groupId,
  start_time: "2026-06-15 18:30:00",
  duration_minutes: 30,
  frequency: "DAILY" as const,
  status: "ACTIVE" as const,
});
/** 18:30 in Berlin. */
const inBerlin = ["ACTIVE", "2026-06-15 18:30:00", "2026-06-15T16:30:00.000Z"];

async function moveToBerlin() {
  const form = { name: "Ownfield Park", address: "a", district: "b", state: "c", pin_code: "342301" };
  const place = { commissioning_date: "2023-03-31", latitude: 52.52, longitude: 13.405 };
  const { ownSiteId: id } = server.fixtures;
  return (await server.as("owner")).call(updateSite, { params: { id }, body: { ...form, ...place } });
}

async function planned() {
  const { ownSiteId: siteId } = server.fixtures;
  const { schedules } = await (await server.as("owner")).ask(getRobotSchedule, { params: { siteId } });
  return schedules.map(({ status, start_time, next_run_at }) => [status, start_time, next_run_at]);
}

async function edit() {
  const { scheduleId } = server.fixtures.ownGroup;
  return (await server.as("owner")).call(updateSchedule, { params: { scheduleId }, body: body() });
}

const savings = [
  { how: "edited", before: () => seedGroups(server.db, server.fixtures, "planned"), save: edit, saved: 200 },
  {
    how: "switched on",
    before: async () => {
      await seedGroups(server.db, server.fixtures, "planned");
      await server.db.updateTable("schedules").set({ status: "INACTIVE", next_run_at: null }).execute();
    },
    save: edit,
    saved: 200,
  },
  {
    how: "made",
    before: () => seedGroups(server.db, server.fixtures, "unplanned"),
    save: async () => (await server.as("owner")).call(createSchedule, { body: body() }),
    saved: 201,
  },
];

describe.each(savings)("decisions, Time: a schedule that is $how while its site moves", ({ before, save, saved }) => {
  test("waits for the new time zone and is planned by it", async () => {
    await before();
    const { ownSiteId } = server.fixtures;
    const letGo = await holdLock(server.db, (tx) =>
      sql`select id from sites where id = ${ownSiteId} for share`.execute(tx),
    );
    const moving = moveToBerlin();
    await untilBlocked(server.db);
    const saving = save();
    // A call that does not wait has planned in the former time zone.
    await Promise.race([untilBlocked(server.db, 2), saving]);
    await letGo();
    expect([(await moving).status, (await saving).status]).toEqual([200, saved]);
    expect(await planned()).toEqual([inBerlin]);
  });

  test("and, if it was first, is planned again by the move", async () => {
    await before();
    const { groupId } = server.fixtures.ownGroup;
    const letGo = await holdLock(server.db, (tx) =>
      sql`select id from robot_groups where id = ${groupId} for no key update`.execute(tx),
    );
    const saving = save();
    await untilBlocked(server.db);
    const moving = moveToBerlin();
    await Promise.race([untilBlocked(server.db, 2), moving]);
    await letGo();
    expect([(await moving).status, (await saving).status]).toEqual([200, saved]);
    expect(await planned()).toEqual([inBerlin]);
  });
});
