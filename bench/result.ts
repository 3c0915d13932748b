import { appendFileSync } from "node:fs";

/** What a benchmark measured: a row of the table in docs/performance.md that `npm run bench` writes. */
export interface Result {
  /** Names the row; the same in every run. */
  readonly what: string;
  readonly figure: number;
  /** "times", "ms", "MB". */
  readonly unit: string;
  /** The figure's limit, if it has one: at most this, or at least this. */
  readonly atMost?: number;
  readonly atLeast?: number;
  /** What else was measured beside it, such as the two sides of a ratio. */
  readonly detail?: string;
}

/** A process that missed a limit ends with this code, so that it is not mistaken for one that failed. */
export const MISSED = 2;

export function isWithinLimit({ figure, atMost = Infinity, atLeast = -Infinity }: Result): boolean {
  return figure <= atMost && figure >= atLeast;
}

/** The whole number that this share of the values did not exceed; infinite without any, which keeps no upper limit. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? Infinity);
}

/** With three significant digits, or all digits of the integer part. */
export function figureText({ figure, unit }: Pick<Result, "figure" | "unit">): string {
  const digits = Math.abs(figure) >= 100 ? Math.round(figure) : Number(figure.toPrecision(3));
  return `${digits.toLocaleString("en")} ${unit}`.trim();
}

export function limitText({ atMost, atLeast, unit }: Result): string {
  const told = [
    ...(atMost === undefined ? [] : [`at most ${figureText({ figure: atMost, unit })}`]),
    ...(atLeast === undefined ? [] : [`at least ${figureText({ figure: atLeast, unit })}`]),
  ];
  return told.join(", ");
}

/**
 * Prints a result in a line of its own, adds it to the file that `BENCH_RESULTS` names, a line of JSON each, and makes the
 * process end with `MISSED` if the result is beyond its limit.
 */
export function report(result: Result): void {
  const isKept = isWithinLimit(result);
  const limit = limitText(result);
  const judged = limit === "" ? "" : ` (limit ${limit}: ${isKept ? "kept" : "MISSED"})`;
  const detail = result.detail === undefined ? "" : `; ${result.detail}`;
  console.log(`${result.what}: ${figureText(result)}${judged}${detail}`);
  const file = process.env["BENCH_RESULTS"];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(result)}\n`);
  if (!isKept) process.exitCode = MISSED;
}
