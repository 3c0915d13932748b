import { siteSoiledAlert } from "@suncrew/domain/alerts/server-alerts.ts";
import { missingFacts, soilingAlertOf } from "@suncrew/domain/sites/site-energy-facts.ts";
import { sql } from "kysely";
import type { Db, Tx } from "../../platform/database/database.ts";
import { type Claim, LeasedQueue } from "../../platform/database/leased-queue.ts";
import { inTransaction } from "../../platform/database/transactions.ts";
import { bringSiteAlert, openSiteAlert } from "../alerts/public.ts";
import { soilingBasis } from "./soiling-basis.repository.ts";
import type { ComputedSoiling } from "./soiling-inputs.repository.ts";

/** The hours that were ahead become the past: even if nothing else has changed, a site is computed again after this. */
const EVERY_MS = 3_600_000;
/** However often its inputs change, a site is not computed again within this time. */
const LEAST_MS = 10 * 60_000;

const queue = new LeasedQueue("site_soiling", {
  attempts: "attempts",
  dueAt: "next_at",
  isOpen: sql<boolean>`exists (select from sites where sites.id = site_id and sites.deleted_at is null)`,
});

/** Has new sites computed, and those again whose inputs, runs, robots or facts have changed. */
export async function planSoiling(db: Db, now: Date): Promise<void> {
  await sql`
    insert into site_soiling (site_id, next_at)
    select s.id, ${now} from sites s
    where s.deleted_at is null and not exists (select from site_soiling q where q.site_id = s.id)
    order by s.id on conflict do nothing`.execute(db);
  // A site without any inputs is computed as soon as the first have come.
  const soonest = sql`greatest(${now}, case when q.source is not null
    then q.computed_at + interval '1 millisecond' * ${sql.lit(LEAST_MS)} end)`;
  await sql`
    update site_soiling q set next_at = ${soonest} from sites s
    where s.id = q.site_id and s.deleted_at is null and q.next_at > ${soonest}
      and q.computed_from is distinct from ${soilingBasis(now)}`.execute(db);
}

interface SoilingClaim extends Claim {
  readonly siteId: number;
}

/** Claims the site that has been due longest; null if none is. */
export async function claimSoiling(db: Db, now: Date): Promise<SoilingClaim | null> {
  const { rows } = await sql<SoilingClaim>`
    update site_soiling q set ${queue.claiming("q", now)}, computed_from = ${soilingBasis(now)} from sites s
    where s.id = q.site_id and q.id = ${queue.nextDue(now)}
    returning q.id, q.attempts as attempt, q.site_id as "siteId"`.execute(db);
  return rows[0] ?? null;
}

/** Stores what was computed, and raises, rewords or ends the site's alert; nothing if the claim is lost. */
export async function storeSoiling(db: Db, claim: SoilingClaim, computed: ComputedSoiling, now: Date): Promise<void> {
  await inTransaction(db, async (tx) => {
    // A site that is being deleted has its alerts ended by that.
    const site = await tx
      .selectFrom("sites")
      .select("id")
      .where("id", "=", claim.siteId)
      .where("deleted_at", "is", null)
      .forShare()
      .executeTakeFirst();
    if (site === undefined) return;
    const { ratio, tonight_gain_kwh: kwh, tonight_gain_money: money, currency } = computed.modelled;
    const { numUpdatedRows } = await tx
      .updateTable("site_soiling")
      .set({ next_at: new Date(now.getTime() + EVERY_MS), computed_at: now })
      .set({ source: computed.source, received_at: computed.receivedAt, currency })
      .set({ ratio: ratio?.value ?? null, ratio_low: ratio?.low ?? null, ratio_high: ratio?.high ?? null })
      .set({ gain_kwh: kwh?.value ?? null, gain_kwh_low: kwh?.low ?? null, gain_kwh_high: kwh?.high ?? null })
      .set({
        gain_money: money?.value ?? null,
        gain_money_low: money?.low ?? null,
        gain_money_high: money?.high ?? null,
      })
      .where(queue.isHeld(claim))
      .executeTakeFirst();
    if (numUpdatedRows > 0n) await bringSoiledAlert(tx, claim.siteId, computed, now);
  });
}

async function bringSoiledAlert(
  tx: Tx,
  siteId: number,
  { modelled: { model, ratio, soiling_rate_factor: factor }, facts, isStale }: ComputedSoiling,
  now: Date,
): Promise<void> {
  // Nobody knows whether it has rained since: what was said stays.
  if (isStale) return;
  const open = await openSiteAlert(tx, siteId, "SITE_SOILED");
  const isKnown = model !== null && ratio !== null && missingFacts(facts, "loss").length === 0;
  const alert = isKnown
    ? siteSoiledAlert({ ratio, limit: soilingAlertOf(facts), isOpen: open !== null, factor })
    : null;
  await bringSiteAlert(tx, siteId, alert, "SITE_SOILED", now);
}

/** After the database was restored from a backup: everything is computed anew. */
export async function computeSoilingAnew(tx: Tx, now: Date): Promise<void> {
  await tx
    .updateTable("site_soiling")
    .set((eb) => ({ next_at: now, attempts: eb("attempts", "+", 1) }))
    .execute();
}
