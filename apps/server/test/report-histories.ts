import { randomUUID } from "node:crypto";
import fc from "fast-check";
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
  .map(({ place: [timezone, date], ends: [one, other], now, robots, alerts, ...rest }) => {
    const baseMs = Date.parse(`${date}T00:00:00Z`);
    const [from, to] = [one, other]
      .map(({ day, part }) => day * DAY + part)
      .toSorted((a, b) => a - b)
      .map((at) => new Date(baseMs + at * TICK_MS).toISOString().slice(0, 19).replace("T", " "));
    return {
      timezone,
      baseMs,
      from: from ?? "",
      // The last second of its tick.
      to: (to ?? "").replace(/:00$/, ":29").replace(/:30$/, ":59"),
      now,
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

/** Stores a history at a new site; returns the site's id. */
export async function storeHistory(db: Db, history: RawHistory, elsewhereId: number, userId: number): Promise<number> {
  const at = (ticks: number) => new Date(history.baseMs + ticks * TICK_MS);
  const orNull = (ticks: number | null) => (ticks === null ? null : at(ticks));
  count += 1;
  const siteId = await addSite(db, `History ${count}`, null);
  await db.updateTable("sites").set({ timezone: history.timezone }).where("id", "=", siteId).execute();
  const ids: number[] = [];
  for (const [nth, robot] of history.robots.entries()) {
    const { id } = await addRobot(db, siteId, `HIST-${count}-${nth}`);
    ids.push(id);
    const of = { robot_id: id, site_id: siteId };
    await setState(db, id, { live_at: at(robot.lastSeen) });
    const presence = robot.online.map(([from, to]) => ({ ...of, online_at: at(from), offline_at: orNull(to) }));
    if (presence.length > 0) await db.insertInto("robot_presence").values(presence).execute();
    const locks = robot.locks.map(([from, to]) => ({
      ...of,
      reason: "Brush worn",
      locked_by: "Anita Rao",
      locked_at: at(from),
      former_mode: "auto" as const,
      released_at: orNull(to),
      released_by: to === null ? null : "Anita Rao",
    }));
    if (locks.length > 0) await db.insertInto("maintenance_locks").values(locks).execute();
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
    const runs = robot.runs.map((run) => ({
      id: randomUUID(),
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
    }));
    if (runs.length > 0) await db.insertInto("runs").values(runs).execute();
    if (robot.whereabouts === "left")
      await db.updateTable("robots").set({ site_id: elsewhereId }).where("id", "=", id).execute();
    if (robot.whereabouts === "deleted")
      await db
        .updateTable("robots")
        .set({ deleted_at: at(robot.deletedAt) })
        .where("id", "=", id)
        .execute();
  }
  const [robotId = 0] = ids;
  const alerts = history.alerts.map(({ robot, severity, raised, cleared }, nth) => ({
    robot_id: ids[robot ?? 0] ?? robotId,
    site_id: siteId,
    source: "SERVER" as const,
    code: `CODE_${nth}`,
    severity,
    text: "Something.",
    raised_at: at(raised),
    cleared_at: orNull(cleared),
  }));
  if (alerts.length > 0) await db.insertInto("alerts").values(alerts).execute();
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
  return siteId;
}
