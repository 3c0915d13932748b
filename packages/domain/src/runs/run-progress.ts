const MINUTE_MS = 60_000;

/** A run in progress. */
export interface RunInProgress {
  readonly beganAt: Date;
  /** When the robot stops by itself at the latest; null if unknown. */
  readonly endsAt: Date | null;
  /** It is to end then; otherwise that is only the limit of a run by hand. */
  readonly isPlanned: boolean;
  /** The person, or 'Robot' if it was started at the robot; null if unknown. */
  readonly startedBy: string | null;
}

/** How far a run is, in whole minutes. */
export type RunProgress =
  | {
      readonly kind: "planned";
      readonly minutes: number;
      readonly plannedMinutes: number;
      /** Beyond its planned end. */
      readonly lateMinutes: number;
      /** 0 to 100. */
      readonly percent: number;
      readonly endsAt: Date;
    }
  | {
      readonly kind: "open";
      readonly minutes: number;
      readonly startedBy: string | null;
      readonly stopsBy: Date | null;
    };

/** A robot that is connected reports more often, in milliseconds. */
const REPORTS_WITHIN_MS = 120_000;

/** The present by the server's clock, as far as a robot's last report tells: a browser's own clock may be wrong. */
export function presentByReport(now: Date, reportedAt: Date | null): Date {
  if (reportedAt === null) return now;
  const reportedMs = reportedAt.getTime();
  return new Date(Math.min(Math.max(now.getTime(), reportedMs), reportedMs + REPORTS_WITHIN_MS));
}

export function runProgressOf({ beganAt, endsAt, isPlanned, startedBy }: RunInProgress, now: Date): RunProgress {
  const sinceMs = Math.max(0, now.getTime() - beganAt.getTime());
  const minutes = Math.floor(sinceMs / MINUTE_MS);
  if (!isPlanned || endsAt === null) return { kind: "open", minutes, startedBy, stopsBy: endsAt };
  const plannedMs = Math.max(1, endsAt.getTime() - beganAt.getTime());
  const plannedMinutes = Math.max(1, Math.round(plannedMs / MINUTE_MS));
  return {
    kind: "planned",
    minutes: Math.min(minutes, plannedMinutes),
    plannedMinutes,
    lateMinutes: Math.max(0, Math.floor((sinceMs - plannedMs) / MINUTE_MS)),
    percent: Math.min(100, Math.floor((100 * sinceMs) / plannedMs)),
    endsAt,
  };
}

/**
 * Runs of several robots as one, such as a group's: from the first beginning to the last end of those that are planned;
 * if none is, since the first beginning, by whoever started all of them. Null without any.
 */
export function runOfMany(runs: readonly RunInProgress[]): RunInProgress | null {
  const planned = runs.filter(({ isPlanned, endsAt }) => isPlanned && endsAt !== null);
  const counted = planned.length > 0 ? planned : runs;
  const [first] = counted;
  if (first === undefined) return null;
  return counted.reduce<RunInProgress>(
    (all, run) => ({
      beganAt: run.beganAt < all.beganAt ? run.beganAt : all.beganAt,
      endsAt: all.endsAt === null || run.endsAt === null ? null : run.endsAt > all.endsAt ? run.endsAt : all.endsAt,
      isPlanned: all.isPlanned,
      startedBy: run.startedBy === all.startedBy ? all.startedBy : null,
    }),
    first,
  );
}

/** Who starts a run at the robot itself. */
const AT_THE_ROBOT = "Robot";

/**
 * "18 of 30 min, ends 18:45", "3 min over its 30 min", "Cleaning for 12 min, started by Asha Rathore": without a full
 * stop. `clockOf` formats an instant in the site's local time.
 */
export function runProgressText(progress: RunProgress, clockOf: (at: Date) => string): string {
  if (progress.kind === "open") {
    const { startedBy } = progress;
    if (startedBy === null) return shortProgressText(progress);
    const how = startedBy === AT_THE_ROBOT ? "started at the robot" : `started by ${startedBy}`;
    return `${shortProgressText(progress)}, ${how}`;
  }
  const short = shortProgressText(progress);
  return progress.lateMinutes > 0 ? short : `${short}, ends ${clockOf(toMinute(progress.endsAt))}`;
}

/** The same for a narrow place: "18 of 30 min", "Cleaning for 12 min". */
export function shortProgressText(progress: RunProgress): string {
  if (progress.kind === "open") return `Cleaning for ${durationText(progress.minutes)}`;
  const { minutes, plannedMinutes, lateMinutes } = progress;
  return lateMinutes > 0 ? `${lateMinutes} min over its ${plannedMinutes} min` : `${minutes} of ${plannedMinutes} min`;
}

/** "Stops by itself at 20:00" for a run without a planned end; null for any other. */
export function runLimitText(progress: RunProgress, clockOf: (at: Date) => string): string | null {
  if (progress.kind !== "open" || progress.stopsBy === null) return null;
  return `Stops by itself at ${clockOf(toMinute(progress.stopsBy))}`;
}

/** Rounded up, never too early. */
function toMinute(at: Date): Date {
  return new Date(Math.ceil(at.getTime() / MINUTE_MS) * MINUTE_MS);
}

function durationText(minutes: number): string {
  if (minutes === 0) return "under 1 min";
  if (minutes < 60) return `${minutes} min`;
  const rest = minutes % 60;
  return `${Math.floor(minutes / 60)} h${rest === 0 ? "" : ` ${rest} min`}`;
}
