import type { Interval } from "@suncrew/contract/measurements/measured-against-model.ts";
import type { SiteField } from "@suncrew/contract/sites/site-forms.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import type { SiteMaintenance } from "@suncrew/domain/sites/site-contacts.ts";
import type { ActivityEntry } from "@suncrew/contract/activity/activity.ts";
import type { Severity } from "@suncrew/contract/alerts/severity.ts";
import type { RobotStatus } from "@suncrew/contract/robots/robots.ts";
import type { RunOutcome } from "@suncrew/contract/robots/run-outcome.ts";
import type { ReportFigureName } from "@suncrew/domain/reports/report-figures.ts";
import { localTextOf, type SiteDay } from "@suncrew/domain/reports/report-range.ts";
import type { SavedByCleaning } from "../soiling/public.ts";

/** Everything a report shows, as plain values: drawing it needs no database, clock or time zone. */
export interface ReportData {
  readonly site: ReportSite;
  readonly partner: ReportPartner | null;
  /** The partner that has the site. */
  readonly partnerId: number | null;
  readonly range: ReportRange;
  readonly generatedAt: ReportTime;
  /** True if the range contains a demo's sample data; every page says so. */
  readonly sample: boolean;
  /**
   * Null if there is nothing to compute from: "No data", not 0. Minutes of runs and of presence are rounded per robot,
   * and what follows is computed from these, so that recomputing from the printed values gives the same result;
   * `reportFigureRules` says how each is computed.
   */
  readonly figures: Readonly<Record<ReportFigureName, number | null>>;
  /** The same figures of the range before; null if there is none to compare with. */
  readonly before: ReportBefore | null;
  readonly energy: ReportEnergy;
  /** Every day of the site within the range, in order; the first and last may be partial. */
  readonly days: readonly ReportDay[];
  /** The days of robots with planned runs: all of them, or those with the most that were not done. */
  readonly robotDays: ReportRobotDays;
  /** Why planned runs were not done, the most frequent first; of those that are still on record. */
  readonly reasons: readonly ReportReason[];
  /** Open alerts of the whole site when the report is made, newest first. */
  readonly siteAlerts: readonly ReportOpenAlert[];
  /** Of all runs in the range, planned and manual; `RUNNING` are in progress. */
  readonly outcomes: OutcomeCounts;
  readonly robots: readonly ReportRobot[];
  /** Runs that were cut short or never started, newest first. */
  readonly notDone: Newest<ReportNotDone>;
  readonly maintenance: ReportMaintenance;
  readonly alerts: Newest<ReportAlert>;
  /** The activity table: the newest rows, and how many more are in the CSV. */
  readonly activity: Newest<ReportActivity>;
}

/** The newest rows, newest first; `rest` counts the older ones left out. */
export interface Newest<T> {
  readonly rows: readonly T[];
  readonly rest: number;
}

export interface ReportTime {
  /** ISO 8601 in UTC. */
  readonly utc: string;
  /** `YYYY-MM-DD HH:MM:SS` in the site's local time. */
  readonly local: string;
}

/** A site's stored form fields, without its maintenance contacts. */
export type ReportSite = Pick<Site, "id" | "timezone" | Exclude<SiteField, keyof SiteMaintenance>>;

export interface ReportPartner {
  readonly name: string;
  readonly contactPerson: string | null;
  readonly email: string | null;
  readonly phone: string | null;
}

export interface ReportRange {
  readonly from: ReportTime;
  /** The second that `local` names is part of the range; `utc` is the instant after it. */
  readonly to: ReportTime;
  /** Offsets that apply at both ends, such as `UTC+05:30`. */
  readonly fromOffset: string;
  readonly toOffset: string;
  /** The number of local days it touches. */
  readonly days: number;
  /** How many of them had begun when the report was made. */
  readonly daysBegun: number;
}

/** The figures that follow from how the robots performed. */
export type PerformanceFigures = Readonly<Record<PerformanceFigureName, number | null>>;

export type PerformanceFigureName = Exclude<
  ReportFigureName,
  | "maintenance_activities"
  | "system_changes"
  | "user_actions"
  | "scheduled_maintenance"
  | "overdue_maintenance"
  | "completed_maintenance"
>;

export interface ReportBefore {
  readonly range: ReportRange;
  /** True if both ranges are whole calendar months. */
  readonly isMonth: boolean;
  readonly figures: PerformanceFigures;
  readonly energy: ReportEnergy;
}

/** What cleaning has saved by model, and what of it was measured. */
export interface ReportEnergy extends Omit<SavedByCleaning, "soilingDays"> {
  /** Null if no energy was measured. */
  readonly measured: {
    /** Days of the range on which runs ended that measured energy could show. */
    readonly cleanings: number;
    readonly verified: readonly { readonly date: string; readonly gain: Interval }[];
  } | null;
}

/** The maximum robots whose days are drawn. */
export const REPORT_DAY_ROBOTS = 30;

export interface ReportRobotDays {
  readonly rows: readonly {
    readonly name: string;
    readonly serialNumber: string;
    /** One for each day of the range; null if no run was planned. */
    readonly days: readonly (ReportRobotDay | null)[];
  }[];
  /** How many robots are left out. */
  readonly rest: number;
}

export interface ReportRobotDay {
  /** Planned runs that were due, and those of them that were not done. */
  readonly runs: number;
  readonly notDone: number;
}

export interface ReportReason {
  readonly outcome: RunOutcome;
  /** Of the newest, if there are several. */
  readonly text: string;
  /** False if the texts differ, for example in their numbers. */
  readonly isExact: boolean;
  readonly runs: number;
}

export interface ReportOpenAlert {
  readonly severity: Severity;
  readonly text: string;
  readonly since: ReportTime;
}

export type OutcomeCounts = Readonly<Record<RunOutcome | "RUNNING", number>>;

export interface ReportDay {
  /** `YYYY-MM-DD` in the site's calendar. */
  readonly date: string;
  readonly minutesCleaned: number;
  /** Null if nothing can be known about the day, for example in the future. */
  readonly uptimePercent: number | null;
  readonly averageBattery: number | null;
  /** Of planned and manual runs, and of planned ones alone. */
  readonly outcomes: OutcomeCounts;
  readonly planned: OutcomeCounts;
}

/** A robot that is at the site now, or was and has figures there in the range; by name. */
export interface ReportRobot {
  readonly robotId: number;
  readonly name: string;
  readonly serialNumber: string;
  /** Its planned runs due in the range. */
  readonly planned: OutcomeCounts;
  /** Manual runs that began in the range. */
  readonly byHand: number;
  /** All minutes are whole; the three kinds of cleaning add up to `minutesCleaned`. */
  readonly minutesPlanned: number;
  readonly minutesAsPlanned: number;
  readonly minutesOutsidePlan: number;
  readonly minutesByHand: number;
  readonly minutesCleaned: number;
  readonly efficiencyPercent: number | null;
  readonly minutesReachable: number;
  readonly minutesKnown: number;
  readonly uptimePercent: number | null;
  /** Days of the range with minutes known. */
  readonly uptimeDays: number;
  /** With a critical alert of its own open. */
  readonly minutesCritical: number;
  readonly averageBattery: number | null;
  /** Days of the range with a reading. */
  readonly batteryDays: number;
  /** Null if it has left the site. */
  readonly health: ReportHealth | null;
}

/** As of when the report is made, except for the count. */
export interface ReportHealth {
  readonly status: RobotStatus;
  readonly online: boolean;
  /** Since when it has been in maintenance, and why; null if it is not. */
  readonly inMaintenance: { readonly since: ReportTime; readonly reason: string } | null;
  /** Critical alerts raised in the range. */
  readonly errorCount: number;
  /** Percent; null if never reported. */
  readonly battery: number | null;
  readonly firmware: string;
  readonly lastCleanedAt: ReportTime | null;
  /** The last release from maintenance. */
  readonly lastMaintenanceAt: ReportTime | null;
  /** `YYYY-MM-DD`. */
  readonly maintenanceDueDate: string;
  readonly overdue: boolean;
  /** Texts, worst first. */
  readonly activeAlerts: readonly ReportOpenAlert[];
}

export interface ReportNotDone {
  readonly robotName: string;
  readonly serialNumber: string;
  /** When it was due, otherwise when it began. */
  readonly at: ReportTime;
  readonly planned: boolean;
  readonly outcome: RunOutcome;
  readonly reason: string;
}

export interface ReportMaintenance {
  /** Printed with the due dates. */
  readonly intervalDays: number;
  /** Locks set in the range. */
  readonly set: number;
  readonly released: number;
  /** Locks in effect at any time in the range. */
  readonly locks: Newest<ReportLock>;
  /** Dates in the range when maintenance was due, oldest first. */
  readonly due: readonly ReportDueDate[];
  /** Robots that are overdue when the report is made, each since its date; longest first. */
  readonly overdue: readonly ReportDueDate[];
}

interface ReportDueDate {
  readonly robotName: string;
  readonly serialNumber: string;
  /** `YYYY-MM-DD`. */
  readonly date: string;
}

export interface ReportLock {
  readonly robotName: string;
  readonly serialNumber: string;
  readonly reason: string;
  readonly setAt: ReportTime;
  readonly setBy: string;
  /** Null while still locked. */
  readonly releasedAt: ReportTime | null;
  readonly releasedBy: string | null;
  /** Until the release, or until now. */
  readonly minutes: number;
}

/** An alert that was raised or cleared in the range. */
export interface ReportAlert {
  /** Null if it is about the whole site. */
  readonly robotName: string | null;
  readonly serialNumber: string | null;
  readonly severity: Severity;
  readonly text: string;
  readonly raisedAt: ReportTime;
  readonly clearedAt: ReportTime | null;
  /** From raising to clearing; null while it is open. */
  readonly minutes: number | null;
}

export interface ReportActivity {
  readonly at: ReportTime;
  readonly action: ActivityEntry["action"];
  readonly actionType: ActivityEntry["action_type"];
  readonly userName: string;
  readonly status: ActivityEntry["status"];
  readonly robotName: string;
  readonly serialNumber: string;
  readonly details: string;
}

/** The maximum rows of lists other than the activity table. */
export const REPORT_LIST_ROWS = 200;

/** What all queries of one report cover. */
export interface ReportScope {
  readonly siteId: number;
  readonly from: Date;
  /** The instant after the range. */
  readonly to: Date;
  /** The end of the range, or now if that is earlier. */
  readonly until: Date;
  readonly now: Date;
  readonly timezone: string;
  /** Of the full range. */
  readonly days: readonly SiteDay[];
  /** Aborts when the caller has disconnected; checked between queries. */
  readonly signal?: AbortSignal | undefined;
}

export function reportTime(at: Date, timezone: string): ReportTime {
  return { utc: at.toISOString(), local: localTextOf(at, timezone) };
}
