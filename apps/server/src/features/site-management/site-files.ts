import type { ImportRow } from "@suncrew/contract/http/import.ts";
import type { BodyOf } from "@suncrew/contract/http/route.ts";
import { siteBodySchema } from "@suncrew/contract/sites/site-forms.ts";
import { type Site } from "@suncrew/contract/sites/sites.ts";
import { SITE_COLUMNS, SITE_OPTIONAL_COLUMNS, importSites } from "@suncrew/contract/sites/site-files.ts";
import { type CsvCell, writeCsv } from "@suncrew/domain/csv/csv.ts";
import {
  dayOfCell,
  duplicateSentence,
  findDuplicateRows,
  firstPerField,
  type ImportLine,
  readImportFile,
} from "@suncrew/domain/csv/import-file.ts";
import { LocationIndex } from "@suncrew/domain/sites/site-duplicates.ts";
import { missingContacts } from "@suncrew/domain/sites/site-contacts.ts";
import { changedEnergyFacts, energyFactErrors, noEnergyFacts } from "@suncrew/domain/sites/site-energy-facts.ts";
import { timezoneAt } from "@suncrew/domain/sites/timezone.ts";
import type { Db, Tx } from "../../platform/database/database.ts";
import { ConcurrentChangeError, inTransaction } from "../../platform/database/transactions.ts";
import { type CheckedImport, importAnswer, importRefusal, isImportable } from "../../platform/http/import-answer.ts";
import { serializeAnswer } from "../../platform/http/register.ts";
import { fieldProblemsOf } from "../../platform/http/error-handler.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { workerTask } from "../../platform/workers/worker-task.ts";
import { auditedChange } from "../audit/public.ts";
import { lockLivePartner } from "../partners/public.ts";
import { readSites, type SeenAt } from "../sites/public.ts";
import {
  DEFAULT_PARTNER_ID,
  contentOf,
  holdSites,
  insertSites,
  nameKeysOf,
  type PlacedSite,
  readPartnerIds,
  siteConflicts,
  type SiteContent,
} from "./site-management.repository.ts";

interface FileCall {
  readonly viewer: Viewer;
  readonly body: BodyOf<typeof importSites>;
  readonly now: Date;
}

/** §7: a file of new sites, checked or stored. Throws 400 if a row to be stored is invalid. */
export const importSitesTask = workerTask("import sites", async ({ viewer, body, now }: FileCall, { db }) => {
  const checked = body.apply
    ? await storeSiteFile(db, viewer, body.csv, now)
    : await inTransaction(db, (tx) => checkSiteFile(tx, body.csv));
  return serializeAnswer(importSites, importAnswer(checked, body.apply));
});

/** Creates the sites of a file, or none where one row is wrong. */
async function storeSiteFile(db: Db, viewer: Viewer, csv: string, at: Date): Promise<CheckedSites> {
  const change = { actor: viewer, action: "IMPORT_SITES", entity: "site", at };
  return auditedChange(db, change, async (tx, details) => {
    await holdSites(tx);
    const checked = await checkSiteFile(tx, csv);
    const { rows, sites } = checked;
    details.after = { rows: rows.length };
    if (!isImportable(checked)) throw importRefusal(checked);
    await holdPartners(tx, sites);
    const placed = sites.map((content) => ({ content, timezone: timezoneAt(content.latitude, content.longitude) }));
    const siteIds = await insertSites(tx, placed, at);
    // One for each, as if it had been typed: so the record of a site begins with its creation.
    const created = { ...change, action: "CREATE_SITE", reason: "Imported from a file." };
    details.rows = sites.map((after, nth) => {
      const id = siteIds[nth] ?? null;
      return { ...created, entityId: id, siteId: id, after };
    });
    return checked;
  });
}

async function holdPartners(tx: Tx, sites: readonly SiteContent[]): Promise<void> {
  const ids = new Set(sites.flatMap((site) => site.maintenance_partner_id ?? []));
  for (const id of [...ids].toSorted((one, other) => one - other)) {
    // Deleted since its name was looked up.
    if (!(await lockLivePartner(tx, id))) throw new ConcurrentChangeError();
  }
}

type Line = ImportLine<(typeof SITE_COLUMNS)[number]>;
type Problem = ImportRow["problems"][number];

interface CheckedSites extends CheckedImport {
  /** What each row stores, if it can be stored. */
  readonly sites: readonly SiteContent[];
}

const columns = { all: SITE_COLUMNS, optional: SITE_OPTIONAL_COLUMNS };

/** Checks every row by the rules of the form (§5 Site create), against existing sites and each other. */
async function checkSiteFile(tx: Tx, csv: string): Promise<CheckedSites> {
  const { lines, problems } = readImportFile(csv, columns);
  if (problems.length > 0) return { rows: [], problems, sites: [] };
  const partners = lines.map(({ cells }) => cells.maintenance_partner);
  const partnerIds = await readPartnerIds(tx, partners);
  const parsed = lines.map((line) => parseRow(line, partnerIds.get(line.cells.maintenance_partner) ?? []));
  const placed = lines.map(placedOf);
  const conflicts = await siteConflicts(tx, placed);
  const inFile = await conflictsInFile(tx, lines, placed);
  const rows = lines.map(({ row, cells }, nth): ImportRow => {
    const own = parsed[nth]?.problems ?? [];
    const taken = [...(conflicts[nth] ?? []), ...(inFile[nth] ?? [])];
    const { day = null } = parsed[nth] ?? {};
    return { row, name: cells.name, day, problems: firstPerField([...own, ...taken]) };
  });
  return { rows, problems: [], sites: parsed.flatMap(({ site }) => site ?? []) };
}

interface ParsedRow {
  readonly site: SiteContent | null;
  readonly day: string | null;
  readonly problems: readonly Problem[];
}

function parseRow({ cells, problems }: Line, partnerIds: readonly number[]): ParsedRow {
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
  // As in the form: contacts are entered if there is no partner, and nothing at all means the default partner.
  const facts = changedEnergyFacts(noEnergyFacts, data);
  const site = { ...data, ...facts, maintenance_partner_id: partner === "" && isTyped ? null : named };
  const wrong = [...missingContacts(site), ...energyFactErrors(site), ...partnerProblems];
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

/** Name and place, even of a row with another problem, so that all its problems are reported together. */
function placedOf({ cells }: Line): PlacedSite {
  const { latitude, longitude } = siteBodySchema.shape;
  const degrees = (parsed: { readonly success: boolean; readonly data?: number }) => parsed.data ?? Number.NaN;
  return {
    name: cells.name,
    latitude: degrees(latitude.safeParse(cells.latitude)),
    longitude: degrees(longitude.safeParse(cells.longitude)),
  };
}

/** §5: duplicate names and places in the file, with the rows of the others. */
async function conflictsInFile(tx: Tx, lines: readonly Line[], placed: readonly PlacedSite[]): Promise<Problem[][]> {
  const rowOf = (nth: number) => lines[nth]?.row ?? 0;
  const typed = placed.map(({ name }) => name);
  const keys = (await nameKeysOf(tx, typed)).map((key) => key || null);
  const names = findDuplicateRows(keys, rowOf);
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

interface ExportCall {
  readonly viewer: Viewer;
  readonly at: SeenAt;
}

export const exportSitesTask = workerTask("export sites", async ({ viewer, at }: ExportCall, { db }) =>
  siteFileOf(await readSites(viewer, db, at)),
);

function siteFileOf(sites: readonly Site[]): string {
  return writeCsv(
    SITE_COLUMNS,
    sites.map((site): CsvCell[] =>
      SITE_COLUMNS.map((column) => (column === "maintenance_partner" ? site.partner_name : site[column])),
    ),
  );
}
