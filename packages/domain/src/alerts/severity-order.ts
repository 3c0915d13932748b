import type { Severity } from "@suncrew/contract/alerts/severity.ts";

/** 0 is the worst. */
export const severityRank: Readonly<Record<Severity, 0 | 1 | 2>> = { CRITICAL: 0, WARNING: 1, INFO: 2 };

export function isWorse(one: Severity, than: Severity): boolean {
  return severityRank[one] < severityRank[than];
}

/** What a list is sorted by. */
export interface OrderedAlert {
  /** A bigint as text. */
  readonly id: string;
  readonly severity: Severity;
  readonly raised_at: string;
  readonly cleared_at: string | null;
  readonly acknowledged_at: string | null;
}

/**
 * The order of every list of alerts: active ones first, the worst before others, then unacknowledged ones, then the
 * newest; after them past ones, newest first.
 */
export function compareAlerts(one: OrderedAlert, other: OrderedAlert): number {
  const keys = [one, other].map(({ severity, cleared_at, acknowledged_at }) =>
    cleared_at === null ? [0, severityRank[severity], acknowledged_at === null ? 0 : 1] : [1, 0, 0],
  );
  const [mine = [], its = []] = keys;
  for (const [place, key] of mine.entries()) {
    const difference = key - (its[place] ?? 0);
    if (difference !== 0) return difference;
  }
  const newer = Date.parse(other.raised_at) - Date.parse(one.raised_at);
  if (newer !== 0) return newer;
  return BigInt(other.id) > BigInt(one.id) ? 1 : BigInt(other.id) < BigInt(one.id) ? -1 : 0;
}
