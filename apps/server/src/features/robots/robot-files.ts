import type { ImportRow } from "@suncrew/contract/http/import.ts";
import type { BodyOf } from "@suncrew/contract/http/route.ts";
import { createRobot } from "@suncrew/contract/robots/robot-forms.ts";
import { ROBOT_COLUMNS, ROBOT_OPTIONAL_COLUMNS, importRobots } from "@suncrew/contract/robots/robot-files.ts";
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
import type { Db, Tx } from "../../platform/database/database.ts";
import { ConcurrentChangeError, inTransaction } from "../../platform/database/transactions.ts";
import { HttpError } from "../../platform/http/http-error.ts";
import { type CheckedImport, importAnswer, importRefusal, isImportable } from "../../platform/http/import-answer.ts";
import { serializeAnswer } from "../../platform/http/register.ts";
import { fieldProblemsOf } from "../../platform/http/error-handler.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { workerTask } from "../../platform/workers/worker-task.ts";
import { auditedChange } from "../audit/public.ts";
import { type ConflictCheck, type NamedRobot, robotConflicts } from "./robot-conflicts.repository.ts";
import { lockSites, robotFileOf, siteIdsByName } from "./robots.queries.ts";
import { insertRobots, type NewRobot } from "./robots.repository.ts";

interface FileCall {
  readonly viewer: Viewer;
  readonly body: BodyOf<typeof importRobots>;
  readonly now: Date;
}

/** §7: a file of new robots, checked or stored. Throws 400 if a row to be stored is invalid. */
export const importRobotsTask = workerTask("import robots", async ({ viewer, body, now }: FileCall, { db }) => {
  const { checked, serials } = body.apply
    ? await storeRobotFile(db, viewer, body.csv, now)
    : { checked: await inTransaction(db, (tx) => checkRobotFile(tx, viewer, body.csv, "preview")), serials: [] };
  return { json: serializeAnswer(importRobots, importAnswer(checked, body.apply)), serials };
});

/** The robots of the viewer's sites, as a CSV file. */
export const exportRobotsTask = workerTask("export robots", (viewer: Viewer, { db }) => robotFileOf(viewer, db));

/** Creates the robots of a file for the viewer's sites, or none where one row is wrong; answers their serial numbers. */
async function storeRobotFile(
  db: Db,
  viewer: Viewer,
  csv: string,
  at: Date,
): Promise<{ readonly checked: CheckedRobots; readonly serials: readonly string[] }> {
  const change = { actor: viewer, action: "IMPORT_ROBOTS", entity: "robot", at };
  return auditedChange(db, change, async (tx, details) => {
    let checked = await checkRobotFile(tx, viewer, csv, "preview");
    if (isImportable(checked)) {
      const siteIds = new Set(checked.robots.map(({ site_id }) => site_id));
      await lockSites(viewer, tx, [...siteIds]).catch((error: unknown) => {
        // A site was deleted or reassigned since its name was looked up.
        throw error instanceof HttpError ? new ConcurrentChangeError() : error;
      });
      // What was stored while this call waited for the sites is seen now.
      checked = await checkRobotFile(tx, viewer, csv, "to store");
    }
    details.after = { rows: checked.rows.length };
    if (!isImportable(checked)) throw importRefusal(checked);
    const stored = await insertRobots(tx, checked.robots, at);
    const ids = new Map(stored.map(({ id, serial_number }) => [serial_number, id]));
    // One for each, as if it had been typed: so the record of a robot begins with its creation.
    const created = { ...change, action: "CREATE_ROBOT", reason: "Imported from a file." };
    details.rows = checked.robots.map((robot) => ({
      ...created,
      entityId: ids.get(robot.serial_number) ?? null,
      siteId: robot.site_id,
      after: robot,
    }));
    return { checked, serials: stored.map(({ serial_number }) => serial_number) };
  });
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
