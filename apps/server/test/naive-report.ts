import { type RawHistory, type RawRobot, type RawRun, TICK_MS } from "./report-histories.ts";

const MINUTES_OF_TICK = 0.5;
const OUTCOMES = ["COMPLETED", "STOPPED", "CUT_SHORT", "FAILED", "SKIPPED", "MISSED", "RUNNING"] as const;
/** When the robots of the fixtures were installed. */
const INSTALLED = "2024-02-29";

type Counts = Record<(typeof OUTCOMES)[number], number>;
const none = (): Counts => ({ COMPLETED: 0, STOPPED: 0, CUT_SHORT: 0, FAILED: 0, SKIPPED: 0, MISSED: 0, RUNNING: 0 });

interface Sums {
  cleaned: number;
  reachable: number;
  counted: number;
  battery: number;
  batteryTicks: number;
}
const nothing = (): Sums => ({ cleaned: 0, reachable: 0, counted: 0, battery: 0, batteryTicks: 0 });

/**
 * The figures of a report by a plain loop over its half minutes, which looks at every raw row each time. It shares
 * nothing with the server: the calendar is the runtime's.
 */
export function naiveReport(history: RawHistory, intervalDays: number) {
  const shown = clockOf(history.timezone);
  const atMs = (tick: number) => history.baseMs + tick * TICK_MS;
  /** The first tick at which the clocks show so much or more. */
  const firstShowing = (text: string) => {
    for (let tick = -6_000; ; tick += 1) if (shown(atMs(tick)) >= text) return tick;
  };
  const from = firstShowing(history.from);
  const to = firstShowing(secondLater(history.to));
  const until = Math.min(to, history.now);
  const inRange = (tick: number | null): boolean => tick !== null && tick >= from && tick < until;
  const dates = new Map<string, Sums & { outcomes: Counts }>();
  for (let tick = from; tick < to; tick += 1)
    dates.set(shown(atMs(tick)).slice(0, 10), { ...nothing(), outcomes: none() });
  const dayOf = (tick: number) => dates.get(shown(atMs(tick)).slice(0, 10));

  const robots = history.robots.map((robot) => ({ robot, sums: nothing(), known: knownOf(robot) }));
  for (let tick = from; tick < until; tick += 1) {
    const day = dayOf(tick);
    if (day === undefined) throw new Error("A tick has no day.");
    for (const { robot, sums, known } of robots) {
      for (const into of [sums, day]) look(robot, known, tick, into, history.now);
    }
  }

  const outcomes = none();
  const rows = robots.map(({ robot, sums }, nth) => {
    const planned = none();
    let byHand = 0;
    let plannedTicks = 0;
    let cleanedOfPlanned = 0;
    for (const run of robot.runs) {
      const at = run.planned ? run.due : run.began;
      if (!inRange(at) || at === null) continue;
      const outcome = run.outcome ?? "RUNNING";
      outcomes[outcome] += 1;
      const day = dayOf(at);
      if (day !== undefined) day.outcomes[outcome] += 1;
      if (!run.planned) {
        byHand += 1;
        continue;
      }
      planned[outcome] += 1;
      for (let tick = run.due; tick < run.due + run.minutes * 2; tick += 1) if (inRange(tick)) plannedTicks += 1;
      for (let tick = from; tick < until; tick += 1) if (moves(run, tick)) cleanedOfPlanned += 1;
    }
    const total = OUTCOMES.reduce((sum, outcome) => sum + planned[outcome], 0);
    const errors = history.alerts.filter(
      (alert) => robotOf(history, alert.robot) === nth && alert.severity === "CRITICAL" && inRange(alert.raised),
    ).length;
    const released = robot.locks.flatMap(([, end]) => (end === null ? [] : [shown(atMs(end)).slice(0, 10)]));
    const isHere = robot.whereabouts === "here";
    return {
      ran: total > 0 || byHand > 0 || sums.cleaned > 0,
      isHere,
      released,
      plannedTicks,
      cleanedOfPlanned,
      row: {
        name: String(nth),
        serialNumber: String(nth),
        planned: total,
        running: planned.RUNNING,
        done: planned.COMPLETED,
        stopped: planned.STOPPED,
        cutShort: planned.CUT_SHORT,
        failed: planned.FAILED,
        skipped: planned.SKIPPED,
        missed: planned.MISSED,
        byHand,
        minutesPlanned: plannedTicks * MINUTES_OF_TICK,
        minutesCleaned: sums.cleaned * MINUTES_OF_TICK,
        efficiencyPercent: share(cleanedOfPlanned * 100, plannedTicks),
        uptimePercent: share(sums.reachable * 100, sums.counted),
        averageBattery: share(sums.battery, sums.batteryTicks),
        due: isHere ? daysLater([INSTALLED, ...released].toSorted().at(-1) ?? "", intervalDays) : null,
        errors: isHere ? errors : null,
      },
    };
  });
  const sum = (of: (row: (typeof rows)[number]) => number) => rows.reduce((total, row) => total + of(row), 0);
  const all = robots.reduce((total, { sums }) => addSums(total, sums), nothing());
  const cleared = history.alerts.filter((alert) => inRange(alert.cleared));
  const clearedTicks = cleared.reduce((total, { raised, cleared: end }) => total + (end ?? raised) - raised, 0);
  const critical = history.alerts.filter((alert) => alert.severity === "CRITICAL" && inRange(alert.raised)).length;
  const locks = history.robots.flatMap((robot) => robot.locks);
  const set = locks.filter(([begin]) => inRange(begin)).length;
  const released = locks.filter(([, end]) => inRange(end)).length;
  return {
    range: [new Date(atMs(from)).toISOString(), new Date(atMs(to)).toISOString()],
    figures: {
      uptime: share(all.reachable * 100, all.counted),
      cleaning_cycles: outcomes.COMPLETED,
      minutes_cleaned: all.cleaned * MINUTES_OF_TICK,
      minutes_planned: sum((row) => row.plannedTicks) * MINUTES_OF_TICK,
      efficiency: share(
        sum((row) => row.cleanedOfPlanned) * 100,
        sum((row) => row.plannedTicks),
      ),
      average_battery: share(all.battery, all.batteryTicks),
      maintenance_activities: set + released,
      system_changes: history.audit.filter(({ at, byPerson }) => !byPerson && inRange(at)).length,
      user_actions: history.audit.filter(({ at, byPerson }) => byPerson && inRange(at)).length,
      error_count: critical,
      scheduled_maintenance: sum((row) => (row.isHere ? dueDays(row.released, intervalDays, [...dates.keys()]) : 0)),
      completed_maintenance: released,
      critical_alerts: critical,
      resolved_alerts: cleared.length,
      average_resolution_time: share(clearedTicks * MINUTES_OF_TICK, cleared.length),
    },
    outcomes,
    days: [...dates].map(([date, day]) => ({
      date,
      minutesCleaned: day.cleaned * MINUTES_OF_TICK,
      uptimePercent: share(day.reachable * 100, day.counted),
      averageBattery: share(day.battery, day.batteryTicks),
      outcomes: day.outcomes,
    })),
    robots: rows.filter(({ isHere, ran }) => isHere || ran).map(({ row }) => row),
    notDone: outcomes.STOPPED + outcomes.CUT_SHORT + outcomes.FAILED + outcomes.SKIPPED + outcomes.MISSED,
    locks: locks.filter(([begin, end]) => begin < until && (end === null || end >= from)).length,
    alerts: history.alerts.filter((alert) => inRange(alert.raised) || inRange(alert.cleared)).length,
    activity: history.activity.filter((at) => at >= from && at < to).length,
  };
}

/** One half minute of one robot. */
function look(robot: RawRobot, known: readonly [number, number], tick: number, into: Sums, now: number): void {
  if (robot.runs.some((run) => moves(run, tick))) into.cleaned += 1;
  const isLocked = robot.locks.some(([begin, end]) => tick >= begin && tick < (end ?? now));
  if (tick >= known[0] && tick < known[1] && !isLocked) {
    into.counted += 1;
    // Three ticks after the last sign of life it is offline.
    if (robot.online.some(([begin, end]) => tick >= begin && tick < (end ?? robot.lastSeen + 3))) into.reachable += 1;
  }
  const last = robot.readings.filter(({ at }) => at <= tick).toSorted((one, other) => other.at - one.at)[0];
  if (last === undefined || tick >= last.at + (last.sample ? 120 : 3)) return;
  into.battery += last.battery;
  into.batteryTicks += 1;
}

/** From its first connection until it left. */
function knownOf(robot: RawRobot): [number, number] {
  const first = robot.online[0]?.[0] ?? Infinity;
  const lastEnd = robot.online.at(-1)?.[1] ?? null;
  if (robot.whereabouts === "deleted") return [first, robot.deletedAt];
  return [first, robot.whereabouts === "left" && lastEnd !== null ? lastEnd : Infinity];
}

function moves({ began, ended }: RawRun, tick: number): boolean {
  return began !== null && tick >= began && (ended === null || tick < ended);
}

function robotOf(history: RawHistory, robot: number | null): number {
  return robot !== null && robot < history.robots.length ? robot : 0;
}

function addSums(one: Sums, other: Sums): Sums {
  return {
    cleaned: one.cleaned + other.cleaned,
    reachable: one.reachable + other.reachable,
    counted: one.counted + other.counted,
    battery: one.battery + other.battery,
    batteryTicks: one.batteryTicks + other.batteryTicks,
  };
}

/** How many of these days maintenance came due: so long after it was done last, and not done again before. */
function dueDays(released: readonly string[], intervalDays: number, dates: readonly string[]): number {
  const done = [INSTALLED, ...released];
  return dates.filter((date) => {
    const before = done
      .filter((day) => day < date)
      .toSorted()
      .at(-1);
    return before !== undefined && daysLater(before, intervalDays) === date;
  }).length;
}

function share(part: number, whole: number): number | null {
  return whole > 0 ? part / whole : null;
}

function daysLater(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

function secondLater(text: string): string {
  return new Date(Date.parse(`${text.replace(" ", "T")}Z`) + 1_000).toISOString().slice(0, 19).replace("T", " ");
}

/** What the clocks of a zone show, `YYYY-MM-DD HH:MM:SS`. */
function clockOf(timezone: string): (atMs: number) => string {
  const fields = { year: "numeric", month: "2-digit", day: "2-digit" } as const;
  const times = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const;
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone: timezone, ...fields, ...times });
  const known = new Map<number, string>();
  return (ms) => {
    const text = known.get(ms) ?? format.format(ms);
    known.set(ms, text);
    return text;
  };
}
