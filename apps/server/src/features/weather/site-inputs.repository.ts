import type { WeatherSource } from "@suncrew/contract/weather/weather.ts";
import { type RawBuilder, sql } from "kysely";
import type { Db, Tx } from "../../platform/database/database.ts";
import { type Claim, LeasedQueue } from "../../platform/database/leased-queue.ts";
import type { Tables } from "../../platform/database/tables.ts";
import { type Located, placeText, surfaceText } from "./conditions.ts";
import type { StoredDay } from "./days-to-ask.ts";

/** What is asked for apart from the rest. */
export type InputKind = Tables["site_inputs"]["kind"];

/** Well beyond what an answer may take. */
const LEASE_MS = 2 * 60_000;

const ofLivingSite = sql<boolean>`exists (select from sites where sites.id = site_id and sites.deleted_at is null)`;

/** Of those kinds that this server asks for. */
function inputsOf(kinds: readonly InputKind[]): LeasedQueue {
  const isOpen = sql<boolean>`(kind = any (${kinds}::text[]) and ${ofLivingSite})`;
  return new LeasedQueue("site_inputs", { attempts: "attempts", dueAt: "next_at", isOpen, leaseMs: LEASE_MS });
}

export interface InputClaim extends Claim, Located {
  readonly siteId: number;
  readonly kind: InputKind;
  readonly failures: number;
}

/** New sites are asked for, and those anew whose place, tilt or provider has changed: an answer on its way is lost. */
export async function planInputs(db: Db, kinds: readonly InputKind[], source: WeatherSource, now: Date): Promise<void> {
  const askedFor: RawBuilder<string> = sql`format('%s %s %s %s %s', ${source}::text, s.latitude, s.longitude,
    s.tilt_degrees, s.azimuth_degrees)`;
  await sql`
    insert into site_inputs (site_id, kind, asked_for, next_at)
    select s.id, k.kind, ${askedFor}, ${now}
    from sites s cross join unnest(${kinds}::text[]) with ordinality k (kind, nth)
    where s.deleted_at is null
      and not exists (select from site_inputs i where i.site_id = s.id and i.kind = k.kind)
    order by k.nth, s.id
    on conflict do nothing`.execute(db);
  await sql`
    update site_inputs i set asked_for = ${askedFor}, next_at = ${now}, attempts = i.attempts + 1, failures = 0
    from sites s
    where s.id = i.site_id and s.deleted_at is null and i.asked_for <> ${askedFor}`.execute(db);
}

/** Claims what has been due longest; null if nothing is. */
export async function claimInput(db: Db, kinds: readonly InputKind[], now: Date): Promise<InputClaim | null> {
  const inputs = inputsOf(kinds);
  const { rows } = await sql<InputClaim>`
    update site_inputs i set ${inputs.claiming("i", now)} from sites s
    where s.id = i.site_id and i.id = ${inputs.nextDue(now)}
    returning i.id, i.attempts as attempt, i.site_id as "siteId", i.kind, i.failures, s.latitude, s.longitude,
      s.tilt_degrees, s.azimuth_degrees`.execute(db);
  return rows[0] ?? null;
}

/** Ends a claim with an answer. False if it is not wanted any more: then nothing of it may be stored. */
export async function endClaim(tx: Tx, claim: InputClaim, nextAt: Date, now: Date): Promise<boolean> {
  return settle(tx, claim, sql`next_at = ${nextAt}, received_at = ${now}, failures = 0`);
}

/** The values of an answer were others than before. */
export async function markChanged(tx: Tx, claim: InputClaim, now: Date): Promise<void> {
  await tx.updateTable("site_inputs").set({ changed_at: now }).where("id", "=", claim.id).execute();
}

export async function failClaim(db: Db, claim: InputClaim, failure: string, nextAt: Date, now: Date): Promise<void> {
  const failures = claim.failures + 1;
  await settle(db, claim, sql`next_at = ${nextAt}, failures = ${failures}, failed_at = ${now}, failure = ${failure}`);
}

/** This server stops: another may begin at once. */
export async function releaseClaim(db: Db, claim: InputClaim, now: Date): Promise<void> {
  await settle(db, claim, sql`next_at = ${now}`);
}

async function settle(db: Db | Tx, claim: InputClaim, assignments: RawBuilder<unknown>): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update site_inputs set ${assignments} where ${inputsOf([claim.kind]).isHeld(claim)}`.execute(db);
  return Number(numAffectedRows ?? 0) > 0;
}

/** After the database was restored from a backup: everything is asked for anew, as what is missing says. */
export async function askInputsAnew(tx: Tx, now: Date): Promise<void> {
  await sql`update site_inputs set next_at = ${now}, attempts = attempts + 1, failures = 0`.execute(tx);
}

/** Days that are stored of what a claim asks for. */
export async function readStoredDays(db: Db, claim: InputClaim, source: WeatherSource): Promise<StoredDay[]> {
  const { siteId, kind } = claim;
  const isOfPlace = sql`source = ${source} and place = ${placeText(claim)}`;
  const { rows } =
    kind === "AIR" || kind === "PAST_AIR"
      ? await sql<StoredDay>`
          select day, ${isOfPlace} as "isSame", confirmed_at as "confirmedAt", false as "isEmpty"
          from site_air_days where site_id = ${siteId} and superseded_at is null`.execute(db)
      : await sql<StoredDay>`
          select day, ${isOfPlace} and surface is not distinct from ${surfaceText(claim)} as "isSame",
            confirmed_at as "confirmedAt", not archived and array_remove(rain_mm, null) = '{}' as "isEmpty"
          from site_weather_days where site_id = ${siteId} and superseded_at is null`.execute(db);
  return rows;
}
