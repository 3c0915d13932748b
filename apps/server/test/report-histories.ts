import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { sql } from "kysely";
import { closeDay, correctDays, openFirstDays } from "../src/features/robot-days/robot-days.repository.ts";
import type { Db } from "../src/platform/database/database.ts";
import { addRobot, addSite, setState } from "./fixtures.ts";

/** Every time in a random history is a multiple of this, so that a plain loop over it misses nothing. */
export const TICK_MS = 30_000;
const DAY = 2_880;
const HOUR = 120;

/** Rows as they are stored, with times in ticks since `baseMs`. */
export interface RawHistory {
  readonly timezone: string;
  readonly baseMs: number;
  readonly from: string;
  readonly to: string;
  readonly now: number;
  readonly robots: readonly RawRobot[];
  readonly alerts: readonly RawAlert[];
  /** True if triggered by a person. */
  readonly audit: readonly { readonly at: number; readonly byPerson: boolean }[];
  readonly activity: readonly number[];
  readonly days: RawClosing;
}

/** How the days of a history were closed while it was stored. */
export interface RawClosing {
  /** Two times up to which they were closed. */
  readonly at: readonly [number, number];
  /** What a row was when its turn came, in turn: stored before the first, after it, or before it with another end. */
  readonly lateness: readonly ("EARLY" | "LATE" | "ENDS_LATE")[];
  /** True if robots left only after the second. */
  readonly leaveLate: boolean;
  /** True if what days were computed from was deleted in the end. */
  readonly forget: boolean;
}

export interface RawRobot {
  readonly whereabouts: "here" | "left" | "deleted";
  readonly deletedAt: number;
  /** A null end has not come yet. */
  readonly online: readonly (readonly [number, number | null])[];
  readonly lastSeen: number;
  readonly locks: readonly (readonly [number, number | null])[];
  readonly readings: readonly { readonly at: number; readonly battery: number; readonly sample: boolean }[];
  readonly runs: readonly RawRun[];
}

export interface RawRun {
  readonly planned: boolean;
  readonly due: number;
  readonly minutes: number;
  readonly began: number | null;
  readonly ended: number | null;
  readonly outcome: "COMPLETED" | "STOPPED" | "CUT_SHORT" | "FAILED" | "SKIPPED" | "MISSED" | null;
}

export interface RawAlert {
  readonly robot: number | null;
  readonly severity: "INFO" | "WARNING" | "CRITICAL";
  readonly raised: number;
  readonly cleared: number | null;
}

/** Zones with and without clock changes, each with an evening some days before one. */
const places = [
  ["Asia/Kolkata", "2026-06-10"],
  ["Europe/Berlin", "2026-03-26"],
  ["Europe/Berlin", "2026-10-22"],
  ["America/Havana", "2026-10-29"],
  ["America/Havana", "2026-03-05"],
  ["Australia/Lord_Howe", "2026-04-02"],
  ["America/St_Johns", "2026-03-06"],
] as const;

const tick = fc.integer({ min: 0, max: 6 * DAY });
const clock = fc
  .tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: DAY - 1 }))
  .map(([day, part]) => ({ day, part }));

/** Consecutive periods; the last may be open. */
const stretches = (most: number) =>
  fc.tuple(fc.uniqueArray(tick, { maxLength: most }), fc.boolean()).map(([ticks, lasts]) => {
    const sorted = ticks.toSorted((one, other) => one - other);
    if (!lasts && sorted.length % 2 === 1) sorted.pop();
    return sorted.flatMap((from, nth) => (nth % 2 === 0 ? [[from, sorted[nth + 1] ?? null] as const] : []));
  });

const run: fc.Arbitrary<RawRun> = fc
  .record({
    planned: fc.boolean(),
    due: tick,
    minutes: fc.integer({ min: 1, max: 480 }),
    late: fc.integer({ min: 0, max: 20 }),
    lasted: fc.integer({ min: 0, max: 9 * HOUR }),
    outcome: fc.constantFrom("COMPLETED", "STOPPED", "CUT_SHORT", "FAILED", "SKIPPED", "MISSED", null),
  })
  .map(({ planned, due, minutes, late, lasted, outcome }) => {
    const moved = outcome === null || outcome === "COMPLETED" || outcome === "STOPPED" || outcome === "CUT_SHORT";
    const began = moved || !planned ? due + late : null;
    return { planned, due, minutes, began, ended: outcome === null ? null : (began ?? due) + lasted, outcome };
  });

const robot: fc.Arbitrary<RawRobot> = fc
  .record({
    whereabouts: fc.constantFrom("here", "here", "here", "left", "deleted"),
    deletedAt: tick,
    online: stretches(9),
    seenFor: fc.integer({ min: 0, max: 2 * DAY }),
    locks: stretches(5),
    readings: fc.array(
      fc.record({
        at: tick,
        told: fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 0, max: 100 })), {
          minLength: 1,
          maxLength: 6,
        }),
        sample: fc.boolean(),
      }),
      { maxLength: 8 },
    ),
    runs: fc.array(run, { maxLength: 10 }),
  })
  .map(({ seenFor, readings, runs, online, ...rest }) => {
    const told = new Map<number, RawRobot["readings"][number]>();
    for (const { at: first, told: steps, sample } of readings) {
      let at = first;
      for (const [step, battery] of steps) told.set((at += step), { at, battery, sample });
    }
    const open = online.find(([, to]) => to === null);
    return {
      ...rest,
      online,
      lastSeen: (open?.[0] ?? 0) + seenFor,
      readings: [...told.values()],
      runs: inTurn(runs),
    };
  });

/** A robot makes one motion at a time, and has one run for each due time. */
function inTurn(runs: readonly RawRun[]): RawRun[] {
  const due = new Set<number>();
  let stoodAt = -Infinity;
  const kept: RawRun[] = [];
  for (const run of runs.toSorted((one, other) => one.due - other.due)) {
    if (due.has(run.due) || (run.began !== null && run.began < stoodAt)) continue;
    due.add(run.due);
    if (run.began !== null) stoodAt = run.ended ?? Infinity;
    kept.push(run);
  }
  return kept;
}

export const rawHistory: fc.Arbitrary<RawHistory> = fc
  .record({
    place: fc.constantFrom(...places),
    ends: fc.tuple(clock, clock),
    wholeDays: fc.boolean(),
    days: fc.record({
      at: fc.tuple(fc.integer({ min: 0, max: 8 * DAY }), fc.integer({ min: 0, max: 8 * DAY })),
      lateness: fc.array(fc.constantFrom("EARLY", "LATE", "ENDS_LATE"), { minLength: 1, maxLength: 30 }),
      leaveLate: fc.boolean(),
      forget: fc.boolean(),
    }),
    now: fc.integer({ min: 2 * DAY, max: 8 * DAY }),
    robots: fc.array(robot, { minLength: 1, maxLength: 3 }),
    alerts: fc.array(
      fc.record({
        robot: fc.option(fc.nat(2)),
        severity: fc.constantFrom("INFO", "WARNING", "CRITICAL"),
        raised: tick,
        lasted: fc.option(fc.nat(3 * DAY)),
      }),
      { maxLength: 12 },
    ),
    audit: fc.array(fc.record({ at: tick, byPerson: fc.boolean() }), { maxLength: 12 }),
    activity: fc.array(tick, { maxLength: 12 }),
  })
  .map(({ place: [timezone, date], ends: [one, other], wholeDays, now, robots, alerts, days, ...rest }) => {
    const baseMs = Date.parse(`${date}T00:00:00Z`);
    const [from, to] = [one, other]
      .map(({ day, part }) => day * DAY + part)
      .toSorted((a, b) => a - b)
      .map((at) => new Date(baseMs + at * TICK_MS).toISOString().slice(0, 19).replace("T", " "));
    const [earlier = 0, later = 0] = days.at.map((at) => Math.min(at, now)).toSorted((a, b) => a - b);
    return {
      timezone,
      baseMs,
      from: wholeDays ? `${(from ?? "").slice(0, 10)} 00:00:00` : (from ?? ""),
      // The last second of its tick.
      to: wholeDays ? `${(to ?? "").slice(0, 10)} 23:59:59` : (to ?? "").replace(/:00$/, ":29").replace(/:30$/, ":59"),
      now,
      // Of a part of a day, whatever is forgotten is missed.
      days: { ...days, at: [earlier, later], forget: days.forget && wholeDays },
      // Nothing is recorded that has not happened.
      robots: robots.map((each) => until(each, now)),
      alerts: alerts
        .filter(({ raised }) => raised <= now)
        .map(({ lasted, ...alert }) => {
          const cleared = lasted === null ? null : alert.raised + lasted;
          return { ...alert, cleared: cleared === null || cleared > now ? null : cleared };
        }),
      audit: rest.audit.filter(({ at }) => at <= now),
      activity: rest.activity.filter((at) => at <= now),
    };
  });

function until(robot: RawRobot, now: number): RawRobot {
  const past = (spans: RawRobot["online"]) =>
    spans.filter(([from]) => from <= now).map(([from, to]) => [from, to === null || to > now ? null : to] as const);
  const online = past(robot.online);
  // A robot that was never at the site reported nothing there.
  const isStranger = robot.whereabouts === "left" && online.length === 0;
  return {
    ...robot,
    online,
    locks: past(robot.locks),
    lastSeen: Math.min(robot.lastSeen, now),
    deletedAt: Math.min(robot.deletedAt, now),
    readings: isStranger ? [] : robot.readings.filter(({ at }) => at <= now),
    runs: robot.runs
      .filter(({ due, began }) => Math.max(due, began ?? 0) <= now)
      .filter(({ ended }) => ended === null || ended <= now),
  };
}

let count = 0;

/** Stores a history at a new site, closing its days in between; returns the site's id. */
export async function storeHistory(db: Db, history: RawHistory, elsewhereId: number, userId: number): Promise<number> {
  const at = (ticks: number) => new Date(history.baseMs + ticks * TICK_MS);
  const orNull = (ticks: number | null) => (ticks === null ? null : at(ticks));
  count += 1;
  const siteId = await addSite(db, `History ${count}`, null);
  await db.updateTable("sites").set({ timezone: history.timezone }).where("id", "=", siteId).execute();
  const { lateness } = history.days;
  let turn = 0;
  /** What is left for after the first closing. */
  const late: (() => Promise<unknown>)[] = [];
  /** Stores a row now, later, or now with this end and later with its own. */
  const store = async <T extends object>(
    insert: (row: T) => Promise<unknown>,
    end: (row: T) => Promise<unknown>,
    row: T,
    otherEnd: Partial<T>,
  ) => {
    const when = lateness[turn++ % lateness.length] ?? "EARLY";
    if (when === "LATE") late.push(() => insert(row));
    else await insert(when === "EARLY" ? row : { ...row, ...otherEnd });
    if (when === "ENDS_LATE") late.push(() => end(row));
  };
  const ids: number[] = [];
  const leave: (() => Promise<unknown>)[] = [];
  for (const [nth, robot] of history.robots.entries()) {
    const { id } = await addRobot(db, siteId, `HIST-${count}-${nth}`);
    ids.push(id);
    const of = { robot_id: id, site_id: siteId };
    await setState(db, id, { live_at: at(robot.lastSeen) });
    for (const [from, to] of robot.online) {
      const row = { ...of, online_at: at(from), offline_at: orNull(to) };
      await store(
        (values) => db.insertInto("robot_presence").values(values).execute(),
        ({ offline_at }) =>
          db
            .updateTable("robot_presence")
            .set({ offline_at })
            .where("robot_id", "=", id)
            .where("online_at", "=", at(from))
            .execute(),
        row,
        { offline_at: at(from) },
      );
    }
    for (const [from, to] of robot.locks) {
      const by = to === null ? null : "Anita Rao";
      const lock = {
        ...of,
        reason: "Brush worn",
        locked_by: "Anita Rao",
        locked_at: at(from),
        former_mode: "auto" as const,
      };
      await store(
        (values) => db.insertInto("maintenance_locks").values(values).execute(),
        ({ released_at, released_by }) =>
          db
            .updateTable("maintenance_locks")
            .set({ released_at, released_by })
            .where("robot_id", "=", id)
            .where("locked_at", "=", at(from))
            .execute(),
        { ...lock, released_at: orNull(to), released_by: by },
        { released_at: at(from), released_by: "Anita Rao" },
      );
    }
    const readings = robot.readings.map(({ at: when, battery, sample }, seq) => ({
      ...of,
      received_at: at(when),
      robot_ts: at(when),
      session: 1,
      seq,
      status: "stop",
      robot_status: "idle" as const,
      motion: "STOPPED" as const,
      mode: "AUTO" as const,
      battery,
      charging: false,
      sample,
    }));
    if (readings.length > 0) await db.insertInto("readings").values(readings).execute();
    for (const run of robot.runs) {
      const runId = randomUUID();
      await store(
        (values) => db.insertInto("runs").values(values).execute(),
        ({ ended_at, outcome, reason }) =>
          db.updateTable("runs").set({ ended_at, outcome, reason }).where("id", "=", runId).execute(),
        {
          id: runId,
          ...of,
          planned: run.planned,
          started_by: "Scheduler",
          schedule_id: run.planned ? 1_000_000 + id : null,
          due_at: run.planned ? at(run.due) : null,
          stop_due_at: run.planned ? at(run.due + run.minutes * 2) : null,
          began_at: orNull(run.began),
          ended_at: orNull(run.ended),
          outcome: run.outcome,
          reason: run.outcome === null ? null : "Not known.",
        },
        { ended_at: at(run.began ?? run.due), outcome: "FAILED", reason: "Not known." },
      );
    }
    if (robot.whereabouts === "left")
      leave.push(() => db.updateTable("robots").set({ site_id: elsewhereId }).where("id", "=", id).execute());
    if (robot.whereabouts === "deleted") {
      const deleted = { deleted_at: at(robot.deletedAt) };
      leave.push(() => db.updateTable("robots").set(deleted).where("id", "=", id).execute());
    }
  }
  const [robotId = 0] = ids;
  for (const [nth, { robot, severity, raised, cleared }] of history.alerts.entries()) {
    await store(
      (values) => db.insertInto("alerts").values(values).execute(),
      ({ code, cleared_at }) =>
        db.updateTable("alerts").set({ cleared_at }).where("site_id", "=", siteId).where("code", "=", code).execute(),
      {
        robot_id: ids[robot ?? 0] ?? robotId,
        site_id: siteId,
        source: "SERVER" as const,
        code: `CODE_${nth}`,
        severity,
        text: "Something.",
        raised_at: at(raised),
        cleared_at: orNull(cleared),
      },
      { cleared_at: at(raised) },
    );
  }
  const audit = history.audit.map(({ at: when, byPerson }) => ({
    at: at(when),
    user_id: byPerson ? userId : null,
    actor: byPerson ? "Anita Rao" : "Scheduler",
    action: "TEST",
    entity: "robot",
    site_id: siteId,
    outcome: "DONE" as const,
  }));
  if (audit.length > 0) await db.insertInto("audit").values(audit).execute();
  const activity = history.activity.map((when) => ({
    created_at: at(when),
    site_id: siteId,
    robot_id: robotId,
    action: "START" as const,
    action_type: "MANUAL" as const,
    status: "SUCCESS" as const,
    user_name: "Anita Rao",
    site_name: "History",
    robot_name: "HIST",
    serial_number: "HIST",
    details: "",
    params: JSON.stringify({}),
  }));
  if (activity.length > 0) await db.insertInto("activity").values(activity).execute();

  const [first, second] = history.days.at;
  if (!history.days.leaveLate) for (const each of leave) await each();
  await closeDays(db, siteId, at(first));
  for (const each of late) await each();
  await closeDays(db, siteId, at(second));
  if (history.days.leaveLate) for (const each of leave) await each();
  await closeDays(db, siteId, at(second));
  if (history.days.forget) await forgetSources(db, siteId);
  return siteId;
}

/** Closes every day of a site that is over, and corrects those that have changed. */
export async function closeDays(db: Db, siteId: number, now: Date): Promise<void> {
  await openFirstDays(db);
  while (await correctDays(db, siteId, now));
  while (await closeDay(db, siteId, now, () => true));
}

/** Deletes what the days of a site were computed from, as far as all is closed. */
export async function forgetSources(db: Db, siteId: number): Promise<void> {
  const last = await db
    .selectFrom("site_days")
    .where("site_id", "=", siteId)
    .where("closed_at", "is not", null)
    .select((eb) => [eb.fn.min("began_at").as("since"), eb.fn.max("began_at").as("before")])
    .executeTakeFirst();
  // Random readings may be from before anything else is on record.
  const since = last?.since ?? null;
  const before = last?.before ?? null;
  if (since === null || before === null) return;
  await db
    .deleteFrom("readings")
    .where("site_id", "=", siteId)
    .where("received_at", ">=", since)
    .where("received_at", "<", before)
    .execute();
  await sql`
    delete from robot_presence p where site_id = ${siteId} and offline_at < ${before} and exists (
      select from robot_presence n where n.robot_id = p.robot_id and n.site_id = p.site_id and n.online_at > p.online_at)`.execute(
    db,
  );
}
