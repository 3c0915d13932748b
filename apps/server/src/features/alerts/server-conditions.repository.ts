import { isAboutMore, type ServerAlert, type ServerAlertCode } from "@suncrew/domain/alerts/server-alerts.ts";
import { isWorse } from "@suncrew/domain/alerts/severity-order.ts";
import { sql } from "kysely";
import { isDeepStrictEqual } from "node:util";
import { announceChange } from "../../platform/change-signal.ts";
import { changedNow, type Db, type Executor, type Tx } from "../../platform/database/database.ts";
import { inTransaction, setLockTimeout } from "../../platform/database/transactions.ts";
import { takeAcknowledgementsBack, worseText } from "./alerts.repository.ts";

/** Only these updates wait for it. */
const SERVER_ALERTS_LOCK = 7_305_020;
const LOCK_WAIT_MS = 1_000;

/** The open alert with this code about Suncrew's own servers. */
export interface OpenServerAlert extends Pick<ServerAlert, "severity"> {
  readonly id: string;
  readonly params: object | null;
  readonly raised_at: Date;
}

/** Null where none is open. */
export async function openServerAlert(db: Executor, code: ServerAlertCode): Promise<OpenServerAlert | null> {
  return openAlert(db, code, null);
}

/** The open alert with this code about a whole site; null where none is open. */
export async function openSiteAlert(
  db: Executor,
  siteId: number,
  code: ServerAlertCode,
): Promise<OpenServerAlert | null> {
  return openAlert(db, code, siteId);
}

async function openAlert(db: Executor, code: ServerAlertCode, siteId: number | null) {
  const alert = await aboutWhole(db, code, siteId).where("cleared_at", "is", null).executeTakeFirst();
  return alert ?? null;
}

/** The one that was raised last, also if it is over. */
export async function newestServerAlert(db: Executor, code: ServerAlertCode) {
  const alert = await aboutWhole(db, code, null)
    .select(["cleared_at", "acknowledged_at"])
    .orderBy("raised_at", "desc")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return alert ?? null;
}

/** About Suncrew's own servers, or a whole site. */
function aboutWhole(db: Executor, code: ServerAlertCode, siteId: number | null) {
  return db
    .selectFrom("alerts")
    .select([sql<string>`id::text`.as("id"), "severity", "params", "raised_at"])
    .where("code", "=", code)
    .where("site_id", "is not distinct from", siteId)
    .where("robot_id", "is", null);
}

/** Whether the open alert says what it should; both are null where nothing is wrong. */
export function isCurrentAlert(expected: ServerAlert | null, open: OpenServerAlert | null): boolean {
  if (expected === null || open === null) return expected === open;
  return expected.severity === open.severity && isDeepStrictEqual(expected.params, open.params);
}

/**
 * Raises, rewords or clears the one alert with this code about Suncrew's own servers: it becomes `alert`, or is over
 * where that is null. Only the open one counts, so that an acknowledgement stays while it is reworded, unless it got worse.
 * What comes to be about more, as about a second contact point, is raised again: who was told of the first knows nothing
 * of that.
 */
export async function bringServerAlert(
  tx: Tx,
  alert: ServerAlert | null,
  code: ServerAlertCode,
  now: Date,
): Promise<void> {
  await bringAlert(tx, alert, { code, siteId: null }, now);
}

/** The same of a whole site; the caller has locked what only one server may work on. */
export async function bringSiteAlert(
  tx: Tx,
  siteId: number,
  alert: ServerAlert | null,
  code: ServerAlertCode,
  now: Date,
): Promise<void> {
  await bringAlert(tx, alert, { code, siteId }, now);
}

async function bringAlert(
  tx: Tx,
  alert: ServerAlert | null,
  { code, siteId }: { readonly code: ServerAlertCode; readonly siteId: number | null },
  now: Date,
): Promise<void> {
  const open = await openAlert(tx, code, siteId);
  if (isCurrentAlert(alert, open)) return;
  if (open === null) {
    if (alert === null) return;
    await tx
      .insertInto("alerts")
      .values({ site_id: siteId, robot_id: null, source: "SERVER", ...alert, raised_at: now })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  } else {
    const isMore = alert !== null && isAboutMore(alert.params, open.params);
    const change =
      alert === null
        ? { cleared_at: sql<Date>`greatest(raised_at, ${now})` }
        : {
            severity: alert.severity,
            text: alert.text,
            params: alert.params,
            ...(isMore && { raised_at: sql<Date>`greatest(raised_at, ${now})` }),
          };
    await tx
      .updateTable("alerts")
      .set({ ...change, change_no: changedNow })
      .where("id", "=", sql<number>`${open.id}::bigint`)
      .where("cleared_at", "is", null)
      .execute();
    const isWorsened = alert !== null && isWorse(alert.severity, open.severity);
    if (isWorsened || isMore) {
      const why = isWorsened ? worseText(open.severity, alert.severity) : "It is about more than it was.";
      await takeAcknowledgementsBack(tx, [{ id: Number(open.id), why, at: now }]);
    }
  }
  await announceChange(tx);
}

/**
 * Brings the alert with this code into line with what `read` finds. Any number of servers may call this: what is to be
 * changed is read again under a lock, so that none of them writes what another knew a moment ago.
 */
export async function keepServerAlert(
  db: Db,
  code: ServerAlertCode,
  read: (db: Executor) => Promise<ServerAlert | null>,
  now: Date,
): Promise<void> {
  if (isCurrentAlert(await read(db), await openServerAlert(db, code))) return;
  await inTransaction(db, async (tx) => {
    await setLockTimeout(tx, LOCK_WAIT_MS);
    await sql`select pg_advisory_xact_lock(${SERVER_ALERTS_LOCK})`.execute(tx);
    await bringServerAlert(tx, await read(tx), code, now);
  });
}
