import { sql } from "kysely";
import type { Db, Executor } from "../../platform/database/database.ts";
import { CHAIN_BEGIN, chainHash, type SealedContent } from "./audit-chain.ts";

/** Any number all servers agree on: one seals at a time. */
const SEALER_LOCK = 7_305_009;
/** Rows sealed in one transaction. */
const BATCH = 1_000;

/** The newest link of the chain. */
export interface ChainHead {
  readonly number: number;
  /** Hex. */
  readonly hash: string;
}

/** A sealed row's content, as `chainHash` takes it; the same text whatever zone the connection has. */
export const sealedContent = sql`a.id::text, to_char(a.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') as at,
  a.user_id::text, a.actor, a.action, a.entity, a.entity_id, a.site_id::text, a.outcome, a.reason,
  a.before::text, a.after::text, a.target_name, a.site_name`;

/**
 * Seals what is committed and waits, the oldest first, some 1,000 rows in one transaction. Answers the new head, null
 * where nothing waited or another server is at it, and whether more may wait.
 */
export async function sealBatch(db: Db, now: Date): Promise<{ head: ChainHead | null; more: boolean }> {
  return await db.transaction().execute(async (tx) => {
    const { rows: locks } = await sql<{
      mine: boolean;
    }>`select pg_try_advisory_xact_lock(${SEALER_LOCK}) as mine`.execute(tx);
    if (locks[0]?.mine !== true) return { head: null, more: false };
    const { rows } = await sql<SealedContent>`
      select ${sealedContent} from audit_unsealed u join audit a on a.id = u.audit_id order by a.id limit ${BATCH}`.execute(
      tx,
    );
    if (rows.length === 0) return { head: null, more: false };
    const newest = await readHead(tx);
    let number = newest?.number ?? 0;
    let hash: Buffer = newest === null ? CHAIN_BEGIN : Buffer.from(newest.hash, "hex");
    const seals = rows.map((row) => {
      number += 1;
      hash = chainHash(hash, number, row);
      return { number, audit_id: row.id, hash: hash.toString("hex") };
    });
    await sql`
      with sealed as (
        insert into audit_seals (number, audit_id, hash, sealed_at)
        select n.number, n.audit_id, decode(n.hash, 'hex'), ${now}
        from json_to_recordset(${JSON.stringify(seals)}::json) n (number bigint, audit_id bigint, hash text)
        returning audit_id
      )
      delete from audit_unsealed using sealed where audit_unsealed.audit_id = sealed.audit_id`.execute(tx);
    return { head: { number, hash: hash.toString("hex") }, more: rows.length === BATCH };
  });
}

/** The newest link; null before the first. */
export async function readHead(db: Executor): Promise<(ChainHead & { sealed_at: Date }) | null> {
  const row = await db
    .selectFrom("audit_seals")
    .select(["number", "hash", "sealed_at"])
    .orderBy("number", "desc")
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : { ...row, hash: row.hash.toString("hex") };
}
