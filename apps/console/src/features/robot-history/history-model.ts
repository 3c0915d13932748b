import type { RobotHistory } from "@suncrew/contract/robot-history/robot-history.ts";
import type { Run } from "@suncrew/contract/runs/runs.ts";
import { RUN_OUTCOME_WORDS } from "@suncrew/domain/runs/run-outcome.ts";

/** The values of one part of a span; null where the robot did not report. */
export interface HistoryPart {
  readonly beginsMs: number;
  readonly battery: number | null;
  readonly least: number | null;
  readonly most: number | null;
  /** Shares, 0 to 1. */
  readonly moving: number | null;
  readonly connected: number | null;
  readonly main: number | null;
  readonly brush: number | null;
  /** Runs, alerts and locks that began in it, in words; empty if none did. */
  readonly happened: string;
}

/** The parts of a span in their order. */
export function partsOf(history: RobotHistory): HistoryPart[] {
  const fromMs = Date.parse(history.from);
  const words = new Map<number, string[]>();
  const note = (iso: string | null, text: string) => {
    if (iso === null) return;
    const nth = Math.floor((Date.parse(iso) - fromMs) / history.part_ms);
    words.set(nth, [...(words.get(nth) ?? []), text]);
  };
  for (const run of history.runs) note(run.began_at ?? run.due_at, runText(run));
  for (const { raised_at, text } of history.alerts) note(raised_at, `Alert: ${text}`);
  for (const { locked_at, reason } of history.locks) note(locked_at, `Maintenance: ${reason}`);
  return history.battery_mean.map((battery, nth) => ({
    beginsMs: fromMs + nth * history.part_ms,
    battery,
    least: history.battery_least[nth] ?? null,
    most: history.battery_most[nth] ?? null,
    moving: history.moving[nth] ?? null,
    connected: history.connected[nth] ?? null,
    main: history.main_speed[nth] ?? null,
    brush: history.brush_speed[nth] ?? null,
    happened: (words.get(nth) ?? []).join("; "),
  }));
}

/** "Run skipped: Rain was expected." */
export function runText({ outcome, reason }: Pick<Run, "outcome" | "reason">): string {
  if (outcome === null) return "Run in progress";
  return `Run ${RUN_OUTCOME_WORDS[outcome]}${outcome === "COMPLETED" || reason === null ? "" : `: ${reason}`}`;
}

/** "62 %", "99.5 %". */
export function percentText(percent: number): string {
  return `${Math.round(percent * 10) / 10} %`;
}

export function shareText(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** A stretch of a lane, in percent of the span's width. */
export interface Stretch {
  readonly left: number;
  readonly width: number;
}

/** Where a time lies within the span; null outside of it. An open one lasts until the end. */
export function stretchOf(
  { from, to }: Pick<RobotHistory, "from" | "to">,
  beganIso: string,
  endedIso: string | null,
  nowMs: number,
): Stretch | null {
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  const beginMs = Math.max(fromMs, Date.parse(beganIso));
  const endMs = Math.min(toMs, endedIso === null ? nowMs : Date.parse(endedIso));
  if (endMs < fromMs || beginMs > toMs || endMs < beginMs) return null;
  const whole = toMs - fromMs;
  return { left: (100 * (beginMs - fromMs)) / whole, width: (100 * (endMs - beginMs)) / whole };
}

/** Neighbouring parts with the same value as one stretch; `isIn` says which values are shown at all. */
export function stretchesOf(
  values: readonly (number | null)[],
  isIn: (value: number) => boolean,
): (Stretch & { readonly value: number })[] {
  const found: { left: number; width: number; value: number; end: number }[] = [];
  const part = 100 / values.length;
  values.forEach((value, nth) => {
    if (value === null || !isIn(value)) return;
    const last = found.at(-1);
    if (last?.end === nth && last.value === value) {
      last.width += part;
      last.end = nth + 1;
    } else found.push({ left: nth * part, width: part, value, end: nth + 1 });
  });
  return found.map(({ left, width, value }) => ({ left, width, value }));
}
