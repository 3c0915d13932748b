import type { Severity } from "@suncrew/contract/alerts/severity.ts";
import type { AlertKind, RuleFilter } from "@suncrew/contract/notifications/notification-rules.ts";

/** What rules choose alerts by. All of the place is null for alerts about Suncrew's own servers. */
export interface RuleFact {
  readonly kind: AlertKind;
  readonly severity: Severity;
  readonly siteId: number | null;
  /** The state of the site's address. */
  readonly state: string | null;
  /** The partner that maintains the site. */
  readonly partnerId: number | null;
}

type Filter = { readonly [Field in keyof RuleFilter]: readonly RuleFilter[Field][number][] };

/** Whether a rule is about an alert: each list that is not empty must name it. */
export function ruleMatches(filter: Filter, fact: RuleFact): boolean {
  const { kind, severity, siteId, state, partnerId } = fact;
  return (
    names(filter.kinds, kind) &&
    names(filter.severities, severity) &&
    names(filter.site_ids, siteId) &&
    names(filter.states.map(stateKey), state === null ? null : stateKey(state)) &&
    names(filter.partner_ids, partnerId)
  );
}

function names<Value>(list: readonly Value[], value: Value | null): boolean {
  return list.length === 0 || (value !== null && list.includes(value));
}

/** People type states: capitals and spaces make no other one. */
function stateKey(state: string): string {
  return state.trim().replaceAll(/\s+/gu, " ").toLowerCase();
}
