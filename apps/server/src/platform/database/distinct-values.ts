import { sql } from "kysely";
import type { Executor } from "./database.ts";

/**
 * The values of a text column in their order, each once: a step of the index for each value, not a look at each row.
 * The column must lead an index.
 */
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
