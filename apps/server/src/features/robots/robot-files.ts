import type { ImportRow } from "@suncrew/contract/http/import.ts";
import type { BodyOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import {
  ROBOT_COLUMNS,
  ROBOT_OPTIONAL_COLUMNS,
  createRobot,
  importRobots,
} from "@suncrew/contract/robots/robot-forms.ts";
import {
  dayOfCell,
  duplicateSentence,
  findDuplicateRows,
  firstPerField,
  type ImportLine,
  readImportFile,
} from "@suncrew/domain/csv/import-file.ts";
import { robotNameKey } from "@suncrew/domain/robots/robot-name.ts";
import { siteNameKey } from "@suncrew/domain/sites/site-duplicates.ts";
import type { Tx } from "../../platform/database/database.ts";
import { ConcurrentChangeError, transactionWithRetry } from "../../platform/database/transactions.ts";
import { HttpError } from "../../platform/http/http-error.ts";
import { type CheckedImport, importAnswer, importRefusal, isImportable } from "../../platform/http/import-answer.ts";
import { serializeAnswer } from "../../platform/http/register.ts";
import { fieldProblemsOf } from "../../platform/http/error-handler.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { workerTask } from "../../platform/workers/worker-task.ts";
import { recordAudit, recordAudits } from "../audit/public.ts";
import { type ConflictCheck, type NamedRobot, robotConflicts } from "./robot-conflicts.repository.ts";
import { lockSites, robotFileOf, siteIdsByName } from "./robots.queries.ts";
import { insertRobots, type NewRobot } from "./robots.repository.ts";

/** The outcome of an import in its transaction; a refusal is recorded, and thrown after the commit. */
type ImportedRobots =
  | {
      readonly kind: "answered";
      readonly answer: ResponseOf<typeof importRobots>;
      /** Of the robots that were stored. */
      readonly serials: readonly string[];
    }
  | { readonly kind: "refused"; readonly error: HttpError };

interface FileCall {
  readonly viewer: Viewer;
  readonly body: BodyOf<typeof importRobots>;
  readonly now: Date;
}

/** §7: a file of new robots, checked or stored. Throws 400 if a row to be stored is invalid. */
export const importRobotsTask = workerTask("import robots", async ({ viewer, body, now }: FileCall, { db }) => {
  const imported = await transactionWithRetry(db, (tx) => importRobotFile(tx, viewer, body, now));
  if (imported.kind === "refused") throw imported.error;
  return { json: serializeAnswer(importRobots, imported.answer), serials: imported.serials };
});

/** The robots of the viewer's sites, as a CSV file. */
export const exportRobotsTask = workerTask("export robots", (viewer: Viewer, { db }) => robotFileOf(viewer, db));

/** Checks a file of new robots for the viewer's sites, or creates them all, or none if a row is invalid. */
async function importRobotFile(
  tx: Tx,
  viewer: Viewer,
  { csv, apply }: BodyOf<typeof importRobots>,
  now: Date,
): Promise<ImportedRobots> {
  let checked = await checkRobotFile(tx, viewer, csv, "preview");
  if (!apply) return { kind: "answered", answer: importAnswer(checked, false), serials: [] };
  if (isImportable(checked)) {
    const siteIds = new Set(checked.robots.map(({ site_id }) => site_id));
    await lockSites(viewer, tx, [...siteIds]).catch((error: unknown) => {
      // A site was deleted or reassigned since its name was looked up.
      throw error instanceof HttpError ? new ConcurrentChangeError() : error;
    });
    // Repeated to see what was stored while this call waited for the sites.
    checked = await checkRobotFile(tx, viewer, csv, "to store");
  }
  const about = { actor: { userId: viewer.userId, name: viewer.name }, entity: "robot", at: now };
  if (!isImportable(checked)) {
    const error = importRefusal(checked);
    const after = { rows: checked.rows.length };
    await recordAudit(tx, { ...about, action: "IMPORT_ROBOTS", outcome: "REFUSED", reason: error.message, after });
    return { kind: "refused", error };
  }
  const stored = await insertRobots(tx, checked.robots, now);
  const ids = new Map(stored.map(({ id, serial_number }) => [serial_number, id]));
  // One per robot, as if it had been typed, so that the record of a robot begins with its creation.
  const records = checked.robots.map((robot) => {
    const { site_id: siteId, serial_number } = robot;
    const created = { action: "CREATE_ROBOT", entityId: ids.get(serial_number) ?? null, siteId };
    return { ...about, ...created, outcome: "DONE" as const, reason: "Imported from a file.", after: { ...robot } };
  });
  await recordAudits(tx, records);
  const serials = stored.map(({ serial_number }) => serial_number);
  return { kind: "answered", answer: importAnswer(checked, true), serials };
}

type Line = ImportLine<(typeof ROBOT_COLUMNS)[number]>;
type Problem = ImportRow["problems"][number];

interface CheckedRobots extends CheckedImport {
  /** What each row stores, if it can be stored. */
  readonly robots: readonly NewRobot[];
}

const columns = { all: ROBOT_COLUMNS, optional: ROBOT_OPTIONAL_COLUMNS };

/** An id that no site has. */
const NO_SITE = 0;

/**
 * Checks every row of a file of new robots by the rules of the form (§5 Robot form), against existing robots and each
 * other.
 */
async function checkRobotFile(tx: Tx, viewer: Viewer, csv: string, check: ConflictCheck): Promise<CheckedRobots> {
  const { lines, problems } = readImportFile(csv, columns);
  if (problems.length > 0) return { rows: [], problems, robots: [] };
  const siteIds = await siteIdsByName(viewer, tx, siteNameKey);
  const siteIdOf = ({ cells }: Line) => siteIds.get(siteNameKey(cells.site)) ?? NO_SITE;
  const parsed = lines.map((line) => parseRow(line, siteIdOf(line)));
  const named = lines.map((line) => namedOf(line, siteIdOf(line)));
  const conflicts = await robotConflicts(tx, viewer, named, check);
  const inFile = conflictsInFile(lines, named);
  const rows = lines.map(({ row, cells }, nth): ImportRow => {
    const own = parsed[nth]?.problems ?? [];
    const taken = [...(conflicts[nth] ?? []).map(({ field, message }) => ({ field, message })), ...(inFile[nth] ?? [])];
    const { day = null } = parsed[nth] ?? {};
    return { row, name: cells.serial_number, day, problems: firstPerField([...own, ...taken]) };
  });
  return { rows, problems: [], robots: parsed.flatMap(({ robot }) => robot ?? []) };
}

interface ParsedRow {
  readonly robot: NewRobot | null;
  readonly day: string | null;
  readonly problems: readonly Problem[];
}

function parseRow({ cells, problems }: Line, siteId: number): ParsedRow {
  if (problems.length > 0) return { robot: null, day: null, problems };
  const field = "installation_date";
  const { day, problem } = dayOfCell(cells[field]);
  const { site, ...fields } = cells;
  const parsed = createRobot.body.safeParse({
    ...fields,
    ...namedOf({ cells }, siteId),
    // Reported by its name below.
    site_id: siteId === NO_SITE ? 1 : siteId,
    [field]: day,
  });
  const noSite: Problem = {
    field: "site",
    message: site === "" ? "Site is required" : `There is no site "${site}"`,
  };
  const wrong = [
    ...(siteId === NO_SITE ? [noSite] : []),
    ...(problem === null ? [] : [{ field, message: problem }]),
    ...(parsed.success ? [] : fieldProblemsOf(parsed.error)),
  ];
  const isRight = parsed.success && wrong.length === 0;
  return {
    robot: isRight ? parsed.data : null,
    day: createRobot.body.shape.installation_date.safeParse(day).data ?? null,
    problems: wrong,
  };
}

/** §5: choosing the serial number also sets the name to it, so a file may omit the name. */
function namedOf({ cells }: Pick<Line, "cells">, siteId: number): NamedRobot {
  const { serial_number, robot_name } = cells;
  return { site_id: siteId, serial_number, robot_name: robot_name === "" ? serial_number : robot_name };
}

/** §5: duplicate serial numbers in the file, and names at one site, with the rows of the others. */
function conflictsInFile(lines: readonly Line[], named: readonly NamedRobot[]): Problem[][] {
  const rowOf = (nth: number) => lines[nth]?.row ?? 0;
  const serials = findDuplicateRows(
    named.map(({ serial_number }) => (serial_number === "" ? null : serial_number)),
    rowOf,
  );
  const names = findDuplicateRows(
    named.map(({ site_id, robot_name }) =>
      site_id === NO_SITE || robot_name === "" ? null : `${site_id} ${robotNameKey(robot_name)}`,
    ),
    rowOf,
  );
  return named.map((_robot, nth) => {
    const sameSerial = serials.get(nth);
    const sameName = names.get(nth);
    return [
      ...(sameSerial === undefined ? [] : [{ field: "serial_number", message: duplicateSentence(sameSerial) }]),
      ...(sameName === undefined ? [] : [{ field: "robot_name", message: duplicateSentence(sameName) }]),
    ];
  });
}
