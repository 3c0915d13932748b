import { type KeptKind, keptKindSchema } from "@suncrew/contract/storage/storage.ts";

/** How long one kind of stored data is kept. */
interface Keeping {
  /** Its environment variable; null where a rule of its own says how long it is kept. */
  readonly variable: KeepVariable | null;
  /** In days; 0: for good. */
  readonly defaultDays: number;
  /** The least that may be set, besides 0. */
  readonly minimumDays: number;
  /** What is deleted, for the documentation: "Days that ... are kept". */
  readonly what: string;
}

/** What a robot's days are computed from is kept at least this long, so that late messages can still correct them. */
export const COMPUTED_FROM_DAYS = 35;

/** What a later answer of a weather service superseded. */
export const SUPERSEDED_DAYS = 40;

/** Every kind of stored data that grows with time: settings, deleting, the call and the documentation follow from it. */
export const keptKinds = {
  readings: {
    variable: "KEEP_READINGS_DAYS",
    defaultDays: 92,
    minimumDays: COMPUTED_FROM_DAYS,
    what: "robots' readings are kept; they are deleted by whole months, so up to a month later",
  },
  robot_events: {
    variable: "KEEP_ROBOT_EVENTS_DAYS",
    defaultDays: 92,
    minimumDays: COMPUTED_FROM_DAYS,
    what: "events are kept as robots reported them, to recognize repeated ones",
  },
  presence: {
    variable: "KEEP_PRESENCE_DAYS",
    defaultDays: 400,
    minimumDays: COMPUTED_FROM_DAYS,
    what: "the times at which robots were reachable are kept; the newest of each robot stays",
  },
  runs: {
    variable: "KEEP_RUNS_DAYS",
    defaultDays: 1095,
    minimumDays: COMPUTED_FROM_DAYS,
    what: "ended runs are kept; the newest of each robot stays",
  },
  commands: {
    variable: "KEEP_COMMANDS_DAYS",
    defaultDays: 1095,
    minimumDays: COMPUTED_FROM_DAYS,
    what: "settled commands are kept; runs show who stopped them only as long as both are",
  },
  activity: {
    variable: "KEEP_ACTIVITY_DAYS",
    defaultDays: 1095,
    minimumDays: COMPUTED_FROM_DAYS,
    what: "rows of the activity log are kept",
  },
  alerts: {
    variable: "KEEP_ALERTS_DAYS",
    defaultDays: 1095,
    minimumDays: COMPUTED_FROM_DAYS,
    what: "alerts are kept after they were cleared",
  },
  robot_days: {
    variable: "KEEP_DAILY_FIGURES_DAYS",
    defaultDays: 0,
    minimumDays: 400,
    what: "robots' daily figures are kept, from which reports are made",
  },
  // A year of them is shown, and computed with.
  weather: {
    variable: "KEEP_WEATHER_DAYS",
    defaultDays: 800,
    minimumDays: 400,
    what: `air and weather at sites are kept as received; what a later answer superseded, ${SUPERSEDED_DAYS} days`,
  },
  monthly_reports: {
    variable: "KEEP_REPORTS_DAYS",
    defaultDays: 1825,
    minimumDays: COMPUTED_FROM_DAYS,
    what: "monthly reports are kept",
  },
  mails: {
    variable: "KEEP_MAILS_DAYS",
    defaultDays: 90,
    minimumDays: 7,
    what: "records of mails are kept after they were sent or given up",
  },
  messages: {
    variable: "KEEP_MESSAGES_DAYS",
    defaultDays: 400,
    minimumDays: 7,
    what: "messages to contact points are kept after they were sent, given up or dropped",
  },
  events: {
    variable: "KEEP_WEBHOOK_EVENTS_DAYS",
    defaultDays: 90,
    minimumDays: 7,
    what: "events for webhooks and their deliveries are kept, unless one still waits",
  },
  firmware: {
    variable: "KEEP_FIRMWARE_DAYS",
    defaultDays: 730,
    minimumDays: COMPUTED_FROM_DAYS,
    what: "firmware files are kept after their upload and their last rollout; the newest stays",
  },
  sessions: {
    variable: "KEEP_SESSIONS_DAYS",
    defaultDays: 90,
    minimumDays: 1,
    what: "sessions are kept after they ended",
  },
  // Known browsers and addresses for 60 days, failures until they no longer count (decision 41). Who was refused when is
  // in the audit.
  sign_ins: {
    variable: null,
    defaultDays: 60,
    minimumDays: 60,
    what: "it is remembered from where people signed in",
  },
  audit: {
    variable: "KEEP_AUDIT_DAYS",
    defaultDays: 0,
    minimumDays: 365,
    what: "the audit is kept; written to the database by `npm run migrate` with the account that owns the tables",
  },
} as const satisfies Readonly<Record<KeptKind, Omit<Keeping, "variable"> & { readonly variable: string | null }>>;

export type KeepVariable = NonNullable<(typeof keptKinds)[KeptKind]["variable"]>;

export const keptKindNames: readonly KeptKind[] = keptKindSchema.options;

/** Days by kind; 0: for good. */
export type KeepDays = Readonly<Record<KeptKind, number>>;

export const defaultKeepDays: KeepDays = keepDaysOf(({ defaultDays }) => defaultDays);

export function keepDaysOf(daysOf: (keeping: Keeping, kind: KeptKind) => number): KeepDays {
  const days = Object.fromEntries(keptKindNames.map((kind) => [kind, daysOf(keptKinds[kind], kind)]));
  return days as Record<KeptKind, number>;
}

/** A report of a month with activity shows these, so they are kept as long as that. */
const reported = ["runs", "commands", "alerts", "robot_days"] as const satisfies readonly KeptKind[];

/** Those that would be deleted before the activity of their time, and so be missing from reports. */
export function keptTooShort(days: KeepDays): (typeof reported)[number][] {
  const kept = (kind: KeptKind) => (days[kind] === 0 ? Infinity : days[kind]);
  return reported.filter((kind) => kept(kind) < kept("activity"));
}

const DAY_MS = 86_400_000;

/** What is computed once a day is closed may not lose what it is computed from before. */
const computedFrom: ReadonlySet<KeptKind> = new Set(["readings", "presence", "runs", "alerts"]);

/**
 * The instant before which this kind is deleted; null where nothing is. `daysClosedUntil` is the instant before which
 * every day of every site is closed, null before the first.
 */
export function deletedBefore(
  kind: KeptKind,
  keepDays: KeepDays,
  now: Date,
  daysClosedUntil: Date | null,
): Date | null {
  const days = keepDays[kind];
  if (days === 0) return null;
  const before = new Date(now.getTime() - days * DAY_MS);
  if (!computedFrom.has(kind)) return before;
  if (daysClosedUntil === null) return null;
  return daysClosedUntil < before ? daysClosedUntil : before;
}

/**
 * When the row of this time is deleted; null where it never is. Readings go once their whole month is old enough.
 */
export function deletionTime(kind: KeptKind, keepDays: KeepDays, at: Date): Date | null {
  const days = keepDays[kind];
  if (days === 0) return null;
  const from = kind === "readings" ? Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1) : at.getTime();
  return new Date(from + days * DAY_MS);
}
