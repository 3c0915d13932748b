import { getRobotSchedule } from "@suncrew/contract/schedules/schedules.ts";
import { updateSite } from "@suncrew/contract/sites/site-forms.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import type { Updateable } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { v7 as uuidv7 } from "uuid";
import { seedGroups } from "../../../test/group-fixtures.ts";
import { createRestorePoint, type RestorePoint } from "../../../test/restore-point.ts";
import { createTestApp, TEST_NOW, type TestApp } from "../../../test/test-app.ts";
import type { Tables } from "../../platform/database/tables.ts";

// The tests' clock is at 12:00 on Monday, 15 June 2026, in India: 8:30 in Berlin, 15:30 in Tokyo.
let server: TestApp;
let restorePoint: RestorePoint;
beforeAll(async () => {
  server = await createTestApp();
  restorePoint = await createRestorePoint(server.db);
});
beforeEach(async () => {
  await restorePoint.restore();
  await server.db.deleteFrom("audit").execute();
  await server.db.deleteFrom("runs").execute();
  await seedGroups(server.db, server.fixtures, "planned");
});
afterAll(() => server.close());

const berlin = { latitude: 52.52, longitude: 13.405 };
const tokyo = { latitude: 35.68, longitude: 139.69 };

async function move(place: { readonly latitude: number; readonly longitude: number }) {
  const body = {
    name: "Ownfield Park",
    address: "a",
    district: "b",
    state: "c",
    pin_code: "342301",
    commissioning_date: "2023-03-31",
  };
  const { ownSiteId: id } = server.fixtures;
  return (await server.as("owner")).ask(updateSite, { params: { id }, body: { ...body, ...place } });
}

async function plan(change: Updateable<Tables["schedules"]>): Promise<void> {
  await server.db.updateTable("schedules").set(change).where("id", "=", server.fixtures.ownGroup.scheduleId).execute();
}

async function planned() {
  const { ownSiteId: siteId } = server.fixtures;
  const { schedules } = await (await server.as("owner")).ask(getRobotSchedule, { params: { siteId } });
  const [schedule] = schedules;
  return schedule && [schedule.status, schedule.start_time, schedule.next_run_at];
}

const runs = () => server.db.selectFrom("runs").select(["outcome", "reason", "due_at", "stop_due_at"]).execute();
const commands = () => server.db.selectFrom("commands").select("id").execute();

describe("decisions, Time: a site's time zone comes from its coordinates", () => {
  test("a site that moves into another zone keeps its local times; the other partner's schedules stay", async () => {
    await plan({
      frequency: "DAILY",
      start_time: "2026-06-01 14:00:00",
      next_run_at: new Date("2026-06-15T08:30:00Z"),
    });
    await move(berlin);
    expect(await planned()).toEqual(["ACTIVE", "2026-06-01 14:00:00", "2026-06-15T12:00:00.000Z"]);
    const site = (await (await server.as("owner")).ask(siteDetails)).find(({ id }) => id === server.fixtures.ownSiteId);
    expect(site).toMatchObject({ timezone: "Europe/Berlin", version: 2 });
    const foreign = await server.db
      .selectFrom("schedules")
      .select("next_run_at")
      .where("id", "=", server.fixtures.foreignGroup.scheduleId)
      .executeTakeFirst();
    expect(foreign?.next_run_at).toEqual(new Date("2099-01-31T01:00:00Z"));
    const audit = await server.db
      .selectFrom("audit")
      .select(["action", "reason"])
      .where("action", "!=", "SIGN_IN")
      .orderBy("id")
      .execute();
    expect(audit).toEqual([
      { action: "UPDATE_SCHEDULE", reason: "The time zone of the site is Europe/Berlin now; it was Asia/Kolkata." },
      { action: "UPDATE_SITE", reason: null },
    ]);
  });

  test("a move within the zone replans nothing", async () => {
    await move({ latitude: 20, longitude: 75 });
    expect(await planned()).toEqual(["ACTIVE", "2099-01-31 06:30:00", "2099-01-31T01:00:00.000Z"]);
    const audit = await server.db.selectFrom("audit").select("action").where("action", "!=", "SIGN_IN").execute();
    expect(audit).toEqual([{ action: "UPDATE_SITE" }]);
  });

  test("a time that has passed today in the new zone means the next one", async () => {
    await plan({
      frequency: "DAILY",
      start_time: "2026-06-01 14:00:00",
      next_run_at: new Date("2026-06-15T08:30:00Z"),
    });
    await move(tokyo);
    expect(await planned()).toEqual(["ACTIVE", "2026-06-01 14:00:00", "2026-06-16T05:00:00.000Z"]);
    await plan({ frequency: "ONCE", start_time: "2026-06-15 10:00:00", next_run_at: new Date("2026-06-15T08:00:00Z") });
    await move(berlin);
    expect(await planned()).toEqual(["ACTIVE", "2026-06-15 10:00:00", "2026-06-15T08:00:00.000Z"]);
    await move(tokyo);
    expect(await planned()).toEqual(["ACTIVE", "2026-06-16 10:00:00", "2026-06-16T01:00:00.000Z"]);
    expect([await runs(), await commands()]).toEqual([[], []]);
  });

  test("a ONCE whose day is over in the new zone is switched off", async () => {
    // In Kiritimati it is 20:30 on the same day; a time the day before has passed.
    await plan({ frequency: "ONCE", start_time: "2026-06-14 23:50:00", next_run_at: new Date("2026-06-15T10:50:00Z") });
    await move({ latitude: 1.87, longitude: -157.4 });
    expect(await planned()).toEqual(["INACTIVE", "2026-06-14 23:50:00", null]);
  });

  test("a schedule that is switched off or has run stays so", async () => {
    await plan({ status: "INACTIVE", next_run_at: null });
    await move(berlin);
    expect(await planned()).toEqual(["INACTIVE", "2099-01-31 06:30:00", null]);
  });

  test.each([
    ["DAILY", ["ACTIVE", "2026-06-01 11:59:00", "2026-06-15T09:59:00.000Z"]],
    ["ONCE", ["COMPLETED", "2026-06-01 11:59:00", null]],
  ] as const)(
    "decision 16: what a %s has due by now is neither started by the move nor later",
    async (frequency, after) => {
      const dueAt = new Date(TEST_NOW.getTime() - 60_000);
      await plan({ frequency, start_time: "2026-06-01 11:59:00", next_run_at: dueAt });
      await move(berlin);
      expect(await planned()).toEqual(after);
      const reason = "The time zone of the site was changed by Omkar Jain before this run could start.";
      expect(await runs()).toEqual([{ outcome: "SKIPPED", reason, due_at: dueAt, stop_due_at: expect.any(Date) }]);
      expect(await commands()).toEqual([]);
    },
  );

  test("a run in progress ends when planned", async () => {
    const { ownRobot, ownGroup } = server.fixtures;
    const stop_due_at = new Date(TEST_NOW.getTime() + 600_000);
    await server.db
      .insertInto("runs")
      .values({
        id: uuidv7(),
        robot_id: ownRobot.id,
        site_id: ownRobot.siteId,
        started_by: "Scheduler",
        planned: true,
        schedule_id: ownGroup.scheduleId,
        due_at: TEST_NOW,
        began_at: TEST_NOW,
        stop_due_at,
      })
      .execute();
    await move(berlin);
    expect(await runs()).toEqual([{ outcome: null, reason: null, due_at: TEST_NOW, stop_due_at }]);
  });
});
