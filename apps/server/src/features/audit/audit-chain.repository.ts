import { sql } from "kysely";
import { createHash } from "node:crypto";
import type { Db, Executor, Tx } from "../../platform/database/database.ts";

/** The sealed content of an audit row, each column as PostgreSQL writes it as text. */
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
  /** The names at the time; null in rows from before the audit stored names. */
  readonly target_name: string | null;
  readonly site_name: string | null;
}

/** What the first row is chained to. */
export const CHAIN_START = Buffer.alloc(32);

/**
 * The hash of the row with this number: SHA-256 over the previous row's hash and the row's content as JSON text, so
 * that another order, a changed value or a missing row changes every later hash. Names are included only if there are
 * any, so that a row from before they were stored still has the hash that it was sealed with.
 */
export function chainHash(previous: Uint8Array, number: number, row: SealedContent): Buffer {
  const { id, at, user_id, actor, action, entity, entity_id, site_id, outcome, reason, before, after } = row;
  const names = row.target_name === null && row.site_name === null ? [] : [row.target_name, row.site_name];
  const target = [actor, action, entity, entity_id, site_id, outcome];
  const content = [number, id, at, user_id, ...target, reason, before, after, ...names];
  return createHash("sha256").update(previous).update(JSON.stringify(content)).digest();
}

/** Advisory lock: one server seals at a time. */
const SEALER_LOCK = 7_305_009;
/** Rows sealed in one transaction. */
const SEAL_BATCH = 1_000;

export interface ChainHead {
  readonly number: number;
  /** Hex. */
  readonly hash: string;
}

/** The columns of `SealedContent`; the same text whatever the connection's time zone. */
const sealedContent = sql`a.id::text, to_char(a.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') as at,
  a.user_id::text, a.actor, a.action, a.entity, a.entity_id, a.site_id::text, a.outcome, a.reason,
  a.before::text, a.after::text, a.target_name, a.site_name`;

/**
 * Seals a batch of committed rows that are not sealed yet, the oldest first. Resolves to the new head, null if nothing
 * was waiting or another server is sealing, and whether more rows may be waiting.
 */
export async function sealBatch(db: Db, now: Date): Promise<{ head: ChainHead | null; more: boolean }> {
  return db.transaction().execute(async (tx) => {
    const { rows: locks } = await sql<{ is_ours: boolean }>`
      select pg_try_advisory_xact_lock(${SEALER_LOCK}) as is_ours`.execute(tx);
    if (locks[0]?.is_ours !== true) return { head: null, more: false };
    const { rows } = await sql<SealedContent>`
      select ${sealedContent} from audit_unsealed u join audit a on a.id = u.audit_id order by a.id limit ${SEAL_BATCH}`.execute(
      tx,
    );
    if (rows.length === 0) return { head: null, more: false };
    const newest = await readHead(tx);
    let number = newest?.number ?? 0;
    let hash: Buffer = newest === null ? CHAIN_START : Buffer.from(newest.hash, "hex");
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
    return { head: { number, hash: hash.toString("hex") }, more: rows.length === SEAL_BATCH };
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

const VERIFY_BATCH = 2_000;

type Link = { readonly number: number; readonly hash: Buffer } & (
  | ({ readonly present: true } & SealedContent)
  | { readonly present: false }
);

export interface Verdict {
  /** A sentence about the first difference from what was sealed; null if there is none. */
  readonly wrong: string | null;
  /** The number of rows that are proven unchanged. */
  readonly proven: number;
  /** The last link that was removed under KEEP_AUDIT_DAYS; null where the chain begins with its first. */
  readonly beginning: (ChainHead & { readonly sealedAt: Date; readonly cutAt: Date }) | null;
  /** The newest link of the chain; null if there is none. */
  readonly head: ChainHead | null;
  /** The number of committed rows that are not sealed yet. */
  readonly waiting: number;
}

/**
 * Verifies the whole chain in one snapshot, from where it was cut (decision 58). With a head from the log it also proves
 * that the chain still contains that link: without one, rows that were removed from its end together with their seals go
 * unnoticed.
 */
export async function verifyAudit(db: Db, known: ChainHead | null): Promise<Verdict> {
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(async (tx) => {
      const beginning = await readBeginning(tx);
      const removed = beginning?.number ?? 0;
      let previous: Buffer = beginning === null ? CHAIN_START : Buffer.from(beginning.hash, "hex");
      let newest = removed;
      const verdict = async (wrong: string | null): Promise<Verdict> => ({
        wrong,
        proven: newest - removed,
        beginning,
        head: newest === 0 ? null : { number: newest, hash: previous.toString("hex") },
        waiting: await countWaiting(tx),
      });
      if (beginning !== null && !(await isCutOnRecord(tx, beginning))) {
        return await verdict(
          `The chain begins after number ${removed}, but no record of the audit says that it was cut there.`,
        );
      }
      if (known?.number === removed && known.hash !== beginning?.hash) {
        return await verdict(
          `The chain was cut at number ${removed} with another hash than the given head: rows up to it were changed.`,
        );
      }
      const read = await verifyLinks(tx, newest, previous, known);
      newest = read.newest;
      previous = read.previous;
      if (read.wrong !== null) return await verdict(read.wrong);
      if (known !== null && known.number > newest) {
        return await verdict(
          `The chain ends at number ${newest}, before the given head ${known.number}: rows were removed.`,
        );
      }
      const unchained = await countUnchained(tx);
      return await verdict(
        unchained === 0 ? null : `${unchained} rows bypassed the chain: they are neither sealed nor waiting for it.`,
      );
    });
}

/** Verifies the links after this one; tells of the first that is wrong, and up to which they are right. */
async function verifyLinks(tx: Tx, after: number, hash: Buffer, known: ChainHead | null) {
  let newest = after;
  let previous = hash;
  for (;;) {
    const links = await readLinks(tx, newest);
    for (const link of links) {
      const number = newest + 1;
      const wrong = wrongLink(link, number, previous, known);
      if (wrong !== null) return { wrong, newest, previous };
      previous = link.hash;
      newest = number;
    }
    if (links.length < VERIFY_BATCH) return { wrong: null, newest, previous };
  }
}

function wrongLink(link: Link, number: number, previous: Buffer, known: ChainHead | null): string | null {
  if (link.number !== number) return `Number ${number} of the chain is missing.`;
  if (!link.present) return `The row with number ${number} was removed.`;
  if (!chainHash(previous, number, link).equals(link.hash)) {
    return `The row with number ${number} (id ${link.id}) differs from what was sealed.`;
  }
  return known?.number === number && known.hash !== link.hash.toString("hex")
    ? `Number ${number} has another hash than the given head: rows up to it were changed.`
    : null;
}

/** What the newest part of the chain looks like. */
export interface NewestVerdict {
  /** The first difference from what was sealed; null if there is none. */
  readonly wrong: { readonly words: string; readonly number: number } | null;
  /** The newest link; null if there is none, or where something is wrong. */
  readonly head: ChainHead | null;
}

/**
 * Verifies the newest links of the chain in one snapshot, at least from the one with the number `from`: seconds for
 * tens of thousands, while the whole chain may take minutes. `known` is a head that was read before: links that were
 * removed from the end are noticed by it.
 */
export async function verifyNewest(
  db: Db,
  { links, from, known }: { readonly links: number; readonly from: number | null; readonly known: ChainHead | null },
): Promise<NewestVerdict> {
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(async (tx) => {
      const head = await readHead(tx);
      const removed = (await readBeginning(tx))?.number ?? 0;
      const end = head?.number ?? 0;
      const after = Math.max(removed, Math.min(end - links, (from ?? Infinity) - 1), 0);
      const before = await readHash(tx, after);
      if (before === null)
        return { wrong: { words: `Number ${after} of the chain is missing.`, number: after }, head: null };
      const read = await verifyLinks(tx, after, before, known);
      if (read.wrong !== null) return { wrong: { words: read.wrong, number: read.newest + 1 }, head: null };
      if (known !== null && known.number > end) {
        const words = `The chain ends at number ${end}, before number ${known.number} that it had: rows were removed.`;
        return { wrong: { words, number: end }, head: null };
      }
      return { wrong: null, head };
    });
}

/** The hash of the link with this number, from its row or from where the chain was cut; null if it is missing. */
async function readHash(tx: Tx, number: number): Promise<Buffer | null> {
  if (number === 0) return CHAIN_START;
  const beginning = await readBeginning(tx);
  if (beginning?.number === number) return Buffer.from(beginning.hash, "hex");
  const row = await tx.selectFrom("audit_seals").select("hash").where("number", "=", number).executeTakeFirst();
  return row?.hash ?? null;
}

async function readBeginning(tx: Tx): Promise<Verdict["beginning"]> {
  const row = await tx.selectFrom("audit_beginning").selectAll().executeTakeFirst();
  if (row === undefined) return null;
  return { number: row.number, hash: row.hash.toString("hex"), sealedAt: row.sealed_at, cutAt: row.cut_at };
}

/** Every cut is a row of what is left of the chain. */
async function isCutOnRecord(tx: Tx, { number, hash }: ChainHead): Promise<boolean> {
  const row = await tx
    .selectFrom("audit")
    .select("id")
    .where("entity", "=", "audit")
    .where("action", "=", "CUT_AUDIT")
    .where("actor", "=", "Suncrew")
    .where(sql<string>`after ->> 'head'`, "=", `${number}:${hash}`)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

async function readLinks(tx: Tx, after: number): Promise<Link[]> {
  const { rows } = await sql<Link>`
    select s.number, s.hash, a.id is not null as present, ${sealedContent}
    from audit_seals s left join audit a on a.id = s.audit_id
    where s.number > ${after} order by s.number limit ${VERIFY_BATCH}`.execute(tx);
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
