import { sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import { addReadings, addRun, robotAt, siteIn } from "../../../test/day-fixtures.ts";
import { addSite, setState } from "../../../test/fixtures.ts";
import { closeDays } from "../../../test/report-histories.ts";
import { stateMessage } from "../../../test/robot-messages.ts";
import { createTestDatabase } from "../../../test/test-database.ts";
import type { Db, OpenDatabase } from "../../platform/database/database.ts";
import { ensureReadingsPartitions, ingest } from "../devices/public.ts";
import { daysClosedUntil } from "./public.ts";

const HOUR_MS = 3_600_000;

let database: OpenDatabase;
let db: Db;
let siteId: number;
beforeEach(async () => {
  database = await createTestDatabase();
  db = database.db;
  siteId = await siteIn(db, "Asia/Kolkata");
});
afterEach(() => database.close());

async function closeAt(at: string): Promise<void> {
  await closeDays(db, siteId, new Date(at));
}

async function day(robotId: number, date: string) {
  return db
    .selectFrom("robot_days")
    .selectAll()
    .where("site_id", "=", siteId)
    .where("robot_id", "=", robotId)
    .where("date", "=", date)
    .executeTakeFirst();
}

async function waiting(): Promise<number> {
  const { rows } = await db
    .selectFrom("stale_days")
    .select((eb) => eb.fn.countAll<number>().as("rows"))
    .executeTakeFirstOrThrow();
  return rows;
}

test("Growth: a run that a robot reports late corrects its days, and nothing of them that is no longer kept", async () => {
  const robotId = await robotAt(db, siteId, [["2026-06-10T06:00Z", null]]);
  await setState(db, robotId, { live_at: new Date("2026-06-15T06:00Z") });
  await addReadings(db, robotId, siteId, [{ at: "2026-06-12T06:00:00Z", battery: 55 }]);
  await closeAt("2026-06-15T06:00Z");
  const before = await day(robotId, "2026-06-12");
  expect(before).toMatchObject({ battery_last: 5_500, read_ms: 90_000, manual_completed: 0 });
  await db.deleteFrom("readings").execute();
  // Across midnight at the site.
  await addRun(db, robotId, siteId, { moved: ["2026-06-12T18:00Z", "2026-06-12T19:00Z"], outcome: "COMPLETED" });
  await closeAt("2026-06-15T06:00Z");
  const { robot_name, serial_number } = await db
    .selectFrom("robots")
    .select(["robot_name", "serial_number"])
    .executeTakeFirstOrThrow();
  const ofRun = { robot_name, serial_number, manual_completed: 1, by_hand: 1, starts: 1, by_hand_ms: HOUR_MS / 2 };
  expect(await day(robotId, "2026-06-12")).toEqual({ ...before, ...ofRun });
  expect(await day(robotId, "2026-06-13")).toMatchObject({ manual_completed: 0, starts: 0, by_hand_ms: HOUR_MS / 2 });
  expect(await waiting()).toBe(0);
});

test("Growth: a run over midnight counts as running in its day until it has ended", async () => {
  const robotId = await robotAt(db, siteId, []);
  const runId = await addRun(db, robotId, siteId, { moved: ["2026-06-12T18:00Z", null], outcome: null });
  await closeAt("2026-06-12T19:00Z");
  expect(await day(robotId, "2026-06-12")).toMatchObject({ manual_running: 1, by_hand_ms: HOUR_MS / 2 });
  // Its end was found out later: it lay in the closed day.
  const end = { ended_at: new Date("2026-06-12T18:10Z"), outcome: "CUT_SHORT" as const, reason: "LINK_LOST" };
  await db.updateTable("runs").set(end).where("id", "=", runId).execute();
  await closeAt("2026-06-12T19:01Z");
  expect(await day(robotId, "2026-06-12")).toMatchObject({
    manual_running: 0,
    manual_cut_short: 1,
    by_hand_ms: HOUR_MS / 6,
  });
});

test("Growth: presence, a lock and an alert that end in a closed day correct it", async () => {
  const robotId = await robotAt(db, siteId, [["2026-06-12T06:00Z", null]]);
  await setState(db, robotId, { live_at: new Date("2026-06-12T20:00Z") });
  const of = { robot_id: robotId, site_id: siteId };
  await db
    .insertInto("maintenance_locks")
    .values({
      ...of,
      reason: "Brush",
      locked_by: "Anita",
      former_mode: "auto",
      locked_at: new Date("2026-06-12T16:30Z"),
    })
    .execute();
  await db
    .insertInto("alerts")
    .values({
      ...of,
      source: "ROBOT",
      code: "A",
      severity: "CRITICAL",
      text: "Fault.",
      raised_at: new Date("2026-06-12T17:30Z"),
    })
    .execute();
  await closeAt("2026-06-12T19:00Z");
  expect(await day(robotId, "2026-06-12")).toMatchObject({
    counted_ms: 10.5 * HOUR_MS,
    reachable_ms: 10.5 * HOUR_MS,
    critical_ms: HOUR_MS,
    faults: 1,
  });
  await db
    .updateTable("robot_presence")
    .set({ offline_at: new Date("2026-06-12T12:00Z") })
    .execute();
  await db
    .updateTable("maintenance_locks")
    .set({ released_at: new Date("2026-06-12T17:30Z"), released_by: "Anita" })
    .execute();
  await db
    .updateTable("alerts")
    .set({ cleared_at: new Date("2026-06-12T17:45Z") })
    .execute();
  await closeAt("2026-06-12T19:01Z");
  expect(await day(robotId, "2026-06-12")).toMatchObject({
    counted_ms: 11.5 * HOUR_MS,
    reachable_ms: 6 * HOUR_MS,
    critical_ms: HOUR_MS / 4,
    faults: 1,
  });
});

test("Growth: a robot that leaves a site after days offline no longer counts there for them, one that returns does", async () => {
  const robotId = await robotAt(db, siteId, [["2026-06-10T06:00Z", "2026-06-11T06:00Z"]]);
  const elsewhereId = await addSite(db, "Elsewhere", null);
  await closeAt("2026-06-15T06:00Z");
  const counted = async () => [
    (await day(robotId, "2026-06-11"))?.counted_ms,
    (await day(robotId, "2026-06-13"))?.counted_ms,
  ];
  expect(await counted()).toEqual([24 * HOUR_MS, 24 * HOUR_MS]);
  await db.updateTable("robots").set({ site_id: elsewhereId }).where("id", "=", robotId).execute();
  await closeAt("2026-06-15T06:01Z");
  expect(await counted()).toEqual([11.5 * HOUR_MS, null]);
  await db.updateTable("robots").set({ site_id: siteId }).where("id", "=", robotId).execute();
  await closeAt("2026-06-15T06:02Z");
  expect(await counted()).toEqual([24 * HOUR_MS, 24 * HOUR_MS]);
});

test("Growth: readings that waited for the database while their day closed are added to it", async () => {
  const robotId = await robotAt(db, siteId, [["2026-06-12T06:00Z", null]]);
  const { serial_number: serial } = await db.selectFrom("robots").select("serial_number").executeTakeFirstOrThrow();
  await setState(db, robotId, { online: true, connection: "ONLINE", session: 1 });
  await closeAt("2026-06-12T19:00Z");
  const receivedAt = new Date("2026-06-12T18:20Z");
  const message = stateMessage(receivedAt, 1, 1, { battery: 70 });
  const state = { leaf: "state" as const, message, receivedAt, retained: false };
  await ensureReadingsPartitions(db, receivedAt);
  await ingest(db, [{ serial, messages: [state] }], { now: () => new Date("2026-06-12T19:00:01Z") });
  await closeAt("2026-06-12T19:01Z");
  expect(await day(robotId, "2026-06-12")).toMatchObject({ read_ms: 90_000, battery_last: 7_000 });
});

test("Growth: after 35 days nothing corrects a day any more: what it was computed from may be gone", async () => {
  const robotId = await robotAt(db, siteId, [
    ["2026-04-01T06:00Z", "2026-04-02T06:00Z"],
    ["2026-06-01T06:00Z", null],
  ]);
  await closeAt("2026-06-15T06:00Z");
  const before = await day(robotId, "2026-04-01");
  await db
    .updateTable("robot_presence")
    .set({ offline_at: new Date("2026-04-01T07:00Z") })
    .where("online_at", "<", new Date("2026-05-01"))
    .execute();
  await addRun(db, robotId, siteId, { moved: ["2026-04-01T08:00Z", "2026-04-01T09:00Z"], outcome: "COMPLETED" });
  await closeAt("2026-06-15T06:01Z");
  expect(before).toMatchObject({ reachable_ms: 12.5 * HOUR_MS, by_hand_ms: 0 });
  expect(await day(robotId, "2026-04-01")).toEqual(before);
  expect(await waiting()).toBe(0);
});

test("Growth: what happens in the day in progress leaves nothing to correct, and nothing is deletable that waits for it", async () => {
  const now = new Date();
  const robotId = await robotAt(db, siteId, []);
  const ago = (hours: number) => new Date(now.getTime() - hours * HOUR_MS).toISOString();
  await addRun(db, robotId, siteId, { moved: [ago(200), ago(199)], outcome: "COMPLETED" });
  await closeDays(db, siteId, now);
  // A site whose day has just begun, whatever the time.
  const { rows } = await sql<{ began: Date }>`
    update site_days set began_at = ${now}, ended_at = ${now}::timestamptz + interval '1 day' where closed_at is null
    returning began_at as began`.execute(db);
  const began = rows[0]?.began ?? now;
  const at = (minutes: number) => new Date(began.getTime() + minutes * 60_000).toISOString();
  await addRun(db, robotId, siteId, { due: [at(1), at(60)], moved: [at(1), null], outcome: null });
  await db
    .updateTable("runs")
    .set({ ended_at: new Date(at(60)), outcome: "COMPLETED", reason: "STOP" })
    .where("outcome", "is", null)
    .execute();
  await db
    .insertInto("robot_presence")
    .values({ robot_id: robotId, site_id: siteId, online_at: new Date(at(2)) })
    .execute();
  await db
    .updateTable("robot_presence")
    .set({ offline_at: new Date(at(3)) })
    .execute();
  expect(await waiting()).toBe(0);
  expect(await daysClosedUntil(db)).toEqual(began);
  await addRun(db, robotId, siteId, { moved: [ago(100), ago(99)], outcome: "COMPLETED" });
  expect(await waiting()).toBe(1);
  expect(await daysClosedUntil(db)).toEqual(new Date(ago(100)));
});
