import type { Alert, alertList } from "@suncrew/contract/alerts/alerts.ts";
import type { Severity } from "@suncrew/contract/alerts/severity.ts";
import type { QueryOf } from "@suncrew/contract/http/route.ts";
import { sql } from "kysely";
import { boundedCount } from "../../platform/database/list-queries.ts";
import type { Executor } from "../../platform/database/database.ts";
import { invalid, notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { requireSiteEver, seesServers, sitesEverVisible, visibleSites } from "../sites/public.ts";

export type AlertFilter = QueryOf<typeof alertList>;

/** An alert raised again within this time is the same one: lists of past alerts show it once, with a count. */
const SAME_WITHIN = sql`interval '24 hours'`;

/** The order of the domain's `compareAlerts`, as numbers so that a cursor can hold it. */
const rank = sql<number>`case when a.cleared_at is not null then 0
  else case a.severity when 'CRITICAL' then 0 when 'WARNING' then 2 else 4 end + (a.acknowledged_at is not null)::int end`;
const isCleared = sql<number>`(a.cleared_at is not null)::int`;
const micros = sql<string>`(extract(epoch from a.raised_at) * 1000000)::bigint`;
/** An earlier or later alert `b` of the same kind about the same robot or site. */
const isSameAtSite = sql<boolean>`b.site_id = a.site_id and coalesce(b.robot_id, 0) = coalesce(a.robot_id, 0)
  and b.source = a.source and b.code = a.code`;
/** The same for Suncrew's own servers; separate, because no index finds "the same site, or none". */
const isSameOfServers = sql<boolean>`a.site_id is null and b.site_id is null and b.source = a.source and b.code = a.code`;

/** Alerts at these sites of the viewer's, and with `servers` those about Suncrew's own if the viewer sees them. */
function alertsAt(viewer: Viewer, db: Executor, sites: ReturnType<typeof visibleSites>, servers: boolean) {
  const siteIds = sites.select("sites.id");
  return db
    .selectFrom("alerts as a")
    .leftJoin("sites", "sites.id", "a.site_id")
    .where((eb) =>
      eb.or([eb("a.site_id", "in", siteIds), ...(servers && seesServers(viewer) ? [eb("a.site_id", "is", null)] : [])]),
    );
}

/** Alerts at the viewer's sites, including deleted ones. */
function filteredAlerts(viewer: Viewer, db: Executor, { state = "open", ...choice }: AlertFilter) {
  const { severity, site_id, robot_id, servers = false } = choice;
  let query = alertsAt(viewer, db, sitesEverVisible(viewer, db), servers);
  if (state === "open") query = query.where("a.cleared_at", "is", null);
  if (state === "cleared") query = query.where("a.cleared_at", "is not", null);
  if (state !== "open") query = query.where(isNewestOfItsKind(state));
  if (severity !== undefined) query = query.where("a.severity", "=", severity);
  if (site_id !== undefined) query = query.where("a.site_id", "=", site_id);
  return robot_id === undefined ? query : query.where("a.robot_id", "=", robot_id);
}

/** Of a recurring alert only the newest is listed, with how often it occurred. */
function isNewestOfItsKind(state: "cleared" | "all") {
  const listed = state === "cleared" ? sql`b.cleared_at is not null` : sql`true`;
  const isThere = (same: typeof isSameAtSite) => sql<boolean>`exists (
    select from alerts b where ${same} and ${listed}
      and (b.raised_at, b.id) > (a.raised_at, a.id) and b.raised_at <= a.raised_at + ${SAME_WITHIN})`;
  return sql<boolean>`(a.cleared_at is null or not (${isThere(isSameAtSite)} or ${isThere(isSameOfServers)}))`;
}

function countUntilThis(same: typeof isSameAtSite) {
  return sql<number>`(select count(*) from alerts b where ${same}
    and b.raised_at > a.raised_at - ${SAME_WITHIN} and (b.raised_at, b.id) <= (a.raised_at, a.id))`;
}

/** One page with the cursor of each row. */
export async function readAlerts(
  viewer: Viewer,
  db: Executor,
  choice: AlertFilter & { readonly limit: number },
): Promise<{ readonly alert: Alert; readonly cursor: string }[]> {
  let query = filteredAlerts(viewer, db, choice)
    .leftJoin("robots as r", (join) => join.onRef("r.id", "=", "a.robot_id").on("a.cleared_at", "is", null))
    .select(["a.severity", "a.source", "a.code", "a.text", "a.raised_at", "a.cleared_at", "a.robot_id", "a.sample"])
    .select(["sites.id as site_id", "sites.name as site_name", "a.acknowledged_at", "a.acknowledged_by"])
    .select("a.acknowledgement_comment as comment")
    .select(sql<string>`a.id::text`.as("id"))
    // Open alerts show the robot's current name.
    .select(sql<string | null>`coalesce(r.robot_name, a.robot_name)`.as("robot_name"))
    .select(sql<string | null>`coalesce(r.serial_number, a.serial_number)`.as("serial_number"))
    .select(sql<number>`${countUntilThis(isSameAtSite)} + ${countUntilThis(isSameOfServers)}`.as("times"))
    .select(sql<string>`concat_ws('-', ${isCleared}, ${rank}, ${micros}, a.id)`.as("cursor"))
    .orderBy(isCleared)
    .orderBy(rank)
    .orderBy("a.raised_at", "desc")
    .orderBy("a.id", "desc")
    .limit(choice.limit);
  if (choice.cursor !== undefined) {
    const [cleared = "", ranked = "", raised = "", id = ""] = choice.cursor.split("-");
    query = query.where(
      sql<boolean>`(${isCleared}, ${rank}, -${micros}, -a.id) >
        (${cleared}::int, ${ranked}::int, -${raised}::bigint, -${id}::bigint)`,
    );
  }
  const rows = await query.execute();
  return rows.map(({ cursor, ...row }) => ({
    cursor,
    alert: {
      ...row,
      raised_at: row.raised_at.toISOString(),
      cleared_at: row.cleared_at?.toISOString() ?? null,
      acknowledged_at: row.acknowledged_at?.toISOString() ?? null,
    },
  }));
}

/** Their number, counted up to the counting limit. */
export async function countAlerts(
  viewer: Viewer,
  db: Executor,
  choice: AlertFilter,
): Promise<{ readonly total: number; readonly total_exact: boolean }> {
  return await boundedCount(db, filteredAlerts(viewer, db, choice).select("a.id"), false);
}

/** The open ones by severity, at the site or about the robot that the choice names. */
export async function countOpen(
  viewer: Viewer,
  db: Executor,
  { site_id, robot_id, servers }: AlertFilter,
): Promise<Record<Severity, number>> {
  const rows = await filteredAlerts(viewer, db, { state: "open", site_id, robot_id, servers })
    .select(["a.severity", (eb) => eb.fn.countAll<number>().as("count")])
    .groupBy("a.severity")
    .execute();
  const counts = { CRITICAL: 0, WARNING: 0, INFO: 0 };
  for (const { severity, count } of rows) counts[severity] = count;
  return counts;
}

/** Throws 404 if a filter's site or robot is outside the viewer's scope, 400 if they do not belong together. */
export async function requireFilterInScope(
  viewer: Viewer,
  db: Executor,
  { site_id, robot_id }: AlertFilter,
): Promise<void> {
  if (site_id === undefined && robot_id === undefined) return;
  let query = sitesEverVisible(viewer, db).select("sites.id");
  // Deleted robots and sites keep their history, and so does a site that a robot has left.
  if (robot_id !== undefined) {
    query = query.where("sites.id", "in", (eb) =>
      eb
        .selectFrom("robots")
        .select("robots.site_id")
        .where("robots.id", "=", robot_id)
        .union(
          eb
            .selectFrom("alerts")
            .select("alerts.site_id")
            .where("alerts.robot_id", "=", robot_id)
            .$narrowType<{ site_id: number }>(),
        ),
    );
    const sites = await query.execute();
    if (sites.length === 0) throw notFound("Robot");
    if (site_id === undefined || sites.some(({ id }) => id === site_id)) return;
  }
  if (site_id !== undefined) await requireSiteEver(viewer, db, site_id);
  if (robot_id !== undefined) throw invalid("robot_id", "robot_id must be a robot of the site", "ROBOT_NOT_AT_SITE");
}

/** An alert at a site that the viewer may act on, or about servers that the viewer sees. Throws 404. */
export async function requireAlert(viewer: Viewer, db: Executor, alertId: string): Promise<void> {
  const found = await alertsAt(viewer, db, visibleSites(viewer, db), true)
    .where("a.id", "=", sql<number>`${alertId}::bigint`)
    .select("a.id")
    .executeTakeFirst();
  if (found === undefined) throw notFound("Alert");
}
