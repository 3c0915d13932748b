import pino from "pino";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runWholeRound } from "../../../test/whole-rounds.ts";
import { addReadings, addRun, robotAt, siteIn } from "../../../test/day-fixtures.ts";
import { setState } from "../../../test/fixtures.ts";
import { createTestDatabase } from "../../../test/test-database.ts";
import { ManualClock } from "../../platform/clock.ts";
import type { Db, OpenDatabase } from "../../platform/database/database.ts";
import { DayClosing, daysClosedUntil } from "./public.ts";
import { closeDay } from "./robot-days.repository.ts";

let database: OpenDatabase;
let db: Db;
beforeEach(async () => {
  database = await createTestDatabase();
  db = database.db;
});
afterEach(() => database.close());

const log = pino({ level: "silent" });

/** A server that works on days at this time. */
function serverAt(at: string): { readonly clock: ManualClock; readonly closing: DayClosing } {
  const clock = new ManualClock(new Date(at));
  return { clock, closing: new DayClosing({ db, clock, log }) };
}

async function closeAt(at: string): Promise<void> {
  await runWholeRound(serverAt(at).closing);
}

/** The closed days of a site, as intervals in UTC. */
async function closedDays(siteId: number): Promise<string[]> {
  const rows = await db
    .selectFrom("site_days")
    .where("site_id", "=", siteId)
    .where("closed_at", "is not", null)
    .select(["date", "began_at", "ended_at"])
    .orderBy("date")
    .execute();
  const text = (at: Date) => at.toISOString().slice(5, 16);
  return rows.map(({ date, began_at, ended_at }) => `${date}: ${text(began_at)} to ${text(ended_at)}`);
}

async function days(siteId: number) {
  return db.selectFrom("robot_days").selectAll().where("site_id", "=", siteId).orderBy("date").execute();
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

test.each([
  ["Asia/Kolkata", "2026-06-15T06:00Z", "2026-06-15T18:30Z", ["2026-06-15: 06-14T18:30 to 06-15T18:30"]],
  ["Europe/Berlin", "2026-03-29T10:00Z", "2026-03-29T22:00Z", ["2026-03-29: 03-28T23:00 to 03-29T22:00"]],
  ["Europe/Berlin", "2026-10-25T10:00Z", "2026-10-25T23:00Z", ["2026-10-25: 10-24T22:00 to 10-25T23:00"]],
  // Midnight itself is skipped, and there are two.
  ["America/Havana", "2026-03-08T10:00Z", "2026-03-09T04:00Z", ["2026-03-08: 03-08T05:00 to 03-09T04:00"]],
  ["America/Havana", "2026-11-01T10:00Z", "2026-11-02T05:00Z", ["2026-11-01: 11-01T04:00 to 11-02T05:00"]],
])(
  "Growth: a day closes a quarter of an hour after it has ended at the site, %s on %s",
  async (zone, at, end, expected) => {
    const siteId = await siteIn(db, zone);
    await robotAt(db, siteId, [[at, null]]);
    const { clock, closing } = serverAt(end);
    clock.advance(15 * MINUTE_MS - 1);
    await closing.runOnce();
    expect(await closedDays(siteId)).toEqual([]);
    expect(await daysClosedUntil(db)).toEqual(new Date(`2026-${expected[0]?.slice(12, 23)}Z`));
    clock.advance(1);
    await closing.runOnce();
    expect(await closedDays(siteId)).toEqual(expected);
    expect(await daysClosedUntil(db)).toEqual(new Date(end));
  },
);

test("Growth: a day has the minutes by motion and mode, uptime, battery, starts, faults and runs of its robot", async () => {
  const siteId = await siteIn(db, "Asia/Kolkata");
  const robotId = await robotAt(db, siteId, [
    ["2026-06-14T18:00Z", "2026-06-15T06:00Z"],
    ["2026-06-15T07:00Z", null],
  ]);
  await setState(db, robotId, { live_at: new Date("2026-06-15T20:00Z") });
  await addReadings(db, robotId, siteId, [
    // One minute of it is on this day, in which it is followed by nothing for 90 s.
    { at: "2026-06-14T18:29:30Z", battery: 50 },
    { at: "2026-06-15T06:00:00Z", battery: 40.25, motion: "MOVING", mode: "MANUAL" },
    { at: "2026-06-15T06:00:30Z", battery: 40, mode: "MAINTENANCE" },
    { at: "2026-06-15T06:01:00Z", battery: 60.5 },
  ]);
  await addRun(db, robotId, siteId, {
    due: ["2026-06-15T18:00Z", "2026-06-15T19:00Z"],
    moved: ["2026-06-15T18:00:05Z", null],
    outcome: null,
  });
  await addRun(db, robotId, siteId, {
    moved: ["2026-06-15T06:00Z", "2026-06-15T06:10Z"],
    outcome: "COMPLETED",
  });
  await db
    .insertInto("maintenance_locks")
    .values({
      robot_id: robotId,
      site_id: siteId,
      reason: "Brush",
      locked_by: "Anita",
      former_mode: "auto" as const,
      locked_at: new Date("2026-06-15T08:00Z"),
      released_at: new Date("2026-06-15T09:00Z"),
      released_by: "Anita",
    })
    .execute();
  const alert = {
    robot_id: robotId,
    site_id: siteId,
    source: "ROBOT" as const,
    text: "Fault.",
    severity: "CRITICAL" as const,
  };
  await db
    .insertInto("alerts")
    .values([
      { ...alert, code: "A", raised_at: new Date("2026-06-14T18:00Z"), cleared_at: new Date("2026-06-14T19:00Z") },
      { ...alert, code: "B", raised_at: new Date("2026-06-15T10:00Z"), cleared_at: new Date("2026-06-15T10:20Z") },
    ])
    .execute();
  await closeAt("2026-06-15T19:00Z");
  const [before, day, ...rest] = await days(siteId);
  expect(before).toMatchObject({ date: "2026-06-14", counted_ms: 30 * MINUTE_MS, read_ms: 30_000, faults: 1 });
  expect(rest).toEqual([]);
  expect(day).toMatchObject({
    date: "2026-06-15",
    robot_id: robotId,
    read_ms: 60_000 + 30_000 + 30_000 + 90_000,
    moving_ms: 30_000,
    manual_mode_ms: 30_000,
    maintenance_mode_ms: 30_000,
    battery_held: 5_000 * 60_000 + 4_025 * 30_000 + 4_000 * 30_000 + 6_050 * 90_000,
    battery_least: 4_000,
    battery_last: 6_050,
    counted_ms: 23 * HOUR_MS,
    reachable_ms: 22 * HOUR_MS,
    planned_ms: 30 * MINUTE_MS,
    as_planned_ms: 30 * MINUTE_MS - 5_000,
    outside_plan_ms: 0,
    by_hand_ms: 10 * MINUTE_MS,
    starts: 2,
    by_hand: 1,
    planned_running: 1,
    planned_completed: 0,
    manual_completed: 1,
    faults: 1,
    critical_ms: 50 * MINUTE_MS,
    sample: false,
  });
});

test("Growth: the past of an older installation is computed oldest first, of deleted sites too", async () => {
  const [oldId, goneId, emptyId] = [
    await siteIn(db, "Asia/Kolkata"),
    await siteIn(db, "Europe/Berlin"),
    await siteIn(db, "Asia/Kolkata"),
  ];
  await robotAt(db, oldId, [["2026-05-01T06:00Z", "2026-05-02T06:00Z"]]);
  const goneRobotId = await robotAt(db, goneId, []);
  await addRun(db, goneRobotId, goneId, { moved: ["2026-06-01T08:00Z", "2026-06-01T09:00Z"], outcome: "COMPLETED" });
  await db
    .updateTable("sites")
    .set({ deleted_at: new Date("2026-06-05T00:00Z") })
    .where("id", "=", goneId)
    .execute();
  expect(await daysClosedUntil(db)).toBeNull();
  // As an upgrade finds them: no row was written while days were kept.
  await db.deleteFrom("stale_days").execute();
  await closeAt("2026-06-15T06:30Z");
  expect(await closedDays(oldId)).toHaveLength(45);
  expect(await closedDays(goneId)).toHaveLength(14);
  expect(await closedDays(emptyId)).toEqual([]);
  const rows = await days(oldId);
  expect(rows.map(({ reachable_ms }) => reachable_ms).slice(0, 3)).toEqual([12.5 * HOUR_MS, 11.5 * HOUR_MS, 0]);
  expect(rows).toHaveLength(45);
  expect(await days(goneId)).toMatchObject([{ date: "2026-06-01", manual_completed: 1, by_hand_ms: HOUR_MS }]);
  expect(await daysClosedUntil(db)).toEqual(new Date("2026-06-14T18:30Z"));
});

/** Rows of days that were written by another transaction than the one that closed their day. */
async function writtenTwice(): Promise<number> {
  const { rows } = await sql<{ rows: number }>`
    select count(*) as rows from robot_days d join site_days s using (site_id, date) where d.xmin <> s.xmin`.execute(
    db,
  );
  return rows[0]?.rows ?? 0;
}

test("Growth: several servers compute each day of each site once", async () => {
  const siteIds: number[] = [];
  for (const zone of ["Asia/Kolkata", "Europe/Berlin", "America/Havana"]) siteIds.push(await siteIn(db, zone));
  for (const siteId of siteIds) await robotAt(db, siteId, [["2026-06-01T06:00Z", null]]);
  const servers = Array.from({ length: 3 }, () => serverAt("2026-06-15T06:30Z").closing);
  await Promise.all(servers.map((server) => runWholeRound(server)));
  expect(await closedDays(siteIds[0] ?? 0)).toHaveLength(14);
  for (const siteId of siteIds) expect(await days(siteId)).toHaveLength((await closedDays(siteId)).length);
  expect(await writtenTwice()).toBe(0);
});

test("Growth: what a server leaves of a day by dying, another one continues", async () => {
  const siteId = await siteIn(db, "Asia/Kolkata");
  for (let nth = 0; nth < 220; nth += 1) await robotAt(db, siteId, [["2026-06-14T06:00Z", null]]);
  const now = new Date("2026-06-15T06:30Z");
  const { closing } = serverAt(now.toISOString());
  await db.deleteFrom("stale_days").execute();
  await openDays();
  // It gets no further than the first robots.
  let steps = 0;
  expect(await closeDay(db, siteId, now, () => ++steps === 1)).toBe(false);
  expect(await closedDays(siteId)).toEqual([]);
  const begun = await versions();
  expect(begun.size).toBe(200);
  await closing.runOnce();
  expect(await closedDays(siteId)).toHaveLength(1);
  const done = await versions();
  expect(done.size).toBe(220);
  // Computed once.
  for (const [robotId, version] of begun) expect(done.get(robotId)).toBe(version);

  async function openDays(): Promise<void> {
    await db
      .insertInto("site_days")
      .values({
        site_id: siteId,
        date: "2026-06-14",
        began_at: new Date("2026-06-13T18:30Z"),
        ended_at: new Date("2026-06-14T18:30Z"),
      })
      .execute();
  }
  async function versions(): Promise<Map<number, string>> {
    const rows = await db
      .selectFrom("robot_days")
      .select(["robot_id", sql<string>`xmin::text`.as("version")])
      .execute();
    return new Map(rows.map(({ robot_id, version }) => [robot_id, version]));
  }
});

test("Growth: a site that moves to another time zone keeps its closed days, and the next ones follow without a gap", async () => {
  const siteId = await siteIn(db, "Asia/Kolkata");
  await robotAt(db, siteId, [["2026-06-14T00:00Z", null]]);
  await closeAt("2026-06-14T19:00Z");
  await db.updateTable("sites").set({ timezone: "Europe/Berlin" }).where("id", "=", siteId).execute();
  await closeAt("2026-06-16T06:00Z");
  expect(await closedDays(siteId)).toEqual([
    "2026-06-14: 06-13T18:30 to 06-14T18:30",
    "2026-06-15: 06-14T18:30 to 06-15T22:00",
  ]);
});
