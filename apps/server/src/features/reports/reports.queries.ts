import { SITE_FIELDS } from "@suncrew/contract/sites/site-forms.ts";
import type { Severity } from "@suncrew/contract/alerts/severity.ts";
import { REPORT_ACTIVITY_ROWS } from "@suncrew/contract/reports/reports.ts";
import { DAY_SOURCES_KEPT_DAYS } from "@suncrew/domain/robot-days/site-day.ts";
import { type RawBuilder, sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import { notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { visibleSites } from "../sites/public.ts";
import {
  type Newest,
  REPORT_LIST_ROWS,
  type ReportActivity,
  type ReportAlert,
  type ReportData,
  type ReportLock,
  type ReportOpenAlert,
  type ReportScope,
  reportTime,
} from "./report-data.ts";

/** The site of a report with its partner or, without one, its maintenance contact. Throws 404. */
export async function readReportSite(
  viewer: Viewer,
  db: Executor,
  siteId: number,
): Promise<Pick<ReportData, "site" | "partner" | "partnerId">> {
  const row = await visibleSites(viewer, db)
    .leftJoin("partners", "partners.id", "sites.maintenance_partner_id")
    .select(["sites.id", "sites.timezone"])
    .select(SITE_FIELDS.map((field) => `sites.${field}` as const))
    .select(["partners.name as partner_name", "partners.contact_person", "partners.contact_info", "partners.email"])
    .where("sites.id", "=", siteId)
    .executeTakeFirst();
  if (!row) throw notFound("Site");
  const { partner_name, contact_person, contact_info, email, ...rest } = row;
  const { maintenance_contact, maintenance_contact_name, maintenance_email, ...located } = rest;
  const { maintenance_partner_id: partnerId, ...site } = located;
  if (partner_name !== null) {
    const partner = { name: partner_name, contactPerson: contact_person, email, phone: contact_info };
    return { site, partner, partnerId };
  }
  const contact = {
    contactPerson: maintenance_contact_name,
    email: maintenance_email,
    phone: maintenance_contact,
  };
  const isNamed = Object.values(contact).some(Boolean);
  const partner = isNamed ? { name: maintenance_contact_name ?? "Maintenance contact", ...contact } : null;
  return { site, partner, partnerId };
}

/** Maximum alerts printed per robot. */
const ALERTS_OF_ROBOT = 20;

/** The robots at the site when the report is made, by name. */
export async function readReportRobots(viewer: Viewer, db: Executor, scope: ReportScope) {
  const rows = await visibleSites(viewer, db)
    .innerJoin("robots as r", "r.site_id", "sites.id")
    .innerJoin("robot_state as s", "s.robot_id", "r.id")
    .leftJoin("maintenance_locks as lock", (join) =>
      join.onRef("lock.robot_id", "=", "r.id").on("lock.released_at", "is", null),
    )
    .where("sites.id", "=", scope.siteId)
    .where("r.deleted_at", "is", null)
    .select(["r.id", "r.robot_name as name", "r.serial_number as serialNumber", "r.installation_date as installed"])
    .select(["s.robot_status as status", "s.online", "s.battery", "lock.locked_at", "lock.reason"])
    .select((eb) => [
      eb.fn.coalesce("s.firmware", "r.initial_firmware_version").as("firmware"),
      eb
        .selectFrom("runs")
        .select("runs.ended_at")
        .whereRef("runs.robot_id", "=", "r.id")
        .whereRef("runs.site_id", "=", "r.site_id")
        .whereRef("runs.serial_number", "=", "r.serial_number")
        .where("runs.ended_at", "is not", null)
        .where("runs.began_at", "is not", null)
        .orderBy("runs.at", "desc")
        .limit(1)
        .as("cleaned_at"),
      eb
        .selectFrom("maintenance_locks as l")
        .select(sql<Date[]>`coalesce(array_agg(l.released_at order by l.released_at), '{}')`.as("released"))
        .leftJoin("commands as c", "c.id", "l.command_id")
        .whereRef("l.robot_id", "=", "r.id")
        // Neither at another partner's site nor of a previous machine.
        .whereRef("l.site_id", "=", "r.site_id")
        .where((of) => of.or([of("c.id", "is", null), of("c.serial_number", "=", of.ref("r.serial_number"))]))
        .where("l.released_at", "is not", null)
        .as("released"),
      eb
        .selectFrom(
          eb
            .selectFrom("alerts as a")
            .select(["a.severity", "a.text", "a.raised_at"])
            .whereRef("a.robot_id", "=", "r.id")
            .where("a.cleared_at", "is", null)
            .orderBy(sql`case a.severity when 'CRITICAL' then 0 when 'WARNING' then 1 else 2 end`)
            .orderBy("a.raised_at", "desc")
            .limit(ALERTS_OF_ROBOT)
            .as("open"),
        )
        .select(
          sql<
            { severity: Severity; text: string; raised_at: string }[]
          >`coalesce(json_agg(json_build_object('severity', open.severity, 'text', open.text, 'raised_at', open.raised_at)), '[]')`.as(
            "alerts",
          ),
        )
        .as("alerts"),
    ])
    .orderBy("r.robot_name")
    .orderBy("r.id")
    .execute();
  return rows.map((row) => ({ ...row, released: row.released ?? [], alerts: row.alerts ?? [] }));
}

export type ReportRobotRow = Awaited<ReturnType<typeof readReportRobots>>[number];

/** The open alerts of the whole site, worst first. */
export async function readSiteOpenAlerts(
  viewer: Viewer,
  db: Executor,
  { siteId, timezone }: ReportScope,
): Promise<ReportOpenAlert[]> {
  const rows = await visibleSites(viewer, db)
    .innerJoin("alerts as a", "a.site_id", "sites.id")
    .where("sites.id", "=", siteId)
    .where("a.robot_id", "is", null)
    .where("a.cleared_at", "is", null)
    .select(["a.severity", "a.text", "a.raised_at"])
    .orderBy(sql`case a.severity when 'CRITICAL' then 0 when 'WARNING' then 1 else 2 end`)
    .orderBy("a.raised_at", "desc")
    .limit(ALERTS_OF_ROBOT)
    .execute();
  return rows.map(({ raised_at, ...alert }) => ({ ...alert, since: reportTime(raised_at, timezone) }));
}

type ActivityRange = Pick<ReportScope, "siteId" | "from" | "to">;

function activityOf(viewer: Viewer, db: Executor, { siteId, from, to }: ActivityRange) {
  return visibleSites(viewer, db)
    .innerJoin("activity as a", "a.site_id", "sites.id")
    .where("sites.id", "=", siteId)
    .where("a.created_at", ">=", from)
    .where("a.created_at", "<", to);
}

/** False if there is nothing to report. */
export async function hasActivity(viewer: Viewer, db: Executor, range: ActivityRange): Promise<boolean> {
  const first = await activityOf(viewer, db, range).select("a.site_id").limit(1).executeTakeFirst();
  return first !== undefined;
}

/**
 * True if the range has activity, or had some when it was kept: days with runs, and no older row of the site's activity.
 */
export async function hadActivity(viewer: Viewer, db: Executor, scope: ReportScope): Promise<boolean> {
  if (await hasActivity(viewer, db, scope)) return true;
  if (scope.now.getTime() - scope.to.getTime() < DAY_SOURCES_KEPT_DAYS * 86_400_000) return false;
  const ran = await visibleSites(viewer, db)
    .innerJoin("robot_days as d", "d.site_id", "sites.id")
    .where("sites.id", "=", scope.siteId)
    .where("d.date", ">=", scope.days[0]?.date ?? "")
    .where("d.date", "<=", scope.days.at(-1)?.date ?? "")
    .where("d.starts", ">", 0)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("activity as a")
            .select("a.log_id")
            .whereRef("a.site_id", "=", "sites.id")
            .where("a.created_at", "<", scope.to),
        ),
      ),
    )
    .select("d.robot_id")
    .limit(1)
    .executeTakeFirst();
  return ran !== undefined;
}

/** The newest rows of the activity table, and how many more there are. */
export async function readReportActivity(
  viewer: Viewer,
  db: Executor,
  scope: ReportScope,
): Promise<{ readonly activity: Newest<ReportActivity>; readonly sample: boolean }> {
  const { total } = await activityOf(viewer, db, scope)
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  const found = await readActivityPage(viewer, db, scope, { limit: REPORT_ACTIVITY_ROWS });
  const rows = found.map(({ created_at, action, action_type, user_name, status, details, ...row }) => ({
    at: reportTime(created_at, scope.timezone),
    action,
    actionType: action_type,
    userName: user_name,
    status,
    robotName: row.robot_name,
    serialNumber: row.serial_number,
    details,
  }));
  return { activity: { rows, rest: total - rows.length }, sample: found.some(({ sample }) => sample) };
}

/** Rows of a range, newest first, optionally only those older than the row `before`. */
export async function readActivityPage(
  viewer: Viewer,
  db: Executor,
  range: ActivityRange,
  page: { readonly limit: number; readonly before?: string | undefined },
) {
  let query = activityOf(viewer, db, range)
    .select(["a.created_at", "a.action", "a.action_type", "a.user_name", "a.status", "a.site_name"])
    .select(["a.robot_name", "a.serial_number", "a.details", "a.params", "a.sample"])
    .select(sql<string>`a.log_id::text`.as("log_id"))
    .orderBy("a.created_at", "desc")
    .orderBy("a.log_id", "desc")
    .limit(page.limit);
  if (page.before !== undefined) {
    query = query.where(
      sql<boolean>`(a.created_at, a.log_id) < (select c.created_at, c.log_id from activity c where c.log_id = ${page.before}::bigint)`,
    );
  }
  return query.execute();
}

/** The site's audit rows in the range, by the server itself and by people. */
export async function countChanges(
  viewer: Viewer,
  db: Executor,
  { siteId, from, to }: ActivityRange,
): Promise<{ readonly bySystem: number; readonly byPeople: number }> {
  const { total, byPeople } = await visibleSites(viewer, db)
    .innerJoin("audit", "audit.site_id", "sites.id")
    .where("sites.id", "=", siteId)
    .where("audit.at", ">=", from)
    .where("audit.at", "<", to)
    .select((eb) => [eb.fn.countAll<number>().as("total"), eb.fn.count<number>("audit.user_id").as("byPeople")])
    .executeTakeFirstOrThrow();
  return { bySystem: total - byPeople, byPeople };
}

export type ReportLocks = Awaited<ReturnType<typeof readReportLocks>>;

/** The maintenance locks in effect at any time in the range, and how many were set and released in it. */
export async function readReportLocks(viewer: Viewer, db: Executor, scope: ReportScope) {
  const { from, until, now, timezone } = scope;
  const query = visibleSites(viewer, db)
    .innerJoin("maintenance_locks as l", "l.site_id", "sites.id")
    .where("sites.id", "=", scope.siteId)
    .where("l.locked_at", "<", until)
    .where((eb) => eb.or([eb("l.released_at", "is", null), eb("l.released_at", ">=", from)]));
  const { total, set, released, sample } = await query
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .select(sql<number>`count(*) filter (where l.locked_at >= ${from})`.as("set"))
    .select(sql<number>`count(*) filter (where l.released_at < ${until})`.as("released"))
    .select(sql<boolean>`coalesce(bool_or(l.sample), false)`.as("sample"))
    .executeTakeFirstOrThrow();
  const rows = await query
    .select(["l.reason", "l.locked_at", "l.locked_by as setBy", "l.released_at", "l.released_by as releasedBy"])
    .select(nameAtTheTime("robot_name").as("robot_name"))
    .select(nameAtTheTime("serial_number").as("serial_number"))
    .orderBy("l.locked_at", "desc")
    .orderBy("l.id", "desc")
    .limit(REPORT_LIST_ROWS)
    .execute();
  const locks = rows.map(({ robot_name, serial_number, locked_at, released_at, ...lock }): ReportLock => ({
    ...lock,
    robotName: robot_name ?? "Former robot",
    serialNumber: serial_number ?? "",
    setAt: reportTime(locked_at, timezone),
    releasedAt: released_at && reportTime(released_at, timezone),
    minutes: ((released_at ?? now).getTime() - locked_at.getTime()) / 60_000,
  }));
  return { locks: { rows: locks, rest: total - rows.length }, set, released, sample };
}

/**
 * A robot's name at the site of its lock: the current one if it is still there, otherwise that of its last run there.
 * Names given by another partner are not revealed.
 */
function nameAtTheTime(column: "robot_name" | "serial_number"): RawBuilder<string | null> {
  const name = sql.ref(column);
  return sql`coalesce(
    (select r.${name} from robots r where r.id = l.robot_id and r.site_id = l.site_id),
    (select run.${name} from runs run where run.robot_id = l.robot_id and run.site_id = l.site_id
      order by run.at desc limit 1))`;
}

/** The alerts that were raised or cleared in the range. */
export async function readReportAlerts(viewer: Viewer, db: Executor, scope: ReportScope) {
  const { from, until, timezone } = scope;
  const within = (column: "a.raised_at" | "a.cleared_at") =>
    sql<boolean>`(${sql.ref(column)} >= ${from} and ${sql.ref(column)} < ${until})`;
  const raised = within("a.raised_at");
  const cleared = within("a.cleared_at");
  const query = visibleSites(viewer, db)
    .innerJoin("alerts as a", "a.site_id", "sites.id")
    .where("sites.id", "=", scope.siteId)
    .where((eb) => eb.or([raised, cleared]));
  const { total, sample } = await query
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .select(sql<boolean>`coalesce(bool_or(a.sample), false)`.as("sample"))
    .executeTakeFirstOrThrow();
  const rows = await query
    .select(["a.severity", "a.text", "a.raised_at", "a.cleared_at"])
    .select(["a.robot_name as robotName", "a.serial_number as serialNumber"])
    .orderBy("a.raised_at", "desc")
    .orderBy("a.id", "desc")
    .limit(REPORT_LIST_ROWS)
    .execute();
  const listed = rows.map(({ raised_at, cleared_at, ...alert }): ReportAlert => ({
    ...alert,
    raisedAt: reportTime(raised_at, timezone),
    clearedAt: cleared_at && reportTime(cleared_at, timezone),
    minutes: cleared_at && (cleared_at.getTime() - raised_at.getTime()) / 60_000,
  }));
  return { alerts: { rows: listed, rest: total - rows.length }, sample };
}
