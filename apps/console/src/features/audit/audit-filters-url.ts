import { type AuditOutcome, auditOutcomeSchema } from "@suncrew/contract/audit/audit.ts";
import { choiceParam, dayParam, sameNames, textParam, type UrlSchema } from "../../platform/url-state.ts";
import { startOfDay } from "../../ui/days.ts";

/** The filters in the URL; empty text and null do not filter. */
export interface AuditFilterValues {
  readonly search: string;
  readonly action: string;
  readonly entity: string;
  readonly outcome: AuditOutcome | null;
  /** First and last day, `YYYY-MM-DD`, in the browser's time zone. */
  readonly from: string | null;
  readonly to: string | null;
}

/** Names that differ from the activity log's, which shares the page. */
export const auditUrl: UrlSchema<AuditFilterValues> = {
  search: textParam("words"),
  action: textParam("did", 60),
  entity: textParam("thing", 60),
  outcome: choiceParam("ended", sameNames(auditOutcomeSchema.options), null),
  from: dayParam("since"),
  to: dayParam("until"),
};

export function isNarrowed(filters: AuditFilterValues): boolean {
  return Object.values(filters).some((value) => value !== null && value !== "");
}

/** The filters as the API takes them; days start and end in the browser's time zone. */
export function auditFilterOf({ search, action, entity, outcome, from, to }: AuditFilterValues) {
  const text = search.trim();
  return {
    ...(text !== "" && { search: text }),
    ...(action !== "" && { action }),
    ...(entity !== "" && { entity }),
    ...(outcome !== null && { outcome }),
    ...(from !== null && { from: startOfDay(from, 0).toISOString() }),
    ...(to !== null && { to: startOfDay(to, 1).toISOString() }),
  };
}
