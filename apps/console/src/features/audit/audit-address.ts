import { type AuditOutcome, auditOutcomeSchema } from "@suncrew/contract/audit/audit.ts";
import { isCalendarDate } from "@suncrew/domain/schedules/calendar-date.ts";
import { EARLIEST_DAY, startOfDay } from "../../ui/days.ts";

/** What of the audit stands in the address; empty text and null narrow nothing. */
export interface AuditAddress {
  readonly search: string;
  readonly action: string;
  readonly entity: string;
  readonly outcome: AuditOutcome | null;
  /** First and last day, `YYYY-MM-DD`, by the clock of the browser. */
  readonly from: string | null;
  readonly to: string | null;
}

/** Names of its own, so that a filter of the activity log beside it is not taken for one of the audit. */
const names: Record<keyof AuditAddress, string> = {
  search: "words",
  action: "did",
  entity: "thing",
  outcome: "ended",
  from: "since",
  to: "until",
};

/** What the address names; a part that cannot be read is as if it were not there. */
export function readAuditAddress(params: URLSearchParams): AuditAddress {
  const part = (key: keyof AuditAddress) => params.get(names[key]) ?? "";
  const day = (text: string) => (isCalendarDate(text) && text >= EARLIEST_DAY ? text : null);
  return {
    search: part("search").slice(0, 100),
    action: part("action").slice(0, 60),
    entity: part("entity").slice(0, 60),
    outcome: auditOutcomeSchema.options.find((outcome) => outcome === part("outcome")) ?? null,
    from: day(part("from")),
    to: day(part("to")),
  };
}

/** The address with a change; what narrows nothing is left out, what is not the audit's is kept. */
export function changeAuditAddress(params: URLSearchParams, change: Partial<AuditAddress>): URLSearchParams {
  const next = new URLSearchParams(params);
  for (const [key, value] of Object.entries({ ...readAuditAddress(params), ...change })) {
    const name = names[key as keyof AuditAddress];
    if (value === null || value === "") next.delete(name);
    else next.set(name, value);
  }
  return next;
}

/** The address without anything that narrows the audit. */
export function clearAuditAddress(params: URLSearchParams): URLSearchParams {
  const next = new URLSearchParams(params);
  for (const name of Object.values(names)) next.delete(name);
  return next;
}

/** True where something narrows the audit. */
export function isNarrowed(address: AuditAddress): boolean {
  return Object.values(address).some((value) => value !== null && value !== "");
}

/** The same as the call takes it; days begin and end by the clock of the browser. */
export function auditFilterOf({ search, action, entity, outcome, from, to }: AuditAddress) {
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
