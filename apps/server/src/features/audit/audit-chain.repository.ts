import { sql } from "kysely";
import { createHash } from "node:crypto";
import type { Db, Executor, Tx } from "../../platform/database/database.ts";

/** Everything of an audit row that is sealed, as PostgreSQL writes it as text. */
export interface SealedContent {
  readonly id: string;
  /** UTC, to the microsecond. */
  readonly at: string;
  readonly user_id: string | null;
  readonly actor: string;
  readonly action: string;
  readonly entity: string;
  readonly entity_id: string | null;
  readonly site_id: string | null;
  readonly outcome: string;
  readonly reason: string | null;
  readonly before: string | null;
  readonly after: string | null;
  /** As they were called then; null in rows from before the audit kept names. */
  readonly target_name: string | null;
  readonly site_name: string | null;
}

/** What the first row is chained to. */
export const CHAIN_BEGIN = Buffer.alloc(32);

/**
 * The hash of the row with this number: SHA-256 over the hash of the row before and the row's content as JSON text,
 * so that another order, a changed value and a missing row each change every hash after it. Names are part of it where
 * there are any, so that a row from before they were kept has the hash that it was sealed with.
 */
export function chainHash(before: Uint8Array, number: number, row: SealedContent): Buffer {
  const content = [
    number,
    row.id,
    row.at,
    row.user_id,
    row.actor,
    row.action,
    row.entity,
    row.entity_id,
    row.site_id,
    row.outcome,
    row.reason,
    row.before,
    row.after,
    ...(row.target_name === null && row.site_name === null ? [] : [row.target_name, row.site_name]),
  ];
  return createHash("sha256").update(before).update(JSON.stringify(content)).digest();
}

/** Any number all servers agree on: one seals at a time. */
const SEALER_LOCK = 7_305_009;
/** Rows sealed in one transaction. */
const SEALED_AT_ONCE = 1_000;

/** The newest link of the chain. */
export interface ChainHead {
  readonly number: number;
  /** Hex. */
  readonly hash: string;
}

/** A sealed row's content, as `chainHash` takes it; the same text whatever zone the connection has. */
const sealedContent = sql`a.id::text, to_char(a.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') as at,
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
      select ${sealedContent} from audit_unsealed u join audit a on a.id = u.audit_id order by a.id limit ${SEALED_AT_ONCE}`.execute(
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
    return { head: { number, hash: hash.toString("hex") }, more: rows.length === SEALED_AT_ONCE };
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

const VERIFIED_AT_ONCE = 2_000;

type Link = { readonly number: number; readonly hash: Buffer } & (
  | ({ readonly present: true } & SealedContent)
  | { readonly present: false }
);

export interface Verdict {
  /** Null where everything is as it was sealed; else the first thing that is not, in a sentence. */
  readonly wrong: string | null;
  /** How many rows were found to be as they were sealed. */
  readonly proven: number;
  /** The newest link of the chain; null where there is none. */
  readonly head: ChainHead | null;
  /** Committed rows that wait for their seal. */
  readonly waiting: number;
}

/**
 * Goes through the whole chain as it stands at one moment. With a head of the log it also proves that the chain still
 * reaches that link: without one, rows removed from its end together with their seals cannot be noticed.
 */
export async function verifyChain(db: Db, known: ChainHead | null): Promise<Verdict> {
  return await db
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(async (tx) => {
      let before: Buffer = CHAIN_BEGIN;
      let proven = 0;
      const verdict = async (wrong: string | null): Promise<Verdict> => ({
        wrong,
        proven,
        head: proven === 0 ? null : { number: proven, hash: before.toString("hex") },
        waiting: await countWaiting(tx),
      });
      for (;;) {
        const links = await readLinks(tx, proven);
        for (const link of links) {
          const number = proven + 1;
          if (link.number !== number) return await verdict(`Number ${number} of the chain is missing.`);
          if (!link.present) return await verdict(`The row with number ${number} was removed.`);
          if (!chainHash(before, number, link).equals(link.hash)) {
            return await verdict(`The row with number ${number} (id ${link.id}) is not as it was sealed.`);
          }
          if (known?.number === number && known.hash !== link.hash.toString("hex")) {
            return await verdict(`Number ${number} has another hash than the given head: rows up to it were changed.`);
          }
          before = link.hash;
          proven = number;
        }
        if (links.length < VERIFIED_AT_ONCE) break;
      }
      if (known !== null && known.number > proven) {
        return await verdict(
          `The chain ends at number ${proven}, before the given head ${known.number}: rows were removed.`,
        );
      }
      const unchained = await countUnchained(tx);
      return await verdict(
        unchained === 0 ? null : `${unchained} rows came past the chain: they neither are sealed nor wait for it.`,
      );
    });
}

async function readLinks(tx: Tx, after: number): Promise<Link[]> {
  const { rows } = await sql<Link>`
    select s.number, s.hash, a.id is not null as present, ${sealedContent}
    from audit_seals s left join audit a on a.id = s.audit_id
    where s.number > ${after} order by s.number limit ${VERIFIED_AT_ONCE}`.execute(tx);
  return rows;
}

async function countWaiting(tx: Tx): Promise<number> {
  const { waiting } = await tx
    .selectFrom("audit_unsealed")
    .select((eb) => eb.fn.countAll<number>().as("waiting"))
    .executeTakeFirstOrThrow();
  return waiting;
}

async function countUnchained(tx: Tx): Promise<number> {
  const { rows } = await sql<{ rows: number }>`
    select count(*)::int as rows from audit a
    where not exists (select from audit_seals s where s.audit_id = a.id)
      and not exists (select from audit_unsealed u where u.audit_id = a.id)`.execute(tx);
  return rows[0]?.rows ?? 0;
}
