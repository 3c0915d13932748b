import { isDeepStrictEqual } from "node:util";
import type { FieldError } from "@suncrew/contract/http/error.ts";
import type { ImportRow } from "@suncrew/contract/http/import.ts";
import type { BodyOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import {
  importMeasurements,
  MEASUREMENT_COLUMNS,
  measurementInputSchema,
  MEASUREMENTS_MAX_ROWS,
  type storeMeasurements,
} from "@suncrew/contract/measurements/measurements.ts";
import { writeCsv } from "@suncrew/domain/csv/csv.ts";
import {
  duplicateSentence,
  findDuplicateRows,
  firstPerField,
  type ImportLine,
  readImportFile,
} from "@suncrew/domain/csv/import-file.ts";
import {
  type DayRange,
  type Measurement,
  measurementOf,
  timeKeyOf,
} from "@suncrew/domain/measurements/measurement-rows.ts";
import { localTimeOf } from "@suncrew/domain/schedules/site-time.ts";
import type { Db } from "../../platform/database/database.ts";
import { fieldProblemsOf, fieldSentence } from "../../platform/http/error-handler.ts";
import { HttpError } from "../../platform/http/http-error.ts";
import { type CheckedImport, importAnswer, importRefusal, isImportable } from "../../platform/http/import-answer.ts";
import { serializeAnswer } from "../../platform/http/register.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { workerTask } from "../../platform/workers/worker-task.ts";
import { auditedChange } from "../audit/public.ts";
import { readMeasuredSite, readMeasurements, type SiteOfMeasurements } from "./measurements.queries.ts";
import { type StoredCounts, storeMeasurements as store } from "./measurements.repository.ts";

interface SiteCall {
  readonly viewer: Viewer;
  readonly siteId: number;
  readonly now: Date;
}

interface Checked extends CheckedImport {
  /** What is stored if there are no problems. */
  readonly measurements: readonly Measurement[];
}

/** A file of measurements, checked or stored. Throws 400 if a row to be stored is invalid, and 404. */
export const importMeasurementsTask = workerTask(
  "import measurements",
  async ({ body, ...call }: SiteCall & { readonly body: BodyOf<typeof importMeasurements> }, { db }) => {
    const check = (site: SiteOfMeasurements) => checkFile(body.csv, site, call.now);
    const checked = body.apply
      ? (await storeChecked(db, call, "IMPORT_MEASUREMENTS", check, importRefusal)).checked
      : check(await readMeasuredSite(call.viewer, db, call.siteId));
    return serializeAnswer(importMeasurements, importAnswer(checked, body.apply));
  },
);

/** Measurements that a program sends. Throws 400 that names each wrong one, and 404. */
export async function storeValues(
  db: Db,
  call: SiteCall,
  { values }: BodyOf<typeof storeMeasurements>,
): Promise<ResponseOf<typeof storeMeasurements>> {
  const check = (site: SiteOfMeasurements) => checkValues(values, site, call.now);
  const { counts } = await storeChecked(db, call, "STORE_MEASUREMENTS", check, valuesRefusal);
  const { added, replaced, unchanged } = counts;
  return { message: `${added} added, ${replaced} replaced, ${unchanged} unchanged.`, ...counts };
}

/**
 * Stores all, or none where one is wrong. Years of hours take a busy server longer to check than a transaction may be
 * idle, so they are checked before it, and in it only if the site has changed meanwhile.
 */
async function storeChecked(
  db: Db,
  { viewer, siteId, now }: SiteCall,
  action: string,
  check: (site: SiteOfMeasurements) => Checked,
  refusal: (checked: Checked) => HttpError,
): Promise<{ readonly checked: Checked; readonly counts: StoredCounts }> {
  const change = { actor: viewer, action, entity: "site", entityId: siteId, siteId, at: now };
  const known = await readMeasuredSite(viewer, db, siteId);
  const early = check(known);
  return auditedChange(db, change, async (tx, details) => {
    const site = await readMeasuredSite(viewer, tx, siteId);
    const checked = isDeepStrictEqual(site, known) ? early : check(site);
    details.after = { measurements: checked.rows.length, ...spanOf(checked.measurements) };
    if (!isImportable(checked)) throw refusal(checked);
    const counts = await store(tx, siteId, checked.measurements, now);
    details.after = { measurements: checked.rows.length, ...spanOf(checked.measurements), ...counts };
    return { checked, counts };
  });
}

function spanOf(measurements: readonly Measurement[]): object {
  const times = measurements.map(({ starts_at: startsAt }) => startsAt.toISOString()).toSorted();
  return times.length === 0 ? {} : { first: times[0], last: times.at(-1) };
}

const REFUSED_MAX = 100;

function valuesRefusal({ rows }: Checked): HttpError {
  const errors = rows.flatMap(({ row, problems }) =>
    problems.map(({ field, message }) => ({
      field: `values.${row - FIRST_ROW}.${field}`,
      message: fieldSentence(field, message),
    })),
  );
  const bad = rows.filter(({ problems }) => problems.length > 0).length;
  const message = `Nothing was stored: ${bad} of ${rows.length} measurements ${bad === 1 ? "is" : "are"} wrong. ${errors[0]?.message ?? ""}`;
  return new HttpError(400, "VALIDATION_FAILED", message.trim(), { errors: errors.slice(0, REFUSED_MAX) });
}

/** Numbered as in a spreadsheet, below the header. */
const FIRST_ROW = 2;

function checkValues(values: BodyOf<typeof storeMeasurements>["values"], site: SiteOfMeasurements, now: Date): Checked {
  const each = values.map((value, nth) => {
    const result = measurementOf(value, site, now);
    return { row: nth + FIRST_ROW, name: value.start, ...result };
  });
  return checkedOf(each, site);
}

type Line = ImportLine<(typeof MEASUREMENT_COLUMNS)[number]>;
const columns = {
  all: MEASUREMENT_COLUMNS,
  optional: MEASUREMENT_COLUMNS.filter((column) => column !== "start"),
  maxRows: MEASUREMENTS_MAX_ROWS,
};

function checkFile(csv: string, site: SiteOfMeasurements, now: Date): Checked {
  const { lines, problems } = readImportFile(csv, columns);
  if (problems.length > 0) return { rows: [], problems, measurements: [] };
  return checkedOf(
    lines.map((line) => ({ row: line.row, name: line.cells.start, ...parseLine(line, site, now) })),
    site,
  );
}

type Result = { readonly measurement: Measurement } | { readonly problems: readonly FieldError[] };

function parseLine({ cells, problems }: Line, site: SiteOfMeasurements, now: Date): Result {
  if (problems.length > 0) return { problems };
  const parsed = measurementInputSchema.safeParse(cells);
  return parsed.success ? measurementOf(parsed.data, site, now) : { problems: fieldProblemsOf(parsed.error) };
}

/** With those of the same time named, which would replace each other. */
function checkedOf(
  each: readonly ({ readonly row: number; readonly name: string } & Result)[],
  { timezone }: SiteOfMeasurements,
): Checked {
  const keys = each.map((one) => ("measurement" in one ? timeKeyOf(one.measurement) : null));
  const duplicates = findDuplicateRows(keys, (nth) => each[nth]?.row ?? 0);
  const rows = each.map((one, nth): ImportRow => {
    const same = duplicates.get(nth);
    const own = "measurement" in one ? [] : one.problems;
    const taken = same === undefined ? [] : [{ field: "start", message: duplicateSentence(same) }];
    const day = "measurement" in one ? localTimeOf(one.measurement.starts_at, timezone).date : null;
    return { row: one.row, name: one.name, day, problems: firstPerField([...own, ...taken]) };
  });
  return { rows, problems: [], measurements: each.flatMap((one) => ("measurement" in one ? one.measurement : [])) };
}

interface ExportCall extends DayRange {
  readonly viewer: Viewer;
  readonly siteId: number;
}

/** Throws 404. */
export const exportMeasurementsTask = workerTask(
  "export measurements",
  async ({ viewer, siteId, ...days }: ExportCall, { db }) => {
    const site = await readMeasuredSite(viewer, db, siteId);
    const measurements = await readMeasurements(viewer, db, site, days);
    return writeCsv(
      MEASUREMENT_COLUMNS,
      measurements.map((one) => [
        one.resolution === "day" ? localTimeOf(one.starts_at, site.timezone).date : one.starts_at.toISOString(),
        one.inverter_energy_kwh,
        one.meter_energy_kwh,
        one.control_energy_kwh,
        one.soiling_ratio,
        one.curtailed === null ? null : one.curtailed ? "yes" : "no",
      ]),
    );
  },
);
