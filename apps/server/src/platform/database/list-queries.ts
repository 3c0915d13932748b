import { COUNT_LIMIT } from "@suncrew/contract/http/page.ts";
import { type Expression, type RawBuilder, sql } from "kysely";
import type { Executor } from "./database.ts";

/**
 * How many rows a selection has. Counting stops at the limit, so that its cost is bounded, unless the exact number is
 * requested; `total_exact` is false if there are more than `total`.
 */
export async function boundedCount(
  db: Executor,
  selection: Expression<unknown>,
  exact: boolean,
): Promise<{ total: number; total_exact: boolean }> {
  const end = exact ? sql`` : sql` limit ${COUNT_LIMIT + 1}`;
  const { rows } = await sql<{ total: number }>`
    select count(*)::int as total from (select 1 from (${selection}) chosen${end}) counted`.execute(db);
  const total = rows[0]?.total ?? 0;
  return exact || total <= COUNT_LIMIT ? { total, total_exact: true } : { total: COUNT_LIMIT, total_exact: false };
}

/** A `like` pattern for folded text that contains the words. */
export function patternOf(words: string): RawBuilder<string> {
  return sql`('%' || search_fold(${words.replaceAll(/[\\%_]/g, String.raw`\$&`)}::text) || '%')`;
}

/** True where one of the conditions is; false without any. */
export function anyOf(conditions: readonly RawBuilder<boolean>[]): RawBuilder<boolean> {
  return conditions.length === 0 ? sql`false` : sql`(${sql.join([...conditions], sql` or `)})`;
}

/** The distinct values of a text column, sorted: one index step per value. The column must lead an index. */
export async function distinctValues(db: Executor, table: string, column: string): Promise<string[]> {
  const from = sql.table(table);
  const name = sql.ref(column);
  const { rows } = await sql<{ value: string }>`
    with recursive found (value) as (
      (select min(${name}) from ${from})
      union all
      select (select min(${name}) from ${from} where ${name} > found.value) from found where found.value is not null
    )
    select value from found where value is not null`.execute(db);
  return rows.map(({ value }) => value);
}
