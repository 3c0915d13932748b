import { setImmediate } from "node:timers/promises";
import type { RunOutcome } from "@suncrew/contract/robots/run-outcome.ts";
import { newRunTally, type RunTally, tallyRun } from "@suncrew/domain/reports/run-tally.ts";
import { NOT_DONE } from "@suncrew/domain/runs/run-outcome.ts";
import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { reasonInWords, stoppedBy } from "../runs/public.ts";
import { visibleSites } from "../sites/public.ts";
import { type Newest, REPORT_LIST_ROWS, type ReportNotDone } from "./report-data.ts";
import { type ReportScope, reportTime } from "./report-scope.ts";

/** Runs that are in memory at a time. */
const PAGE = 5_000;

export interface ReportRuns {
  readonly tally: RunTally;
  /** What the robots that ran were called then; the last name of each. */
  readonly names: ReadonlyMap<number, { readonly name: string; readonly serialNumber: string }>;
  readonly sample: boolean;
}

/** What the runs of a site add up to, page by page. */
export async function readReportRuns(viewer: Viewer, db: Executor, scope: ReportScope): Promise<ReportRuns> {
  const { siteId, from, until, now } = scope;
  const tally = newRunTally({ fromMs: from.getTime(), toMs: until.getTime() }, scope.days);
  const names = new Map<number, { name: string; serialNumber: string; atMs: number }>();
  let sample = false;
  for (let last: string | null = null; ;) {
    scope.signal?.throwIfAborted();
    let query = visibleSites(viewer, db)
      .innerJoin("runs", "runs.site_id", "sites.id")
      .where("sites.id", "=", siteId)
      .where("runs.at", "<", until)
      // A run that was due before the range may still be planned, or clean, in it.
      .where((eb) =>
        eb.or([
          eb("runs.at", ">=", from),
          eb("runs.stop_due_at", ">", from),
          eb.and([
            eb("runs.began_at", "is not", null),
            eb.or([eb("runs.ended_at", "is", null), eb("runs.ended_at", ">", from)]),
          ]),
        ]),
      )
      .select(["runs.id", "runs.robot_id", "runs.robot_name", "runs.serial_number", "runs.outcome", "runs.at"])
      .select(["runs.due_at", "runs.stop_due_at", "runs.began_at", "runs.ended_at", "runs.sample"])
      .orderBy("runs.id")
      .limit(PAGE);
    if (last !== null) query = query.where("runs.id", ">", last);
    const rows = await query.execute();
    for (const row of rows) {
      const atMs = row.at.getTime();
      if (atMs >= (names.get(row.robot_id)?.atMs ?? -Infinity))
        names.set(row.robot_id, { name: row.robot_name, serialNumber: row.serial_number, atMs });
      sample ||= row.sample;
      tallyRun(tally, {
        robotId: row.robot_id,
        outcome: row.outcome,
        atMs,
        planned:
          row.due_at === null
            ? null
            : { fromMs: row.due_at.getTime(), toMs: (row.stop_due_at ?? row.due_at).getTime() },
        moved: row.began_at === null ? null : { fromMs: row.began_at.getTime(), toMs: (row.ended_at ?? now).getTime() },
      });
    }
    last = rows.at(-1)?.id ?? null;
    if (rows.length < PAGE || last === null) return { tally, names, sample };
    await setImmediate();
  }
}

/** Runs that are not done: robot, due time, outcome and reason. */
export async function readNotDone(viewer: Viewer, db: Executor, scope: ReportScope): Promise<Newest<ReportNotDone>> {
  const query = visibleSites(viewer, db)
    .innerJoin("runs", "runs.site_id", "sites.id")
    .where("sites.id", "=", scope.siteId)
    .where("runs.at", ">=", scope.from)
    .where("runs.at", "<", scope.until)
    .where("runs.outcome", "in", NOT_DONE);
  const { total } = await query.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow();
  const rows = await query
    .select(["runs.robot_name", "runs.serial_number", "runs.at", "runs.planned", "runs.reason"])
    .select(sql<RunOutcome>`runs.outcome`.as("outcome"))
    .select(stoppedBy.as("stopped_by"))
    .orderBy("runs.at", "desc")
    .orderBy("runs.id", "desc")
    .limit(REPORT_LIST_ROWS)
    .execute();
  return {
    rows: rows.map(({ robot_name, serial_number, at, planned, outcome, reason, stopped_by }) => ({
      robotName: robot_name,
      serialNumber: serial_number,
      at: reportTime(at, scope.timezone),
      planned,
      outcome,
      reason: reasonInWords({ outcome, reason, planned, stoppedBy: stopped_by }) ?? "Not known.",
    })),
    rest: total - rows.length,
  };
}
