/** The light on the first page of a report. UNKNOWN: there is nothing to judge by. */
export type VerdictLight = "GREEN" | "AMBER" | "RED" | "UNKNOWN";

/** From where a share in percent is green, and below where it is red. */
export const VERDICT_LIMITS = { green: 95, red: 80 } as const;

/** From this share of a site's robots on, in percent, robots that are out of action are red, not amber. */
export const MANY_ROBOTS_PERCENT = 20;

/** Green needs data on at least this share of the days that are over, in percent. */
export const ENOUGH_DAYS_PERCENT = 50;

export interface VerdictFacts {
  /** Days of the range that have begun, and those of them with data. */
  readonly days: number;
  readonly daysWithData: number;
  /** Planned runs that are over, whatever became of them. */
  readonly runs: number;
  readonly runsDone: number;
  /** Null if nothing is known. */
  readonly uptimePercent: number | null;
  /** Of the moment when the report is made; null if the range ended too long before for it to count. */
  readonly present: PresentFacts | null;
}

export interface PresentFacts {
  readonly robots: number;
  /** Robots with an open critical alert of their own, and robots that cannot be reached, outside maintenance. */
  readonly critical: number;
  readonly offline: number;
  /** Robots that are one or the other. */
  readonly outOfAction: number;
  /** Open critical alerts of the whole site. */
  readonly siteCritical: number;
  readonly overdue: number;
}

export type VerdictReasonKind =
  | "NO_DATA"
  | "FEW_DAYS"
  | "RUNS_NOT_DONE"
  | "UNREACHABLE"
  | "SITE_CRITICAL"
  | "OUT_OF_ACTION"
  | "OVERDUE";

export interface VerdictReason {
  readonly kind: VerdictReasonKind;
  readonly light: Exclude<VerdictLight, "GREEN">;
}

export interface Verdict {
  /** That of its worst reason; GREEN without any. */
  readonly light: VerdictLight;
  /** Why it is not green, worst first. */
  readonly reasons: readonly VerdictReason[];
}

/** Judges how a site was cleaned over a range. */
export function verdictOf(facts: VerdictFacts): Verdict {
  if (facts.daysWithData === 0) return { light: "UNKNOWN", reasons: [{ kind: "NO_DATA", light: "UNKNOWN" }] };
  const reasons: VerdictReason[] = [];
  const add = (kind: VerdictReasonKind, light: "AMBER" | "RED" | null) => {
    if (light !== null) reasons.push({ kind, light });
  };
  const { present } = facts;
  if (facts.runs > 0) add("RUNS_NOT_DONE", lightOfShare((100 * facts.runsDone) / facts.runs));
  if (facts.uptimePercent !== null) add("UNREACHABLE", lightOfShare(facts.uptimePercent));
  if (present !== null) {
    add("SITE_CRITICAL", present.siteCritical > 0 ? "RED" : null);
    const isMany = present.outOfAction * 100 >= present.robots * MANY_ROBOTS_PERCENT;
    add("OUT_OF_ACTION", present.outOfAction === 0 ? null : isMany ? "RED" : "AMBER");
    add("OVERDUE", present.overdue > 0 ? "AMBER" : null);
  }
  add("FEW_DAYS", facts.daysWithData * 100 < facts.days * ENOUGH_DAYS_PERCENT ? "AMBER" : null);
  const sorted = [...reasons.filter(({ light }) => light === "RED"), ...reasons.filter(({ light }) => light !== "RED")];
  return { light: sorted[0]?.light ?? "GREEN", reasons: sorted };
}

/** Judged as printed, with one decimal: "95.0 %" is green. */
function lightOfShare(percent: number): "AMBER" | "RED" | null {
  const printed = Math.round(percent * 10) / 10;
  return printed < VERDICT_LIMITS.red ? "RED" : printed < VERDICT_LIMITS.green ? "AMBER" : null;
}
