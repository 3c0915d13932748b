import { type Span, unionMs } from "@suncrew/domain/reports/spans.ts";
import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { visibleSites } from "../sites/public.ts";
import { type Newest, REPORT_LIST_ROWS, type ReportAlert } from "./report-data.ts";
import { type ReportScope, reportTime } from "./report-scope.ts";

export interface ReportAlerts {
  readonly alerts: Newest<ReportAlert>;
  readonly critical: number;
  readonly resolved: number;
  /** Null where none was cleared. */
  readonly averageResolutionMinutes: number | null;
  readonly criticalByRobot: ReadonlyMap<number, number>;
  readonly sample: boolean;
}

/** The alerts that were raised or cleared in the range, and what they add up to. */
export async function readReportAlerts(viewer: Viewer, db: Executor, scope: ReportScope): Promise<ReportAlerts> {
  const { from, until, timezone } = scope;
  const within = (column: "a.raised_at" | "a.cleared_at") =>
    sql<boolean>`(${sql.ref(column)} >= ${from} and ${sql.ref(column)} < ${until})`;
  const raised = within("a.raised_at");
  const cleared = within("a.cleared_at");
  const query = visibleSites(viewer, db)
    .innerJoin("alerts as a", "a.site_id", "sites.id")
    .where("sites.id", "=", scope.siteId)
    .where((eb) => eb.or([raised, cleared]));
  const sums = await query
    .select("a.robot_id")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .select(sql<number>`count(*) filter (where ${raised} and a.severity = 'CRITICAL')`.as("critical"))
    .select(sql<number>`count(*) filter (where ${cleared})`.as("resolved"))
    .select(
      sql<number | null>`sum(date_part('epoch', a.cleared_at - a.raised_at)) filter (where ${cleared})`.as("seconds"),
    )
    .select(sql<boolean>`bool_or(a.sample)`.as("sample"))
    .groupBy("a.robot_id")
    .execute();
  const rows = await query
    .select(["a.severity", "a.text", "a.raised_at", "a.cleared_at"])
    .select(sql<string | null>`a.robot_name`.as("robot_name"))
    .select(sql<string | null>`a.serial_number`.as("serial_number"))
    .orderBy("a.raised_at", "desc")
    .orderBy("a.id", "desc")
    .limit(REPORT_LIST_ROWS)
    .execute();
  const sum = (value: (row: (typeof sums)[number]) => number) => sums.reduce((total, row) => total + value(row), 0);
  const resolved = sum((row) => row.resolved);
  return {
    alerts: {
      rows: rows.map(({ robot_name, serial_number, severity, text, raised_at, cleared_at }) => ({
        robotName: robot_name,
        serialNumber: serial_number,
        severity,
        text,
        raisedAt: reportTime(raised_at, timezone),
        clearedAt: cleared_at === null ? null : reportTime(cleared_at, timezone),
        minutes: cleared_at === null ? null : (cleared_at.getTime() - raised_at.getTime()) / 60_000,
      })),
      rest: sum((row) => row.total) - rows.length,
    },
    critical: sum((row) => row.critical),
    resolved,
    averageResolutionMinutes: resolved === 0 ? null : sum((row) => row.seconds ?? 0) / resolved / 60,
    criticalByRobot: new Map(sums.flatMap((row) => (row.robot_id === null ? [] : [[row.robot_id, row.critical]]))),
    sample: sums.some((row) => row.sample),
  };
}

/** For how long of the range each robot had a critical alert of its own open, in milliseconds. */
export async function readCriticalTime(
  viewer: Viewer,
  db: Executor,
  { siteId, from, until }: ReportScope,
): Promise<ReadonlyMap<number, number>> {
  const rows = await visibleSites(viewer, db)
    .innerJoin("alerts as a", "a.site_id", "sites.id")
    .where("sites.id", "=", siteId)
    .where("a.severity", "=", "CRITICAL")
    .where("a.robot_id", "is not", null)
    .where("a.raised_at", "<", until)
    .where((eb) => eb.or([eb("a.cleared_at", "is", null), eb("a.cleared_at", ">", from)]))
    .select([sql<number>`a.robot_id`.as("robot_id"), "a.raised_at", "a.cleared_at"])
    .execute();
  const byRobot = Map.groupBy(rows, ({ robot_id }) => robot_id);
  return new Map(
    [...byRobot].map(([robotId, alerts]) => [
      robotId,
      unionMs(
        alerts.map(({ raised_at, cleared_at }): Span => ({
          fromMs: Math.max(raised_at.getTime(), from.getTime()),
          toMs: Math.min((cleared_at ?? until).getTime(), until.getTime()),
        })),
      ),
    ]),
  );
}
