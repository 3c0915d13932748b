import { auditChainBrokenAlert, type ServerAlertCode } from "@suncrew/domain/alerts/server-alerts.ts";
import { z } from "zod";
import type { Db, Executor } from "../../platform/database/database.ts";
import { type ChainHead, verifyNewest } from "../audit/public.ts";
import { keepServerAlert, openServerAlert } from "./server-conditions.repository.ts";

/** When the last backup was taken; null where none was ever recorded. */
export async function readLastBackup(db: Executor): Promise<Date | null> {
  const row = await db.selectFrom("last_backup").select("taken_at").executeTakeFirst();
  return row?.taken_at ?? null;
}

const AUDIT = "AUDIT_CHAIN_BROKEN" satisfies ServerAlertCode;
/** How many of the newest links are verified each time: those of days, or of hours in a large fleet. */
const AUDIT_LINKS = 20_000;

/** What an open alert says. */
const brokenSchema = z.object({ number: z.int(), head: z.string().nullable() });

/**
 * Whether the newest part of the audit is what was sealed. While its alert is open, the place that it tells of is
 * verified again however old it has become, so that the alert does not end by itself.
 */
export class AuditAlert {
  readonly #db: Db;
  /** The newest link when nothing was wrong: one that is missing later was removed. */
  #known: ChainHead | null = null;

  constructor(db: Db) {
    this.#db = db;
  }

  async update(now: Date): Promise<void> {
    const open = brokenSchema.safeParse((await openServerAlert(this.#db, AUDIT))?.params);
    // The head that another server knew when it raised the alert.
    const told = open.success ? headOf(open.data.head) : null;
    const known = told ?? this.#known;
    const from = open.success ? open.data.number : null;
    const { wrong, head } = await verifyNewest(this.#db, { links: AUDIT_LINKS, from, known });
    const alert =
      wrong &&
      auditChainBrokenAlert({
        wrong: wrong.words,
        number: wrong.number,
        head: known === null ? null : `${known.number}:${known.hash}`,
      });
    if (alert === null) this.#known = head;
    await keepServerAlert(this.#db, AUDIT, async () => alert, now);
  }
}

function headOf(text: string | null): ChainHead | null {
  const [, number, hash] = /^(\d+):([0-9a-f]{64})$/.exec(text ?? "") ?? [];
  return number === undefined || hash === undefined ? null : { number: Number(number), hash };
}
