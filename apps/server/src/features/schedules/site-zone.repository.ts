import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";

/** One advisory lock for each site's time zone; the number means nothing. */
const ZONE_LOCK = 7_305_008;

/**
 * Keeps the time zone of a site as it is until the end of the transaction, so that a schedule is never planned by clocks
 * that are the site's no more. It comes before every row of schedules; what is read of the site afterwards holds.
 */
export async function keepZone(tx: Tx, siteId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${ZONE_LOCK}::int, ${siteId}::int)`.execute(tx);
}

/** Waits for whoever plans schedules of the site, and keeps others from it until the site has its other time zone. */
export async function holdZone(tx: Tx, siteId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${ZONE_LOCK}::int, ${siteId}::int)`.execute(tx);
}
