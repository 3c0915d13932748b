import { localTimeOf } from "@suncrew/domain/schedules/site-time.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closeDays } from "../../../test/report-histories.ts";
import { createTestDatabase } from "../../../test/test-database.ts";
import { readReport } from "../../features/reports/reports.service.ts";
import type { OpenDatabase } from "../../platform/database/database.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { demoFleet, demoSensor, defaultFleet } from "../demo-fleet.ts";
import { seedDemo } from "../demo-seed.repository.ts";
import { demoGroups } from "./past-incidents.ts";
import { completeHistory, isHistoryWanted, markHistory } from "./demo-history.repository.ts";

const DAY_MS = 86_400_000;
const LIMIT_MS = 240_000;

async function seeded(): Promise<OpenDatabase> {
  const database = await createTestDatabase();
  const devices = [...demoFleet(defaultFleet).serials, demoSensor.serial].map((serial) => ({
    serial,
    secret: "s".repeat(40),
  }));
  await seedDemo(database.db, defaultFleet, devices, { history: true });
  return database;
}

async function count({ db }: OpenDatabase, table: string, where = "true"): Promise<number> {
  const { rows } = await sql<{
    n: number;
  }>`select count(*) as n from ${sql.table(table)} where ${sql.raw(where)}`.execute(db);
  return rows[0]?.n ?? 0;
}

/** The runs of a history, without generated ids. */
async function storyOf({ db }: OpenDatabase): Promise<unknown[]> {
  return db
    .selectFrom("runs")
    .select(["serial_number", "at", "began_at", "ended_at", "outcome", "reason", "action_type", "started_by"])
    .orderBy("at")
    .orderBy("serial_number")
    .execute();
}

async function figuresOf(database: OpenDatabase): Promise<number[]> {
  return [await count(database, "activity"), await count(database, "readings"), await count(database, "audit")];
}

/** The next start, a day later, or again after the first was interrupted: writing everything again takes a while. */
const secondStart = { title: "a second start adds nothing", mark: "written", afterMs: DAY_MS } as const;
const afterInterruption = {
  title: "one that was interrupted is written again, identically",
  mark: "wanted",
  afterMs: 0,
} as const;

// In the second case the demo starts during its morning runs, on the last day of a short month.
describe.each([
  ["at noon", new Date("2026-11-21T06:40:00Z"), secondStart],
  ["in the middle of a run", new Date("2027-02-28T00:20:00Z"), afterInterruption],
])("demo: thirty days of history, begun %s", (_when, now, next) => {
  let database: OpenDatabase;
  let wanted = false;

  beforeAll(async () => {
    database = await seeded();
    wanted = await isHistoryWanted(database.db);
    await completeHistory(database.connection, now);
  }, LIMIT_MS);

  afterAll(() => database.close());

  test("every run is within the thirty days, has ended, and has an outcome and battery levels", async () => {
    const runs = await database.db.selectFrom("runs").selectAll().execute();
    expect(runs.length).toBeGreaterThan(150);
    for (const run of runs) {
      expect(run.at.getTime()).toBeGreaterThan(now.getTime() - 30 * DAY_MS);
      expect(run.ended_at !== null && run.ended_at < now).toBe(true);
      expect([run.outcome, run.reason]).not.toContain(null);
      const moved = !["SKIPPED", "MISSED", "FAILED"].includes(run.outcome ?? "");
      expect([run.began_at !== null, run.battery_began !== null, run.battery_ended !== null]).toEqual([
        moved,
        moved,
        moved,
      ]);
      expect((run.began_at ?? run.at) <= (run.ended_at ?? now)).toBe(true);
    }
  });

  test("no robot is in two runs at once, and none moves under a maintenance lock", async () => {
    const { rows } = await sql`
      select a.id from runs a join runs b on b.robot_id = a.robot_id and b.id <> a.id
        and b.began_at < a.ended_at and b.ended_at > a.began_at
      union all
      select r.id from runs r join maintenance_locks l on l.robot_id = r.robot_id
        and r.began_at < l.released_at and r.ended_at > l.confirmed_at`.execute(database.db);
    expect(rows).toEqual([]);
  });

  test("most runs were completed, and every outcome occurs", async () => {
    const rows = await database.db
      .selectFrom("runs")
      .select(["outcome", (eb) => eb.fn.countAll<number>().as("n")])
      .groupBy("outcome")
      .execute();
    const of = new Map(rows.map(({ outcome, n }) => [outcome, n]));
    const all = rows.reduce((sum, { n }) => sum + n, 0);
    expect((of.get("COMPLETED") ?? 0) / all).toBeGreaterThan(0.6);
    for (const outcome of ["STOPPED", "CUT_SHORT", "FAILED", "SKIPPED", "MISSED"] as const)
      expect([outcome, of.get(outcome) ?? 0]).not.toContain(0);
    for (const type of ["MANUAL", "GROUP", "SCHEDULED"])
      expect(await count(database, "runs", `action_type = '${type}'`)).toBeGreaterThan(0);
  });

  test("planned runs were due at their groups' local time; what was missed was due while Suncrew was down", async () => {
    const runs = await database.db.selectFrom("runs").selectAll().where("planned", "=", true).execute();
    for (const { group_name, due_at } of runs) {
      const group = demoGroups.find(({ name }) => name === group_name);
      const { time } = localTimeOf(due_at ?? now, "Asia/Kolkata");
      expect(time).toBe(`${group?.time}:00`);
    }
    const missed = runs.filter(({ outcome }) => outcome === "MISSED").map(({ due_at }) => due_at?.toISOString());
    expect(missed.length).toBeGreaterThan(3);
    expect(new Set(missed).size).toBe(1);
  });

  test("every START and STOP is settled and is once in the activity log, with its result; so is the end of every run", async () => {
    const { rows } = await sql<{ id: string }>`
      select c.id from commands c left join activity a on a.command_id = c.id
      where c.settled_at is null or c.published_at is null
        or (c.verb in ('START', 'STOP') and a.status is distinct from
          case when c.outcome = 'CONFIRMED' then 'SUCCESS' else 'FAILED' end)
        or (a.log_id is not null and (a.action <> c.verb or a.robot_id <> c.robot_id or a.created_at < c.issued_at))
      union all
      select null from activity where command_id is null and status <> 'REFUSED' and ended_run_id is null`.execute(
      database.db,
    );
    expect(rows).toEqual([]);
    const unlogged = await sql`
      select r.id from runs r
      where r.began_at is not null and not exists (
        select from activity a where a.robot_id = r.robot_id and a.action = 'STOP'
          and (a.ended_run_id = r.id or (r.reason = 'STOP' and a.created_at between r.began_at and r.ended_at + interval '1 minute')))`.execute(
      database.db,
    );
    expect(unlogged.rows).toEqual([]);
    expect(await count(database, "activity", "status = 'REFUSED'")).toBeGreaterThan(0);
    expect(await count(database, "activity", "status = 'FAILED'")).toBeGreaterThan(0);
  });

  test("alerts were raised and cleared, locks set, confirmed and released; nothing is open", async () => {
    expect(await count(database, "alerts")).toBeGreaterThan(3);
    expect(await count(database, "alerts", "cleared_at is null or cleared_at <= raised_at")).toBe(0);
    expect(await count(database, "maintenance_locks")).toBe(4);
    expect(await count(database, "maintenance_locks", "confirmed_at is null or released_at is null")).toBe(0);
    expect(await count(database, "robots", "operating_mode = 'maintenance'")).toBe(0);
  });

  test("readings cover the thirty days, in the partitions of their months", async () => {
    const { rows } = await sql<{ first: Date; last: Date; robots: number }>`
      select min(received_at) as first, max(received_at) as last, count(distinct robot_id) as robots
      from readings`.execute(database.db);
    const [{ first, last, robots } = { first: now, last: now, robots: 0 }] = rows;
    expect(now.getTime() - first.getTime()).toBeGreaterThan(29.9 * DAY_MS);
    expect(last < now && now.getTime() - last.getTime() < 120_000).toBe(true);
    expect(robots).toBe(14);
    expect(await count(database, "readings_default")).toBe(0);
  });

  test("all of it is marked as sample data, and what happens from now on is not", async () => {
    for (const table of ["runs", "readings", "alerts", "activity", "maintenance_locks"])
      expect([table, await count(database, table, "not sample")]).toEqual([table, 0]);
    expect([wanted, await isHistoryWanted(database.db)]).toEqual([true, false]);
  });

  test("Growth: its days are closed like those of an older installation, and its reports stay the same", async () => {
    const { db } = database;
    const robot = await db.selectFrom("runs").select("site_id").orderBy("at").limit(1).executeTakeFirstOrThrow();
    const admin = await db.selectFrom("users").select("id").where("role", "=", "SUPER_ADMIN").executeTakeFirstOrThrow();
    const role = { role: "SUPER_ADMIN", partnerId: null } as const;
    const viewer: Viewer = { userId: admin.id, name: "Anita Rao", email: "", sessionId: "", ...role };
    const local = (at: Date) => localTimeOf(at, "Asia/Kolkata").date;
    const from = `${local(new Date(now.getTime() - 40 * DAY_MS))} 00:00:00`;
    const request = { siteId: robot.site_id, from, to: `${local(now)} 23:59:59` };
    const read = () => readReport(viewer, db, request, { now, maintenanceIntervalDays: 180 });
    const before = await read();
    expect(await count(database, "stale_days")).toBe(0);
    await closeDays(db, robot.site_id, now);
    expect(await count(database, "site_days", `site_id = ${robot.site_id} and closed_at is not null`)).toBeGreaterThan(
      28,
    );
    expect(await count(database, "robot_days", "sample and starts > 0 and read_ms > 0")).toBeGreaterThan(28);
    expect(await read()).toEqual(before);
  });

  test("groups keep their schedules, whose next runs are in the future", async () => {
    const schedules = await database.db.selectFrom("schedules").selectAll().execute();
    expect(schedules).toHaveLength(demoGroups.length);
    for (const { next_run_at, status } of schedules) {
      expect(status).toBe("ACTIVE");
      expect(next_run_at !== null && next_run_at > now).toBe(true);
    }
    expect(await count(database, "robot_group_members")).toBe(demoGroups.flatMap(({ serials }) => serials).length);
  });

  test("protocol rule 7: whatever the simulated robots report is newer", async () => {
    const states = await database.db.selectFrom("robot_state").selectAll().execute();
    for (const { online, session, robot_status, motion, last_seq } of states) {
      expect([online, robot_status, motion]).toEqual([false, "offline", "STOPPED"]);
      expect(session).toBeLessThan(1_000);
      expect(last_seq).toBeLessThan(now.getTime());
    }
  });

  test(
    `it is written once: ${next.title}`,
    async () => {
      const [story, figures] = [await storyOf(database), await figuresOf(database)];
      await markHistory(database.db, next.mark);
      await completeHistory(database.connection, new Date(now.getTime() + next.afterMs));
      expect([await storyOf(database), await figuresOf(database)]).toEqual([story, figures]);
    },
    LIMIT_MS,
  );
});
