import { REPORT_MAX_DAYS } from "@suncrew/contract/reports/reports.ts";
import { dayParam, idParam, type UrlParam, type UrlSchema } from "../../platform/url-state.ts";

/** The choices for a report, kept in the URL. Days are `YYYY-MM-DD` at the site; empty if not chosen. */
export interface ReportChoice {
  readonly siteId: number | null;
  readonly from: string;
  readonly to: string;
  /** Null: every section. */
  readonly templateId: number | null;
}

const dayOrEmpty = (name: string): UrlParam<string> => {
  const { parse } = dayParam(name);
  return { name, parse: (text) => parse(text) ?? "", format: (day) => day };
};

export const reportUrl: UrlSchema<ReportChoice> = {
  siteId: idParam("site"),
  from: dayOrEmpty("from"),
  to: dayOrEmpty("to"),
  templateId: idParam("template"),
};

/** What is wrong with the days, shown at the end date; null if nothing is. */
export function wrongDays({ from, to }: Pick<ReportChoice, "from" | "to">): string | null {
  if (from === "" || to === "") return null;
  if (to < from) return "The end date is before the start date.";
  const days = (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1;
  return days > REPORT_MAX_DAYS ? `A report covers at most ${REPORT_MAX_DAYS} days.` : null;
}

/** §5 Site report: why it cannot be downloaded yet; null if it can. */
export function downloadBlockedReason({ siteId, from, to }: ReportChoice): string | null {
  if (siteId === null) return "Choose a site first.";
  if (from === "") return "Choose a start date first.";
  if (to === "") return "Choose an end date first.";
  return wrongDays({ from, to });
}

export interface QuickRange {
  readonly label: string;
  readonly from: string;
  readonly to: string;
}

/** Frequently used ranges, starting from today at the site, `YYYY-MM-DD`. */
export function quickRanges(today: string): readonly QuickRange[] {
  const [year = 1970, month = 1, date = 1] = today.split("-").map(Number);
  const day = (y: number, m: number, d: number) => new Date(Date.UTC(y, m - 1, d)).toISOString().slice(0, 10);
  return [
    { label: "Last 7 days", from: day(year, month, date - 6), to: today },
    { label: "This month", from: day(year, month, 1), to: today },
    { label: "Last month", from: day(year, month - 1, 1), to: day(year, month, 0) },
  ];
}

/** §9: <site>_report_<from>_to_<to>, without characters that file names cannot contain. */
export function reportFileName(siteName: string, { from, to }: Pick<ReportChoice, "from" | "to">, ending: string) {
  const site = siteName.replaceAll(/[\\/:*?"<>|\p{Cc}]/gu, "-");
  return `${site}_report_${from}_to_${to}.${ending}`;
}
