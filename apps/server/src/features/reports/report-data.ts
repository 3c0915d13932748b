import type { Site, SiteField } from "@suncrew/contract/sites/sites.ts";
import type { SiteMaintenance } from "@suncrew/domain/sites/site-contacts.ts";
import type { ActivityEntry } from "@suncrew/contract/activity/activity.ts";
import type { Severity } from "@suncrew/contract/alerts/severity.ts";
import type { RobotStatus } from "@suncrew/contract/robots/robots.ts";
import type { RunOutcome } from "@suncrew/contract/robots/run-outcome.ts";
import type { ReportFigureName } from "@suncrew/domain/reports/report-figures.ts";
import { localTextOf, type SiteDay } from "@suncrew/domain/reports/report-range.ts";

/** Everything a report shows, as plain values: who draws it reads no database, no clock and no time zone. */
export interface ReportData {
  readonly site: ReportSite;
  readonly partner: ReportPartner | null;
  /** Whose the site is. */
  readonly partnerId: number | null;
  readonly range: ReportRange;
  readonly generatedAt: ReportTime;
  /** True where sample data of a demo is in the range; every page says so. */
  readonly sample: boolean;
  /**
   * Null where there is nothing to compute from: "No data", not 0. Minutes of runs and of presence are whole ones of each
   * robot, and what follows from them is computed from these, so that who computes again from what is printed finds the
   * same; how each is computed stands in `reportFigureRules`.
   */
  readonly figures: Readonly<Record<ReportFigureName, number | null>>;
  /** Every day of the site that the range touches, in order; the first and last may be there in part. */
  readonly days: readonly ReportDay[];
  /** Of all runs in the range, planned and by hand; `RUNNING` are under way. */
  readonly outcomes: OutcomeCounts;
  readonly robots: readonly ReportRobot[];
  /** Runs that were cut short or never came about, newest first. */
  readonly notDone: Newest<ReportNotDone>;
  readonly maintenance: ReportMaintenance;
  readonly alerts: Newest<ReportAlert>;
  /** The activity table: the newest rows, and how many more the CSV has. */
  readonly activity: Newest<ReportActivity>;
}

/** The newest rows, newest first; `rest` counts the older ones that are left out. */
export interface Newest<T> {
  readonly rows: readonly T[];
  readonly rest: number;
}

export interface ReportTime {
  /** ISO 8601 in UTC. */
  readonly utc: string;
  /** `YYYY-MM-DD HH:MM:SS` by the clocks of the site. */
  readonly local: string;
}

/** A site's stored form fields, without its maintenance contacts. */
type ReportSite = Pick<Site, "id" | "timezone" | Exclude<SiteField, keyof SiteMaintenance>>;

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
  /** Offsets that hold at both ends, such as `UTC+05:30`. */
  readonly fromOffset: string;
  readonly toOffset: string;
  /** Days of the site that it touches. */
  readonly days: number;
}

export type OutcomeCounts = Readonly<Record<RunOutcome | "RUNNING", number>>;

export interface ReportDay {
  /** `YYYY-MM-DD` by the calendar of the site. */
  readonly date: string;
  readonly minutesCleaned: number;
  /** Null where nothing was to be known that day, as of days to come. */
  readonly uptimePercent: number | null;
  readonly averageBattery: number | null;
  readonly outcomes: OutcomeCounts;
}

/** A robot that is at the site now, or was and has figures there in the range; by name. */
export interface ReportRobot {
  readonly robotId: number;
  readonly name: string;
  readonly serialNumber: string;
  /** Its planned runs that were due in the range; the six after it add up to it. */
  readonly planned: number;
  readonly running: number;
  readonly done: number;
  readonly stopped: number;
  readonly cutShort: number;
  readonly failed: number;
  readonly skipped: number;
  readonly missed: number;
  /** Runs by hand that began in the range. */
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
  /** With a critical alert of its own. */
  readonly minutesCritical: number;
  readonly averageBattery: number | null;
  /** Days of the range with a reading. */
  readonly batteryDays: number;
  /** Null where it has left the site. */
  readonly health: ReportHealth | null;
}

/** As it is when the report is made, but for the count. */
export interface ReportHealth {
  readonly status: RobotStatus;
  readonly online: boolean;
  /** Since when it is in maintenance, and why; null where it is not. */
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
  readonly activeAlerts: readonly { readonly severity: Severity; readonly text: string }[];
}

export interface ReportNotDone {
  readonly robotName: string;
  readonly serialNumber: string;
  /** When it was due, else when it began. */
  readonly at: ReportTime;
  readonly planned: boolean;
  readonly outcome: RunOutcome;
  readonly reason: string;
}

export interface ReportMaintenance {
  /** Printed with the due dates. */
  readonly intervalDays: number;
  /** Locks that were set in the range. */
  readonly set: number;
  readonly released: number;
  /** Locks that stood at any time of the range. */
  readonly locks: Newest<ReportLock>;
  /** Dates in the range on which maintenance was due, oldest first. */
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
  /** Each true where that happened in the range. */
  readonly setInRange: boolean;
  readonly releasedInRange: boolean;
}

/** An alert that was raised or cleared in the range. */
export interface ReportAlert {
  /** Null where it is about the whole site. */
  readonly robotName: string | null;
  readonly serialNumber: string | null;
  readonly severity: Severity;
  readonly text: string;
  readonly raisedAt: ReportTime;
  readonly clearedAt: ReportTime | null;
  /** From raising to clearing; null while it holds. */
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

/** The newest rows of lists other than the activity table. */
export const REPORT_LIST_ROWS = 200;

/** What all queries of one report look at. */
export interface ReportScope {
  readonly siteId: number;
  readonly from: Date;
  /** The instant after the range. */
  readonly to: Date;
  /** The end of the range, or now where that is ahead. */
  readonly until: Date;
  readonly now: Date;
  readonly timezone: string;
  /** Of the whole range. */
  readonly days: readonly SiteDay[];
  /** Aborts when nobody waits for the report any more; checked before each of many queries. */
  readonly signal?: AbortSignal | undefined;
}

export function reportTime(at: Date, timezone: string): ReportTime {
  return { utc: at.toISOString(), local: localTextOf(at, timezone) };
}
