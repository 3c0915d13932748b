import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";

/** The partners with each of these names, trimmed and in any case. */
export async function readPartnerIds(
  tx: Tx,
  names: readonly string[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  const asked = [...new Set(names)].filter((name) => name !== "");
  const { rows } = await sql<{ name: string; ids: number[] }>`
    select asked.name, array_agg(p.id order by p.id) as ids
    from unnest(${asked}::text[]) as asked (name)
    join partners p on p.deleted_at is null
      and lower(btrim(normalize(p.name, NFC))) = lower(btrim(normalize(asked.name, NFC)))
    group by asked.name`.execute(tx);
  return new Map(rows.map(({ name, ids }) => [name, ids]));
}
