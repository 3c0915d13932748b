import type { HistorySpan } from "@suncrew/contract/robot-history/robot-history.ts";
import { OFFLINE_AFTER_MS } from "../devices/protocol-times.ts";
import { overlapMs, type Span } from "../reports/spans.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Each span is divided into parts of equal length, about as many as a chart has room for. */
export const HISTORY_SPANS: Readonly<Record<HistorySpan, { readonly spanMs: number; readonly partMs: number }>> = {
  "24h": { spanMs: DAY_MS, partMs: 5 * MINUTE_MS },
  "7d": { spanMs: 7 * DAY_MS, partMs: 30 * MINUTE_MS },
  "30d": { spanMs: 30 * DAY_MS, partMs: 2 * HOUR_MS },
};

/** A reading is valid until the next, but at most this long (protocol rule 7). Sample data has one per hour. */
export const READING_HOLDS_MS = OFFLINE_AFTER_MS;
export const SAMPLE_HOLDS_MS = HOUR_MS;

/** A span of parts. */
export interface PartedSpan extends Span {
  readonly partMs: number;
}

/** The span with `at` in its middle, or the one that ends now; it ends with the part that contains now at the latest. */
export function historySpanOf(span: HistorySpan, now: Date, at: Date | null): PartedSpan {
  const { spanMs, partMs } = HISTORY_SPANS[span];
  const endOfPart = (ms: number) => Math.ceil(ms / partMs) * partMs;
  const latestMs = endOfPart(now.getTime());
  const toMs = at === null ? latestMs : Math.min(latestMs, endOfPart(at.getTime() + spanMs / 2));
  return { fromMs: toMs - spanMs, toMs, partMs };
}

/** The readings received in one part. */
export interface PartReadings {
  /** Counted from 0, the first part of the span; earlier ones are negative. */
  readonly part: number;
  readonly least: number;
  readonly most: number;
  readonly mean: number;
  /** The share of its readings that say the robot moves. */
  readonly moving: number;
  /** Its last reading. */
  readonly lastAtMs: number;
  readonly lastBattery: number;
  readonly lastMoving: boolean;
  readonly sample: boolean;
}

export type PartValues = Pick<PartReadings, "least" | "most" | "mean" | "moving">;

/**
 * The values of each part. A part without a reading has those of the reading before if that still held when the part
 * began; otherwise it is null, so that no line crosses a time without reports.
 */
export function partValues(readings: readonly PartReadings[], span: PartedSpan): (PartValues | null)[] {
  const byPart = new Map(readings.map((each) => [each.part, each]));
  const [first = 0] = readings.map(({ part }) => part).toSorted((one, other) => one - other);
  const values: (PartValues | null)[] = [];
  let last: PartReadings | null = null;
  for (let part = Math.min(first, 0); part < (span.toMs - span.fromMs) / span.partMs; part += 1) {
    const own = byPart.get(part);
    if (own !== undefined) last = own;
    if (part >= 0) values.push(own ?? heldValues(last, span.fromMs + part * span.partMs));
  }
  return values;
}

function heldValues(last: PartReadings | null, beginsMs: number): PartValues | null {
  if (last === null || last.lastAtMs + (last.sample ? SAMPLE_HOLDS_MS : READING_HOLDS_MS) <= beginsMs) return null;
  const { lastBattery, lastMoving } = last;
  return { least: lastBattery, most: lastBattery, mean: lastBattery, moving: lastMoving ? 1 : 0 };
}

/** The share of each part's known time, up to now, in which the robot was connected; null where none is known. */
export function connectedShares(
  online: readonly Span[],
  known: Span,
  { fromMs, toMs, partMs }: PartedSpan,
): (number | null)[] {
  const sorted = online.toSorted((one, other) => one.fromMs - other.fromMs);
  let next = 0;
  return Array.from({ length: (toMs - fromMs) / partMs }, (_, nth) => {
    const part = { fromMs: fromMs + nth * partMs, toMs: fromMs + (nth + 1) * partMs };
    const knownMs = overlapMs(known, part);
    if (knownMs === 0) return null;
    while ((sorted[next]?.toMs ?? Infinity) <= part.fromMs) next += 1;
    let onlineMs = 0;
    for (let each = next; (sorted[each]?.fromMs ?? Infinity) < part.toMs; each += 1)
      onlineMs += overlapMs(sorted[each] ?? part, part);
    return Math.min(1, onlineMs / knownMs);
  });
}

export interface MotorSpeeds {
  readonly main: number;
  readonly brush: number;
}

export interface SpeedChange {
  readonly atMs: number;
  readonly before: MotorSpeeds;
  readonly after: MotorSpeeds;
}

/** The speeds that were set at a time; `changes` oldest first, `current` those of now. */
export function speedsAt(changes: readonly SpeedChange[], current: MotorSpeeds, atMs: number): MotorSpeeds {
  const last = changes.findLast((change) => change.atMs <= atMs);
  return last?.after ?? changes[0]?.before ?? current;
}
