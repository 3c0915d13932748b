import { sql } from "kysely";
import type { Db, Tx } from "../../platform/database/database.ts";
import { CHAIN_BEGIN, chainHash, type SealedContent } from "./audit-chain.ts";
import { type ChainHead, sealedContent } from "./audit-seals.repository.ts";

const BATCH = 2_000;

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
        if (links.length < BATCH) break;
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
    where s.number > ${after} order by s.number limit ${BATCH}`.execute(tx);
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
