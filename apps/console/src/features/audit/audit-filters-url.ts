import { type AuditOutcome, auditOutcomeSchema } from "@suncrew/contract/audit/audit.ts";
import { choiceParam, dayParam, sameNames, textParam, type UrlSchema } from "../../platform/url-state.ts";
import { startOfDay } from "../../ui/days.ts";

/** What of the audit is kept in the URL; empty text and null narrow nothing. */
export interface AuditFilterValues {
  readonly search: string;
  readonly action: string;
  readonly entity: string;
  readonly outcome: AuditOutcome | null;
  /** First and last day, `YYYY-MM-DD`, by the clock of the browser. */
  readonly from: string | null;
  readonly to: string | null;
}

/** Names of its own, so that a filter of the activity log beside it is not taken for one of the audit. */
export const auditUrl: UrlSchema<AuditFilterValues> = {
  search: textParam("words"),
  action: textParam("did", 60),
  entity: textParam("thing", 60),
  outcome: choiceParam("ended", sameNames(auditOutcomeSchema.options), null),
  from: dayParam("since"),
  to: dayParam("until"),
};

/** True where something narrows the audit. */
export function isNarrowed(filters: AuditFilterValues): boolean {
  return Object.values(filters).some((value) => value !== null && value !== "");
}

/** The same as the call takes it; days begin and end by the clock of the browser. */
export function auditFilterOf({ search, action, entity, outcome, from, to }: AuditFilterValues) {
  const words = search.trim();
  return {
    ...(words !== "" && { search: words }),
    ...(action !== "" && { action }),
    ...(entity !== "" && { entity }),
    ...(outcome !== null && { outcome }),
    ...(from !== null && { from: startOfDay(from, 0).toISOString() }),
    ...(to !== null && { to: startOfDay(to, 1).toISOString() }),
  };
}
