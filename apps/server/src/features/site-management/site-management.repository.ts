import type { FieldError } from "@suncrew/contract/http/error.ts";
import type { BodyOf } from "@suncrew/contract/http/route.ts";
import type { EnergyFact, EnergyFacts } from "@suncrew/contract/sites/site-energy-facts.ts";
import { type createSite, SITE_FIELDS } from "@suncrew/contract/sites/site-forms.ts";
import { duplicateLocation, duplicateSiteName, LocationIndex } from "@suncrew/domain/sites/site-duplicates.ts";
import { storedMaintenance } from "@suncrew/domain/sites/site-contacts.ts";
import { type Expression, sql } from "kysely";
import { announceScope } from "../../platform/change-signal.ts";
import { changedNow, type Tx } from "../../platform/database/database.ts";
import { notFound } from "../../platform/http/http-error.ts";
import { endCorrections } from "../soiling/public.ts";

/** §9: the maintenance partner of a site if none is chosen. */
export const DEFAULT_PARTNER_ID = 1;

export type SiteContent = Omit<BodyOf<typeof createSite>, "maintenance_partner_id" | EnergyFact> &
  EnergyFacts & { readonly maintenance_partner_id: number | null };

export interface StoredSite {
  readonly content: SiteContent;
  readonly timezone: string;
  readonly version: number;
}

/** Advisory lock of transactions that write sites; the number is arbitrary. */
const SITES_LOCK = 7_305_004;

/**
 * Lets one transaction at a time create, change or delete sites: names and places are compared with all others, which
 * no index does for places. This lock is taken before all others; then partners, schedules, robots, groups, and sites
 * last.
 */
export async function holdSites(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${SITES_LOCK})`.execute(tx);
}

/** A site while this transaction holds the sites lock; null if it does not exist. */
export async function readStored(tx: Tx, siteId: number): Promise<StoredSite | null> {
  const row = await tx
    .selectFrom("sites")
    .select([...SITE_FIELDS, "timezone", "version"])
    .where("id", "=", siteId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { timezone, version, ...content } = row;
  return { content: contentOf(content), timezone, version };
}

/** The part of a form that is stored: with a partner, the contact is the partner's. */
export function contentOf(form: SiteContent): SiteContent {
  return { ...form, ...storedMaintenance(form) };
}

export interface NewSite {
  readonly content: SiteContent;
  readonly timezone: string;
}

/** Stores sites in one statement; returns their ids in order. */
export async function insertSites(tx: Tx, sites: readonly NewSite[], now: Date): Promise<number[]> {
  const rows = sites.map(({ content, timezone }) => ({ ...content, timezone }));
  const columns = sql.join([...SITE_FIELDS, "timezone"].map((column) => sql.ref(column)));
  const { rows: stored } = await sql<{ id: number; name: string }>`
    insert into sites (${columns}, created_at)
    select ${columns}, ${now}
    from json_populate_recordset(null::sites, ${JSON.stringify(rows)}::json) with ordinality
    order by ordinality
    returning id, name`.execute(tx);
  await announceScope(tx);
  // Names are unique.
  const byName = new Map(stored.map(({ id, name }) => [name, id]));
  return rows.flatMap(({ name }) => byName.get(name) ?? []);
}

/** Stores an edit and makes it visible to every console. */
export async function changeSite(tx: Tx, siteId: number, { content, timezone }: NewSite): Promise<void> {
  await endCorrections(tx, siteId, content);
  await tx
    .updateTable("sites")
    .set({ ...content, timezone, change_no: changedNow })
    .set((eb) => ({ version: eb("version", "+", 1) }))
    .where("id", "=", siteId)
    .execute();
  await announceScope(tx);
}

/**
 * Changes facts of a site, as its form would, to what `change` makes of them. The caller knows that the site is the
 * viewer's. Throws 404 if it does not exist any more.
 */
export async function changeFacts(
  tx: Tx,
  siteId: number,
  change: (facts: EnergyFacts) => Promise<Partial<EnergyFacts>>,
): Promise<void> {
  await holdSites(tx);
  const stored = await readStored(tx, siteId);
  if (stored === null) throw notFound("Site");
  const content = { ...stored.content, ...(await change(stored.content)) };
  await changeSite(tx, siteId, { content, timezone: stored.timezone });
}

/** The robots of a site that have not been deleted. */
export async function robotsOfSite(tx: Tx, siteId: number): Promise<number[]> {
  const rows = await tx
    .selectFrom("robots")
    .select("id")
    .where("site_id", "=", siteId)
    .where("deleted_at", "is", null)
    .execute();
  return rows.map(({ id }) => id);
}

/** Soft-deletes a site, so that its history stays and its name and place are free. */
export async function markDeleted(tx: Tx, siteId: number, now: Date): Promise<void> {
  await tx.updateTable("sites").set({ deleted_at: now, change_no: changedNow }).where("id", "=", siteId).execute();
  await announceScope(tx);
}

export interface PlacedSite {
  /** Present if it is already stored. */
  readonly id?: number;
  readonly name: string;
  readonly latitude: number;
  readonly longitude: number;
}

/** The name as the index over names compares it (§5 Site create: trimmed, any case). */
const nameKey = (name: Expression<string>) => sql<string>`lower(btrim(normalize(${name}, NFC)))`;

/** The names as the database compares them, in order. */
export async function nameKeysOf(tx: Tx, names: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    select ${nameKey(sql.ref<string>("name"))} as key
    from unnest(${[...names]}::text[]) with ordinality as t (name, nth) order by nth`.execute(tx);
  return rows.map(({ key }) => key);
}

/** §5 Site create: which names and places of these sites are taken, while this transaction holds the sites lock. */
export async function siteConflicts(tx: Tx, sites: readonly PlacedSite[]): Promise<FieldError[][]> {
  const others = await tx
    .selectFrom("sites")
    .select(["id", "latitude", "longitude"])
    .select(nameKey(sql.ref<string>("sites.name")).as("key"))
    .where("deleted_at", "is", null)
    .execute();
  const byName = new Map(others.map(({ key, id }) => [key, id]));
  const places = new LocationIndex<number>();
  for (const other of others) places.add(other, other.id);
  const names = sites.map(({ name }) => name);
  const keys = await nameKeysOf(tx, names);
  return sites.map((site, nth) => {
    const namesake = byName.get(keys[nth] ?? "");
    return [
      ...(namesake !== undefined && namesake !== site.id ? [duplicateNameError] : []),
      ...(places.at(site, (id) => id === site.id) === null ? [] : duplicatePlaceErrors),
    ];
  });
}

const duplicateNameError: FieldError = { field: "name", message: duplicateSiteName.message };
const duplicatePlaceErrors: readonly FieldError[] = [
  { field: "latitude", message: duplicateLocation.message },
  { field: "longitude", message: duplicateLocation.message },
];

/** The partners with each of these names, trimmed and in any case. */
export async function readPartnerIds(
  tx: Tx,
  names: readonly string[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  const wanted = [...new Set(names)].filter((name) => name !== "");
  const { rows } = await sql<{ name: string; ids: number[] }>`
    select asked.name, array_agg(p.id order by p.id) as ids
    from unnest(${wanted}::text[]) as asked (name)
    join partners p on p.deleted_at is null
      and lower(btrim(normalize(p.name, NFC))) = lower(btrim(normalize(asked.name, NFC)))
    group by asked.name`.execute(tx);
  return new Map(rows.map(({ name, ids }) => [name, ids]));
}
