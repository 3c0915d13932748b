import type { FieldError } from "@suncrew/contract/http/error.ts";
import { duplicateSiteName } from "@suncrew/domain/sites/site-name.ts";
import { duplicateLocation } from "@suncrew/domain/sites/site-place.ts";
import { LocationIndex } from "@suncrew/domain/sites/location-index.ts";
import { type Expression, sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";

export interface PlacedSite {
  /** Where it is stored already. */
  readonly id?: number;
  readonly name: string;
  readonly latitude: number;
  readonly longitude: number;
}

/** The name as the index over names compares it (§5 Site create: trimmed, any case). */
const nameKey = (name: Expression<string>) => sql<string>`lower(btrim(normalize(${name}, NFC)))`;

/** The names as the database compares them, in their order. */
export async function nameKeysOf(tx: Tx, names: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    select ${nameKey(sql.ref<string>("name"))} as key
    from unnest(${[...names]}::text[]) with ordinality as t (name, nth) order by nth`.execute(tx);
  return rows.map(({ key }) => key);
}

/** §5 Site create: what of each of these sites another one has already, while this transaction holds the sites. */
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
  const keys = await nameKeysOf(
    tx,
    sites.map(({ name }) => name),
  );
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
