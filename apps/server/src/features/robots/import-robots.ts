import type { BodyOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import { importRobots } from "@suncrew/contract/robots/robot-forms.ts";
import type { Tx } from "../../platform/database/database.ts";
import { ConcurrentChangeError, transactionWithRetry } from "../../platform/database/transactions.ts";
import { HttpError } from "../../platform/http/http-error.ts";
import { importAnswer, importRefusal, isImportable } from "../../platform/http/import-answer.ts";
import { writtenAnswer } from "../../platform/http/register.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { workerTask } from "../../platform/workers/worker-task.ts";
import { recordAudit, recordAudits } from "../audit/public.ts";
import { checkRobotFile } from "./check-robot-file.ts";
import { robotFileOf } from "./robot-file.queries.ts";
import { insertRobots } from "./robot-rows.repository.ts";
import { lockSites } from "./robot-sites.queries.ts";

/** What an import came to in its transaction; a refusal is on record and is thrown after the commit. */
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

/** §7: a file of new robots, checked or stored. Throws 400 where a row is wrong that was to be stored. */
export const importRobotsTask = workerTask("import robots", async ({ viewer, body, now }: FileCall, { db }) => {
  const imported = await transactionWithRetry(db, (tx) => importRobotFile(tx, viewer, body, now));
  if (imported.kind === "refused") throw imported.error;
  return { json: writtenAnswer(importRobots, imported.answer), serials: imported.serials };
});

/** The robots of the viewer's sites, as a CSV file. */
export const exportRobotsTask = workerTask("export robots", (viewer: Viewer, { db }) => robotFileOf(viewer, db));

/** Checks a file of new robots for the viewer's sites, or creates them all, or none where one row is wrong. */
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
      // One was deleted or given away since its name was looked up.
      throw error instanceof HttpError ? new ConcurrentChangeError() : error;
    });
    // What was stored while this call waited for the sites is seen now.
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
  // One for each, as if it had been typed: so the record of a robot begins with its creation.
  const records = checked.robots.map((robot) => {
    const { site_id: siteId, serial_number } = robot;
    const created = { action: "CREATE_ROBOT", entityId: ids.get(serial_number) ?? null, siteId };
    return { ...about, ...created, outcome: "DONE" as const, reason: "Imported from a file.", after: { ...robot } };
  });
  await recordAudits(tx, records);
  const serials = stored.map(({ serial_number }) => serial_number);
  return { kind: "answered", answer: importAnswer(checked, true), serials };
}
