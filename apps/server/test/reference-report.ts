import { type RawHistory, type RawRobot, type RawRun, TICK_MS } from "./report-histories.ts";

const MINUTES_OF_TICK = 0.5;
const OUTCOMES = ["COMPLETED", "STOPPED", "CUT_SHORT", "FAILED", "SKIPPED", "MISSED", "RUNNING"] as const;
/** When the fixture robots were installed. */
const INSTALLED = "2024-02-29";

type Counts = Record<(typeof OUTCOMES)[number], number>;
const none = (): Counts => ({ COMPLETED: 0, STOPPED: 0, CUT_SHORT: 0, FAILED: 0, SKIPPED: 0, MISSED: 0, RUNNING: 0 });

const noTime = () => ({ cleaned: 0, planned: 0, asPlanned: 0, outsidePlan: 0, byHand: 0, critical: 0 });

interface Sums {
  cleaned: number;
  planned: number;
  asPlanned: number;
  outsidePlan: number;
  byHand: number;
  critical: number;
  reachable: number;
  counted: number;
  battery: number;
  batteryTicks: number;
}
const nothing = (): Sums => ({ ...noTime(), reachable: 0, counted: 0, battery: 0, batteryTicks: 0 });

/**
 * The figures of a report by a plain loop over its half minutes, which looks at every raw row each time. It shares
 * nothing with the server: the calendar is the runtime's.
 */
export function referenceReport(history: RawHistory, intervalDays: number) {
  const shown = clockOf(history.timezone);
  const atMs = (tick: number) => history.baseMs + tick * TICK_MS;
  /** The first tick at or after this time. */
  const firstShowing = (text: string) => {
    for (let tick = -6_000; ; tick += 1) if (shown(atMs(tick)) >= text) return tick;
  };
  const from = firstShowing(history.from);
  const to = firstShowing(secondLater(history.to));
  const until = Math.min(to, history.now);
  const inRange = (tick: number | null): boolean => tick !== null && tick >= from && tick < until;
  const dates = new Map<string, Sums & { outcomes: Counts; plannedRuns: Counts }>();
  for (let tick = from; tick < to; tick += 1)
    dates.set(shown(atMs(tick)).slice(0, 10), { ...nothing(), outcomes: none(), plannedRuns: none() });
  /** With anything known of any robot. */
  const dataDates = new Set<string>();
  const dayOf = (tick: number) => dates.get(shown(atMs(tick)).slice(0, 10));

  const robots = history.robots.map((robot) => ({
    robot,
    sums: nothing(),
    known: knownOf(robot),
    uptimeDates: new Set<string>(),
    batteryDates: new Set<string>(),
  }));
  for (let tick = from; tick < until; tick += 1) {
    const day = dayOf(tick);
    if (day === undefined) throw new Error("A tick has no day.");
    for (const [nth, { robot, sums, known, uptimeDates, batteryDates }] of robots.entries()) {
      for (const into of [sums, day]) look(robot, known, tick, into, history.now);
      const ofTick = nothing();
      look(robot, known, tick, ofTick, history.now);
      const date = shown(atMs(tick)).slice(0, 10);
      if (Object.values(ofTick).some((value) => value > 0)) dataDates.add(date);
      if (ofTick.counted > 0) uptimeDates.add(date);
      if (ofTick.batteryTicks > 0) batteryDates.add(date);
      const isCritical = history.alerts.some(
        ({ robot: of, severity, raised, cleared }) =>
          robotOf(history, of) === nth && severity === "CRITICAL" && raised <= tick && (cleared ?? until) > tick,
      );
      if (!isCritical) continue;
      sums.critical += 1;
      dataDates.add(date);
    }
  }

  const outcomes = none();
  const rows = robots.map(({ robot, sums, uptimeDates, batteryDates }, nth) => {
    const planned = none();
    let byHand = 0;
    for (const run of robot.runs) {
      const at = run.planned ? run.due : run.began;
      if (!inRange(at) || at === null) continue;
      const outcome = run.outcome ?? "RUNNING";
      outcomes[outcome] += 1;
      const day = dayOf(at);
      if (day !== undefined) day.outcomes[outcome] += 1;
      if (day !== undefined && run.planned) day.plannedRuns[outcome] += 1;
      dataDates.add(shown(atMs(at)).slice(0, 10));
      if (!run.planned) {
        byHand += 1;
        continue;
      }
      planned[outcome] += 1;
    }
    const total = OUTCOMES.reduce((sum, outcome) => sum + planned[outcome], 0);
    const errors = history.alerts.filter(
      (alert) => robotOf(history, alert.robot) === nth && alert.severity === "CRITICAL" && inRange(alert.raised),
    ).length;
    const released = robot.locks.flatMap(([, end]) => (end === null ? [] : [shown(atMs(end)).slice(0, 10)]));
    const isHere = robot.whereabouts === "here";
    const ran = total > 0 || byHand > 0 || sums.cleaned > 0 || sums.planned > 0;
    const minutes = {
      minutesPlanned: whole(sums.planned),
      minutesAsPlanned: whole(sums.asPlanned),
      minutesOutsidePlan: whole(sums.outsidePlan),
      minutesByHand: whole(sums.byHand),
      minutesCleaned: whole(sums.asPlanned) + whole(sums.outsidePlan) + whole(sums.byHand),
      minutesReachable: whole(sums.reachable),
      minutesKnown: whole(sums.counted),
      minutesCritical: whole(sums.critical),
    };
    return {
      hasFigures: ran || sums.counted > 0 || sums.batteryTicks > 0 || sums.critical > 0,
      isHere,
      released,
      uptimeDates,
      batteryDates,
      row: {
        ...minutes,
        planned,
        byHand,
        efficiencyPercent: share(minutes.minutesAsPlanned * 100, minutes.minutesPlanned),
        uptimePercent: share(minutes.minutesReachable * 100, minutes.minutesKnown),
        uptimeDays: uptimeDates.size,
        batteryDays: batteryDates.size,
        averageBattery: share(sums.battery, sums.batteryTicks),
        due: isHere ? daysLater([INSTALLED, ...released].toSorted().at(-1) ?? "", intervalDays) : null,
        errors: isHere ? errors : null,
      },
    };
  });
  const sum = (of: (row: (typeof rows)[number]) => number) => rows.reduce((total, row) => total + of(row), 0);
  const all = (
    name: "Planned" | "AsPlanned" | "OutsidePlan" | "ByHand" | "Cleaned" | "Reachable" | "Known" | "Critical",
  ) => sum(({ row }) => row[`minutes${name}`]);
  const datesOf = (name: "uptimeDates" | "batteryDates") => new Set(rows.flatMap((row) => [...row[name]])).size;
  const today = shown(atMs(history.now)).slice(0, 10);
  const batteryTicks = robots.reduce((total, { sums }) => total + sums.batteryTicks, 0);
  const battery = robots.reduce((total, { sums }) => total + sums.battery, 0);
  const cleared = history.alerts.filter((alert) => inRange(alert.cleared));
  const clearedTicks = cleared.reduce((total, { raised, cleared: end }) => total + (end ?? raised) - raised, 0);
  const critical = history.alerts.filter((alert) => alert.severity === "CRITICAL" && inRange(alert.raised)).length;
  const locks = history.robots.flatMap((robot) => robot.locks);
  const plannedRuns = (outcome: keyof Counts) => sum(({ row }) => row.planned[outcome]);
  const allPlanned = OUTCOMES.reduce((total, outcome) => total + plannedRuns(outcome), 0);
  const set = locks.filter(([begin]) => inRange(begin)).length;
  const released = locks.filter(([, end]) => inRange(end)).length;
  return {
    range: [new Date(atMs(from)).toISOString(), new Date(atMs(to)).toISOString()],
    figures: {
      data_days: dataDates.size,
      done_share: share(plannedRuns("COMPLETED") * 100, allPlanned - plannedRuns("RUNNING")),
      planned_runs: allPlanned,
      planned_runs_done: plannedRuns("COMPLETED"),
      planned_runs_running: plannedRuns("RUNNING"),
      uptime: share(all("Reachable") * 100, all("Known")),
      minutes_reachable: all("Reachable"),
      minutes_known: all("Known"),
      uptime_days: datesOf("uptimeDates"),
      critical_minutes: all("Critical"),
      cleaning_cycles: outcomes.COMPLETED,
      minutes_cleaned: all("Cleaned"),
      minutes_as_planned: all("AsPlanned"),
      minutes_outside_plan: all("OutsidePlan"),
      minutes_by_hand: all("ByHand"),
      minutes_planned: all("Planned"),
      efficiency: share(all("AsPlanned") * 100, all("Planned")),
      average_battery: share(battery, batteryTicks),
      battery_days: datesOf("batteryDates"),
      maintenance_activities: set + released,
      system_changes: history.audit.filter(({ at, byPerson }) => !byPerson && inRange(at)).length,
      user_actions: history.audit.filter(({ at, byPerson }) => byPerson && inRange(at)).length,
      error_count: critical,
      scheduled_maintenance: sum((row) => (row.isHere ? dueDays(row.released, intervalDays, [...dates.keys()]) : 0)),
      overdue_maintenance: sum(({ row }) => (row.due !== null && row.due < today ? 1 : 0)),
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
      planned: day.plannedRuns,
    })),
    robots: rows.filter(({ isHere, hasFigures }) => isHere || hasFigures).map(({ row }) => row),
    notDone: outcomes.STOPPED + outcomes.CUT_SHORT + outcomes.FAILED + outcomes.SKIPPED + outcomes.MISSED,
    locks: locks.filter(([begin, end]) => begin < until && (end === null || end >= from)).length,
    alerts: history.alerts.filter((alert) => inRange(alert.raised) || inRange(alert.cleared)).length,
    activity: history.activity.filter((at) => at >= from && at < to).length,
  };
}

/** One half minute of one robot. */
function look(robot: RawRobot, known: readonly [number, number], tick: number, into: Sums, now: number): void {
  for (const run of robot.runs) {
    const isPlanned = run.planned && tick >= run.due && tick < run.due + run.minutes * 2;
    if (isPlanned) into.planned += 1;
    if (!moves(run, tick)) continue;
    into.cleaned += 1;
    if (isPlanned) into.asPlanned += 1;
    else if (run.planned) into.outsidePlan += 1;
    else into.byHand += 1;
  }
  const isLocked = robot.locks.some(([begin, end]) => tick >= begin && tick < (end ?? now));
  if (tick >= known[0] && tick < known[1] && !isLocked) {
    into.counted += 1;
    // Three ticks after its last message it is offline.
    if (robot.online.some(([begin, end]) => tick >= begin && tick < (end ?? robot.lastSeen + 3))) into.reachable += 1;
  }
  const last = robot.readings.filter(({ at }) => at <= tick).toSorted((one, other) => other.at - one.at)[0];
  if (last === undefined || tick >= last.at + (last.sample ? 120 : 3)) return;
  into.battery += last.battery;
  into.batteryTicks += 1;
}

/** From its first connection until it left the site. */
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

/** On how many of these days maintenance became due: one interval after it was last done, unless done again before. */
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

function whole(ticks: number): number {
  return Math.round(ticks * MINUTES_OF_TICK);
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

/** The zone's local time, `YYYY-MM-DD HH:MM:SS`. */
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
