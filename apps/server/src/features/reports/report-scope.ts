import { localTextOf } from "@suncrew/domain/reports/local-text.ts";
import type { SiteDay } from "@suncrew/domain/reports/report-range.ts";
import type { ReportTime } from "./report-data.ts";

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
  /** Aborts when nobody waits for the report any more: whatever takes many queries asks it before each. */
  readonly signal?: AbortSignal | undefined;
}

export function reportTime(at: Date, timezone: string): ReportTime {
  return { utc: at.toISOString(), local: localTextOf(at, timezone) };
}
