import { defaultKeepDays } from "@suncrew/domain/storage/kept-kinds.ts";
import type { KeptKind } from "@suncrew/contract/storage/storage.ts";
import { sql } from "kysely";
import { randomUUID } from "node:crypto";
import pino from "pino";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TestRobot } from "../../../test/fixtures.ts";
import { holdLock } from "../../../test/row-locks.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import { StubClockCheck, TROUBLE } from "../../../test/stub-clock-check.ts";
import { ChangeReader } from "../live/live.repository.ts";
import { Retention } from "./retention.ts";

let server: TestApp;
let retention: Retention;
let lines: string[];
beforeEach(async () => {
  server = await createTestApp();
  // Months that other tests of this worker have needed.
  await run(sql`do $$ declare month regclass; begin
    for month in select inhrelid::regclass from pg_inherits
      where inhparent = 'readings'::regclass and inhrelid <> 'readings_default'::regclass
    loop execute format('drop table %s', month); end loop; end $$`);
  lines = [];
  retention = new Retention(server.deps);
});
afterEach(() => server.close());

const DAY_MS = 86_400_000;
const ago = (days: number) => new Date(server.clock.now().getTime() - days * DAY_MS);
const run = (statement: ReturnType<typeof sql>) => statement.execute(server.db);
/** Every day of every site before that many days ago is closed. */
async function closeDays(untilDaysAgo = 1): Promise<void> {
  await run(sql`delete from stale_days`);
  await run(sql`delete from site_days`);
  await run(sql`insert into site_days (site_id, date, began_at, ended_at)
    select id, ${ago(untilDaysAgo)}, ${ago(untilDaysAgo)}, ${ago(untilDaysAgo - 1)} from sites`);
}
async function nextRound(): Promise<void> {
  server.clock.advance(5 * 60_000);
  await retention.runOnce();
}

type Insert = (daysAgo: number, robot: TestRobot) => Promise<unknown>;
const insertReading: Insert = (days, robot) =>
  run(sql`insert into readings (robot_id, site_id, received_at, robot_ts, session, seq, status, robot_status, motion, mode,
      battery, charging) values (${robot.id}, ${robot.siteId}, ${ago(days)}, ${ago(days)}, 1, 1, 'IDLE', 'idle', 'STOPPED',
      'AUTO', 80, false)`);
const insertEvent: Insert = (days, robot) =>
  run(sql`insert into robot_events (robot_id, site_id, event_seq, session, received_at, kind, body)
    values (${robot.id}, ${robot.siteId}, ${10_000 - days}, 1, ${ago(days)}, 'RUN_BEGAN', '{}')`);
const insertPresence: Insert = (days, robot) =>
  run(sql`insert into robot_presence (robot_id, site_id, online_at, offline_at)
    values (${robot.id}, ${robot.siteId}, ${ago(days + 0.1)}, ${ago(days)})`);
const insertRun: Insert = (days, robot) =>
  run(sql`insert into runs (id, robot_id, site_id, started_by, began_at, ended_at, outcome, reason)
    values (${randomUUID()}, ${robot.id}, ${robot.siteId}, 'Anita Rao', ${ago(days + 0.1)}, ${ago(days)}, 'COMPLETED', 'STOP')`);
const insertCommand: Insert = (days, robot) =>
  run(sql`insert into commands (id, robot_id, site_id, serial_number, verb, seq, session, issued_at, expires_at, settle_by,
      requested_by, settled_at, outcome)
    values (${randomUUID()}, ${robot.id}, ${robot.siteId}, ${robot.serial}, 'STOP', ${10_000 - days}, 1, ${ago(days)},
      ${ago(days)}, ${ago(days)}, 'Anita Rao', ${ago(days)}, 'CONFIRMED')`);
const insertActivity: Insert = (days, robot) =>
  run(sql`insert into activity (created_at, site_id, robot_id, action, action_type, status, user_name, site_name, robot_name,
      serial_number, details, params)
    values (${ago(days)}, ${robot.siteId}, ${robot.id}, 'START', 'MANUAL', 'SUCCESS', ${`Person ${days}`}, 'Ownfield Park',
      'Robot 1', ${robot.serial}, ${`Said ${days} days ago`}, '{}')`);
const insertAlert: Insert = (days, robot) =>
  run(sql`insert into alerts (robot_id, site_id, source, code, severity, text, raised_at, cleared_at)
    values (${robot.id}, ${robot.siteId}, 'ROBOT', 'DUST', 'WARNING', 'Dust', ${ago(days + 1)}, ${ago(days)})`);
const insertReport: Insert = async (days, robot) => {
  const month = sql`(date '2000-01-01' + ${days} * interval '1 month')::date`;
  await run(sql`with report as (
      insert into kept_reports (site_id, month, status, bytes, created_at)
      values (${robot.siteId}, ${month}, 'READY', 3, ${ago(days)}) returning id)
    insert into kept_report_files (report_id, pdf) select id, 'pdf' from report`);
};
const insertMail: Insert = (days) =>
  run(
    sql`insert into outgoing_mails (kind, about_id, status, created_at) values ('A', ${days * 10}, 'SENT', ${ago(days)})`,
  );
/** To a contact point of its own, so that nobody else's counts. */
const insertMessage: Insert = (days) =>
  run(sql`with owner as (
      insert into contact_points (name, owner_kind, user_id, channel, address, timezone, created_at)
      values ('Phone', 'PERSON', ${server.fixtures.userIds.admin}, 'TELEGRAM', '7', 'Asia/Kolkata', ${ago(days)}) returning id)
    insert into deliveries (id, message_kind, contact_point_id, channel, contact_point_name, told, address, title, status,
      created_at, settled_at)
    select ${randomUUID()}, 'TEST', id, 'TELEGRAM', 'Phone', 'Anita Rao', '7', 'Test', 'SENT', ${ago(days)}, ${ago(days)}
    from owner`);
const insertWebhookEvent: Insert = (days) =>
  run(
    sql`insert into events (event_type, at, created_at, data) values ('robot.online', ${ago(days)}, ${ago(days)}, '{}')`,
  );
const insertSession: Insert = (days) =>
  run(sql`insert into sessions (id, user_id, created_at, expires_at, ended_at)
    values (${randomUUID()}, ${server.fixtures.userIds.admin}, ${ago(days + 1)}, ${ago(-1)}, ${ago(days)})`);

interface Kind {
  readonly insert: Insert;
  readonly table: string;
  /** The time by which a row is judged. */
  readonly time: string;
}
const kinds: Partial<Record<KeptKind, Kind>> = {
  robot_events: { insert: insertEvent, table: "robot_events", time: "received_at" },
  presence: { insert: insertPresence, table: "robot_presence", time: "offline_at" },
  runs: { insert: insertRun, table: "runs", time: "ended_at" },
  commands: { insert: insertCommand, table: "commands", time: "issued_at" },
  activity: { insert: insertActivity, table: "activity", time: "created_at" },
  alerts: { insert: insertAlert, table: "alerts", time: "cleared_at" },
  monthly_reports: { insert: insertReport, table: "kept_reports", time: "created_at" },
  mails: { insert: insertMail, table: "outgoing_mails", time: "created_at" },
  messages: { insert: insertMessage, table: "deliveries", time: "settled_at" },
  events: { insert: insertWebhookEvent, table: "events", time: "created_at" },
  sessions: { insert: insertSession, table: "sessions", time: "ended_at" },
};

/** The ages in days of what is left, the youngest first. */
async function agesIn({ table, time }: Kind): Promise<number[]> {
  const { rows } = await sql<{ at: Date }>`select ${sql.ref(time)} as at from ${sql.table(table)}
    where ${sql.ref(time)} is not null order by 1 desc`.execute(server.db);
  return rows.map(({ at }) => Math.round((server.clock.now().getTime() - at.getTime()) / DAY_MS));
}

async function heardToday(robot: TestRobot): Promise<void> {
  await run(sql`update robot_state set live_at = ${server.clock.now()} where robot_id = ${robot.id}`);
  await run(sql`delete from robot_presence`);
}

describe("retention", () => {
  test.each(Object.entries(kinds))("%s: what reaches its age is deleted, and nothing younger", async (kind, each) => {
    const days = Object.entries(defaultKeepDays).find(([name]) => name === kind)?.[1] ?? 0;
    await heardToday(server.fixtures.ownRobot);
    for (const age of [1, 34, days - 1, days + 1, days + 400]) await each.insert(age, server.fixtures.ownRobot);
    await closeDays();
    await nextRound();
    expect(await agesIn(each)).toEqual([1, 34, days - 1]);
    // The older of them reaches its age.
    server.clock.advance(2 * DAY_MS);
    await heardToday(server.fixtures.ownRobot);
    if (kind === "presence") await insertPresence(3, server.fixtures.ownRobot);
    await closeDays();
    await nextRound();
    expect((await agesIn(each)).length).toBe(kind === "presence" ? 1 : 2);
  });

  test("what is kept for good is never deleted", async () => {
    const keepDays = Object.fromEntries(Object.keys(defaultKeepDays).map((kind) => [kind, 0]));
    retention = new Retention({ ...server.deps, settings: { ...server.deps.settings, keepDays } });
    for (const each of Object.values(kinds)) await each.insert(9_000, server.fixtures.ownRobot);
    await insertReading(9_000, server.fixtures.ownRobot);
    await closeDays();
    await nextRound();
    for (const each of Object.values(kinds)) expect(await agesIn(each)).toEqual([9_000]);
    expect((await run(sql`select from readings`)).rows).toHaveLength(1);
  });

  test("what days are computed from stays until its day is closed at every site", async () => {
    const { ownRobot } = server.fixtures;
    const ages = async () => [
      await agesIn({ table: "runs", time: "ended_at", insert: insertRun }),
      (await run(sql`select from readings`)).rows.length,
    ];
    for (const age of [1_200, 1_300]) await insertRun(age, ownRobot);
    await insertRun(1, ownRobot);
    await insertReading(1_200, ownRobot);
    await nextRound();
    expect(await ages()).toEqual([[1, 1_200, 1_300], 1]);
    await closeDays(1_250);
    await nextRound();
    expect(await ages()).toEqual([[1, 1_200], 1]);
    await closeDays();
    await nextRound();
    expect(await ages()).toEqual([[1], 0]);
  });

  test("what is open stays, however old it is: runs, alerts, commands with their rows, unsent mails, the newest presence", async () => {
    const { ownRobot, ownRobot2 } = server.fixtures;
    for (const robot of [ownRobot, ownRobot2]) {
      for (const insert of [insertRun, insertAlert, insertCommand, insertPresence]) await insert(3_000, robot);
    }
    await run(sql`update runs set ended_at = null, outcome = null, reason = null where robot_id = ${ownRobot.id}`);
    await run(sql`update alerts set cleared_at = null where robot_id = ${ownRobot.id}`);
    await run(sql`update commands set settled_at = null, outcome = null where robot_id = ${ownRobot2.id}`);
    await insertActivity(3_000, ownRobot2);
    await run(sql`update activity set command_id = (select id from commands where robot_id = ${ownRobot2.id})`);
    await insertMail(3_000, ownRobot);
    await run(sql`update outgoing_mails set status = 'PENDING', due_at = now()`);
    await closeDays();
    await nextRound();
    const left = async (table: string) =>
      (
        await sql<{ robot_id: number }>`select robot_id from ${sql.table(table)} order by 1`.execute(server.db)
      ).rows.map(({ robot_id }) => robot_id);
    // The newest ended run is shown as the robot's last one; the command belongs to a robot with an open run.
    expect(await left("runs")).toEqual([ownRobot.id, ownRobot2.id]);
    expect(await left("alerts")).toEqual([ownRobot.id]);
    expect(await left("commands")).toEqual([ownRobot.id, ownRobot2.id]);
    expect(await left("activity")).toEqual([ownRobot2.id]);
    expect(await left("robot_presence")).toEqual([ownRobot.id, ownRobot2.id]);
    expect((await run(sql`select from outgoing_mails`)).rows).toHaveLength(1);
  });

  test("a command that a maintenance lock refers to stays with it, and so do events that a robot may repeat", async () => {
    const { ownRobot, ownRobot2 } = server.fixtures;
    await insertCommand(2_000, ownRobot);
    await run(sql`insert into maintenance_locks (robot_id, site_id, reason, locked_by, locked_at, former_mode, command_id,
        released_by, released_at)
      select robot_id, site_id, 'Brush', 'Anita Rao', issued_at, 'auto', id, 'Anita Rao', issued_at from commands`);
    // The one fell silent right after it, the other has been heard since.
    for (const robot of [ownRobot, ownRobot2]) await insertEvent(300, robot);
    await run(sql`update robot_state set live_at = ${ago(299.9)} where robot_id = ${ownRobot.id}`);
    await run(sql`update robot_state set live_at = ${ago(200)} where robot_id = ${ownRobot2.id}`);
    await nextRound();
    expect((await run(sql`select from commands`)).rows).toHaveLength(1);
    expect((await run(sql`select robot_id from robot_events`)).rows).toEqual([{ robot_id: ownRobot.id }]);
  });

  test("readings go by whole months once the month is old enough, and those that had no month one by one", async () => {
    const { ownRobot } = server.fixtures;
    for (const month of ["2026-01-01", "2026-02-01", "2026-03-01", "2026-06-01"])
      await run(sql`select ensure_readings_partition(${month}::date)`);
    // 15 June: 92 days ago was 15 March.
    for (const days of [1, 91, 105, 110, 150, 400, 1_000]) await insertReading(days, ownRobot);
    await closeDays();
    await nextRound();
    const { rows } = await sql<{ at: string }>`select received_at::date::text as at from readings order by 1`.execute(
      server.db,
    );
    expect(rows.map(({ at }) => at)).toEqual(["2026-03-02", "2026-03-16", "2026-06-14"]);
    const months = await sql<{
      name: string;
    }>`select relname as name from pg_class where relname ~ '^readings_2026_0[1-6]$' order by 1`.execute(server.db);
    expect(months.rows.map(({ name }) => name)).toEqual(["readings_2026_03", "readings_2026_06"]);
  });

  test("no month of readings younger than 35 days can be dropped, and nothing but a month of readings", async () => {
    const drop = (month: string) => run(sql`select drop_readings_partition(${month}::date) as rows`);
    await run(sql`create table readings_2001_01 (id integer)`);
    expect((await drop("2001-01-15")).rows).toEqual([{ rows: null }]);
    expect((await run(sql`select to_regclass('readings_2001_01') is not null as there`)).rows).toEqual([
      { there: true },
    ]);
    await run(sql`select ensure_readings_partition(now()::date)`);
    await expect(drop(new Date().toISOString().slice(0, 10))).rejects.toThrow(/too young/);
    await expect(drop(new Date(Date.now() - 34 * DAY_MS).toISOString().slice(0, 10))).rejects.toThrow(/too young/);
    await run(sql`insert into readings (robot_id, site_id, received_at, robot_ts, session, seq, status, robot_status, motion,
        mode, battery, charging)
      select 1, 1, at, at, 1, 1, 'IDLE', 'idle', 'STOPPED', 'AUTO', 80, false
      from unnest(array[now() - interval '200 days', now() + interval '200 days']) at`);
    expect((await run(sql`select delete_unpartitioned_readings('infinity', 10) as rows`)).rows).toEqual([{ rows: 1 }]);
  });

  test("of air and weather go days that reach their age, and what was superseded for 40 days", async () => {
    const { ownSiteId: site, secondSiteId: second } = server.fixtures;
    const insert = async (days: number, supersededDaysAgo: number | null) => {
      const hours = sql`array_fill(1::real, array[24])`;
      const superseded = supersededDaysAgo === null ? null : ago(supersededDaysAgo);
      // The same day of another site goes with it.
      await run(sql`insert into site_air_days (site_id, day, received_at, confirmed_at, superseded_at, source, place, pm2_5, pm10)
        select id, ${ago(days)}::date, ${ago(days)}, ${ago(days)}, ${superseded}::timestamptz, 'sample', '1 2', ${hours}, ${hours}
        from sites where id in (${site}, ${second})`);
      await run(sql`insert into site_weather_days (site_id, day, received_at, confirmed_at, superseded_at, source, archived, place,
          rain_mm, gust_kmh, temperature_c, irradiance_w_m2)
        values (${site}, ${ago(days)}::date, ${ago(days)}, ${ago(days)}, ${superseded}::timestamptz, 'sample', false, '1 2',
          ${hours}, ${hours}, ${hours}, ${hours})`);
    };
    for (const age of [1, 799, 802, 900]) await insert(age, null);
    for (const superseded of [39, 41]) await insert(500 + superseded, superseded);
    await nextRound();
    for (const table of ["site_air_days", "site_weather_days"]) {
      const { rows } = await sql<{
        age: number;
      }>`select distinct ${server.clock.now()}::date - day as age from ${sql.table(table)}
        order by 1`.execute(server.db);
      expect(rows.map(({ age }) => age)).toEqual([1, 539, 799]);
    }
    const stored = await server.db.selectFrom("retention_rounds").selectAll().executeTakeFirstOrThrow();
    expect(stored.deleted).toEqual({ weather: 9 });
  });

  test("old firmware loses its content unless it is the newest or a rollout needs it or did lately; that is on record", async () => {
    const add = async (version: string, days: number) => {
      const { rows } = await sql<{
        id: number;
      }>`insert into firmware (version, file_name, bytes, sha256, content, created_by, created_at)
        values (${version}, 'a.bin', 3, ${Buffer.alloc(32)}, 'abc', 'Anita Rao', ${ago(days)}) returning id`.execute(
        server.db,
      );
      return rows[0]?.id ?? 0;
    };
    const rollOut = (id: number, endedDaysAgo: number | null) =>
      run(sql`insert into rollouts (firmware_id, state, batch_size, failure_threshold_percent, deadline_minutes, created_by,
          created_at, ended_at)
        values (${id}, ${endedDaysAgo === null ? "RUNNING" : "DONE"}, 5, 20, 15, 'Anita Rao', ${ago(900)},
          ${endedDaysAgo === null ? null : ago(endedDaysAgo)})`);
    await add("1.0.0", 1_000);
    await rollOut(await add("1.1.0", 990), 800);
    await rollOut(await add("1.2.0", 980), 700);
    await rollOut(await add("1.3.0", 970), null);
    await add("1.4.0", 960);
    await nextRound();
    const { rows } = await sql<{
      version: string;
    }>`select version from firmware where content is not null order by 1`.execute(server.db);
    expect(rows.map(({ version }) => version)).toEqual(["1.2.0", "1.3.0", "1.4.0"]);
    const told = await server.db.selectFrom("audit").select(["actor", "action", "target_name"]).orderBy("id").execute();
    expect(told).toEqual(
      ["1.0.0", "1.1.0"].map((target_name) => ({ actor: "Suncrew", action: "DELETE_FIRMWARE", target_name })),
    );
  });

  test("search texts go with the last row of the activity log that had them", async () => {
    const { ownRobot } = server.fixtures;
    for (const days of [1, 2_000]) await insertActivity(days, ownRobot);
    const texts = async () =>
      (await sql<{ words: string }>`select words from activity_texts order by kind, words`.execute(server.db)).rows.map(
        ({ words }) => words.split("\n")[0],
      );
    expect(await texts()).toEqual([
      "said 1 days ago",
      "said 2000 days ago",
      "person 1",
      "person 2000",
      "ownfield park",
    ]);
    await nextRound();
    expect(await texts()).toEqual(["said 1 days ago", "person 1", "ownfield park"]);
  });

  test("of two servers one deletes, what it deleted is on record, and the live streams hear nothing of it", async () => {
    const { ownRobot } = server.fixtures;
    const log = pino({ level: "info" }, { write: (line) => void lines.push(line) });
    const two = [new Retention({ ...server.deps, log }), new Retention({ ...server.deps, log })];
    for (let days = 1_200; days < 1_300; days += 1) {
      await insertRun(days, ownRobot);
      await insertActivity(days, ownRobot);
      await insertAlert(days, ownRobot);
    }
    await insertRun(1, ownRobot);
    await closeDays();
    const reader = new ChangeReader(server.db);
    await reader.begin();
    // While a transaction is open elsewhere on the same PostgreSQL, it reads what was just written once more.
    await reader.next(async () => {});
    await Promise.all(two.map((each) => each.runOnce()));
    let changes = 0;
    await reader.next(async (rows) => void (changes += rows.length));
    expect(changes).toBe(0);
    expect(lines.map((line) => (JSON.parse(line) as { deleted?: object }).deleted)).toEqual([
      { runs: 100, activity: 100, alerts: 100 },
    ]);
    const stored = await server.db.selectFrom("retention_rounds").selectAll().executeTakeFirstOrThrow();
    expect(stored).toMatchObject({
      deleted_at: server.clock.now(),
      deleted: { runs: 100, activity: 100, alerts: 100 },
    });
  });

  test("a table that somebody has locked is left to a later round, and the others are not", async () => {
    const { ownRobot } = server.fixtures;
    for (const insert of [insertCommand, insertActivity]) await insert(2_000, ownRobot);
    const release = await holdLock(server.db, (tx) => sql`lock table commands in exclusive mode`.execute(tx));
    const left = async () => [
      (await run(sql`select from commands`)).rows.length,
      (await run(sql`select from activity`)).rows.length,
    ];
    await nextRound();
    await release();
    expect(await left()).toEqual([1, 0]);
    await nextRound();
    expect(await left()).toEqual([0, 0]);
  });

  test("a server that stops ends after the step in progress, and the next round deletes the rest", async () => {
    const { ownRobot } = server.fixtures;
    await run(sql`insert into outgoing_mails (kind, about_id, status, created_at)
      select 'A', n, 'SENT', ${ago(200)} from generate_series(1, 5000) n`);
    await insertCommand(2_000, ownRobot);
    await retention.start();
    const release = await holdLock(server.db, (tx) => sql`lock table retention_rounds`.execute(tx));
    server.clock.advance(5 * 60_000);
    const stopped = retention.stop();
    await release();
    await stopped;
    expect((await run(sql`select from outgoing_mails`)).rows).toHaveLength(5_000);
    retention = new Retention(server.deps);
    await nextRound();
    expect((await run(sql`select from outgoing_mails`)).rows).toHaveLength(0);
  });

  test("by a clock that is wrong nothing is deleted", async () => {
    const clocks = new StubClockCheck();
    clocks.trouble = TROUBLE;
    const wrong = new Retention({ ...server.deps, clocks });
    await insertCommand(2_000, server.fixtures.ownRobot);
    await wrong.runOnce();
    expect((await run(sql`select from commands`)).rows).toHaveLength(1);
  });
});
