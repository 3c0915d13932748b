import { hash } from "node:crypto";
import { type RawBuilder, sql } from "kysely";

/** Into how many shares the robots are divided, each of which has one bridge (protocol rule 11); fixed for all versions. */
export const SHARES = 16;
/**
 * A bridge that is silent for this long (real time) hangs, or its machine stands still: PostgreSQL ends its session and
 * frees its locks. Longer than two answers in a row and a pause between them may take.
 */
export const SILENT_MS = 7_500;
export const allShares: readonly number[] = Array.from({ length: SHARES }, (_, share) => share);

/** The share of the robot with this serial number, from 0 on. Must agree with `shareOfColumn`. */
export function shareOf(serial: string): number {
  return (hash("sha256", serial, "buffer")[0] ?? 0) % SHARES;
}

/** The same in PostgreSQL. */
export function shareOfColumn(column: string): RawBuilder<number> {
  return sql<number>`get_byte(sha256(convert_to(${sql.ref(column)}, 'UTF8')), 0) % ${sql.lit(SHARES)}`;
}

/** Whether the robot with the serial number in this column belongs to one of these shares. */
export function isInShares(column: string, shares: Iterable<number>): RawBuilder<boolean> {
  const wanted = [...shares];
  return wanted.length === SHARES ? sql<boolean>`true` : sql<boolean>`${shareOfColumn(column)} = any(${wanted}::int[])`;
}
