import type { ImportRow } from "@suncrew/contract/http/import.ts";
import { siteBodySchema } from "@suncrew/contract/sites/sites.ts";
import { SITE_COLUMNS } from "@suncrew/domain/csv/import-columns.ts";
import {
  dayOfCell,
  firstPerField,
  type ImportLine,
  readImportFile,
  findDuplicateRows,
  duplicateSentence,
} from "@suncrew/domain/csv/import-file.ts";
import { missingContacts } from "@suncrew/domain/sites/site-contacts.ts";
import { LocationIndex } from "@suncrew/domain/sites/location-index.ts";
import type { Tx } from "../../platform/database/database.ts";
import type { CheckedImport } from "../../platform/http/import-answer.ts";
import { fieldProblemsOf } from "../../platform/http/validation-errors.ts";
import { nameKeysOf, type PlacedSite, siteConflicts } from "./site-conflicts.repository.ts";
import { contentOf, type SiteContent } from "./site-rows.repository.ts";
import { DEFAULT_PARTNER_ID } from "./save-site.ts";
import { readPartnerIds } from "./partner-ids.repository.ts";

type Line = ImportLine<(typeof SITE_COLUMNS)[number]>;
type Problem = ImportRow["problems"][number];

export interface CheckedSites extends CheckedImport {
  /** What each row stores, where it can be stored. */
  readonly sites: readonly SiteContent[];
}

const columns = {
  all: SITE_COLUMNS,
  optional: ["maintenance_partner", "maintenance_contact_name", "maintenance_contact", "maintenance_email"],
} as const;

/** Every row of a file of new sites by the rules of the form (§5 Site create), against the sites there are and each other. */
export async function checkSiteFile(tx: Tx, csv: string): Promise<CheckedSites> {
  const { lines, problems } = readImportFile(csv, columns);
  if (problems.length > 0) return { rows: [], problems, sites: [] };
  const partnerIds = await readPartnerIds(
    tx,
    lines.map(({ cells }) => cells.maintenance_partner),
  );
  const understood = lines.map((line) => understand(line, partnerIds.get(line.cells.maintenance_partner) ?? []));
  const placed = lines.map(placedOf);
  const conflicts = await siteConflicts(tx, placed);
  const inFile = await conflictsInFile(tx, lines, placed);
  const rows = lines.map(({ row, cells }, nth): ImportRow => {
    const own = understood[nth]?.problems ?? [];
    const taken = [...(conflicts[nth] ?? []), ...(inFile[nth] ?? [])];
    const { day = null } = understood[nth] ?? {};
    return { row, name: cells.name, day, problems: firstPerField([...own, ...taken]) };
  });
  return { rows, problems: [], sites: understood.flatMap(({ site }) => site ?? []) };
}

interface Understood {
  readonly site: SiteContent | null;
  readonly day: string | null;
  readonly problems: readonly Problem[];
}

function understand({ cells, problems }: Line, partnerIds: readonly number[]): Understood {
  if (problems.length > 0) return { site: null, day: null, problems };
  const field = "commissioning_date";
  const read = dayOfCell(cells[field]);
  const day = siteBodySchema.shape[field].safeParse(read.day).data ?? null;
  const unclear = read.problem === null ? [] : [{ field, message: read.problem }];
  const { maintenance_partner: partner, ...fields } = cells;
  const partnerProblems = partner === "" ? [] : partnerProblemsOf(partner, partnerIds.length);
  const parsed = siteBodySchema.safeParse({ ...fields, [field]: read.day });
  if (!parsed.success) {
    return { site: null, day, problems: [...unclear, ...fieldProblemsOf(parsed.error), ...partnerProblems] };
  }
  const { data } = parsed;
  const named = partnerIds[0] ?? DEFAULT_PARTNER_ID;
  const isTyped = (data.maintenance_contact_name ?? data.maintenance_contact ?? data.maintenance_email) !== null;
  // As in the form: whom to call is typed where there is no partner, and nothing at all means the default one.
  const site = { ...data, maintenance_partner_id: partner === "" && isTyped ? null : named };
  const wrong = [...missingContacts(site), ...partnerProblems];
  return { site: wrong.length > 0 ? null : contentOf(site), day, problems: wrong };
}

function partnerProblemsOf(partner: string, found: number): Problem[] {
  if (found === 1) return [];
  const message =
    found === 0
      ? `There is no maintenance partner "${partner}"`
      : `Several maintenance partners are named "${partner}"`;
  return [{ field: "maintenance_partner", message }];
}

/** Name and place, also of a row that has another problem: so that all of its problems are told at once. */
function placedOf({ cells }: Line): PlacedSite {
  const { latitude, longitude } = siteBodySchema.shape;
  const degrees = (parsed: { readonly success: boolean; readonly data?: number }) => parsed.data ?? Number.NaN;
  return {
    name: cells.name,
    latitude: degrees(latitude.safeParse(cells.latitude)),
    longitude: degrees(longitude.safeParse(cells.longitude)),
  };
}

/** §5: names and places that stand twice in the file, with the rows of the others. */
async function conflictsInFile(tx: Tx, lines: readonly Line[], placed: readonly PlacedSite[]): Promise<Problem[][]> {
  const rowOf = (nth: number) => lines[nth]?.row ?? 0;
  const keys = await nameKeysOf(
    tx,
    placed.map(({ name }) => name),
  );
  const names = findDuplicateRows(
    keys.map((key) => (key === "" ? null : key)),
    rowOf,
  );
  const places = new LocationIndex<number>();
  for (const [nth, place] of placed.entries()) places.add(place, nth);
  return placed.map((place, nth) => {
    const sameName = names.get(nth);
    const samePlace = places.at(place, (other) => other === nth);
    return [
      ...(sameName === undefined ? [] : [{ field: "name", message: duplicateSentence(sameName) }]),
      ...(samePlace === null
        ? []
        : ["latitude", "longitude"].map((field) => ({ field, message: duplicateSentence([rowOf(samePlace)]) }))),
    ];
  });
}
