import { SITE_FIELDS } from "@suncrew/contract/sites/site-forms.ts";
import { type Site } from "@suncrew/contract/sites/sites.ts";
import { guardStateOf } from "@suncrew/domain/guard/weather-guard.ts";
import { type CountedRobot, siteCountersOf, siteStatusOf } from "@suncrew/domain/sites/site-status.ts";
import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import { notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { isLostWhileMoving, type LastSeenMoving, lastSeenMoving, lostOf, type SeenAt } from "./last-seen.ts";
import { visibleSites } from "./visible-sites.ts";

/** For the guard `g` of a site. */
export const hasWeatherLimits = sql<boolean>`num_nonnulls(g.max_gust_kmh, g.max_rain_mm, g.min_temperature_c, g.max_temperature_c) > 0`;

/** Robots of a site that the rules treat alike. */
interface RobotCount extends CountedRobot {
  readonly count: number;
}

/** The viewer's sites by name, all or those of `ids`, with counters and status by the rules of the domain. */
export async function readSites(
  viewer: Viewer,
  db: Executor,
  at: SeenAt,
  only: { readonly ids?: readonly number[] } = {},
): Promise<Site[]> {
  return (await readSitesAndLost(viewer, db, at, only)).map(({ site }) => site);
}

/** The same, each with the number of its robots that were lost while moving, whatever they do now. */
export async function readSitesAndLost(
  viewer: Viewer,
  db: Executor,
  at: SeenAt,
  only: { readonly ids?: readonly number[] } = {},
): Promise<{ readonly site: Site; readonly lostRobots: number }[]> {
  if (only.ids?.length === 0) return [];
  const isAwaited = sql<boolean>`(robot_state.robot_status = 'offline' and coalesce(robot_state.live_at, robot_state.received_at, robot_state.connection_at) is null)`;
  const counts = db
    .selectFrom("robots")
    .innerJoin("robot_state", "robot_state.robot_id", "robots.id")
    .select(["robots.site_id", "robot_state.robot_status as status", "robots.operating_mode as mode"])
    .select((eb) => [isAwaited.as("is_awaited"), eb.fn.countAll<number>().as("count")])
    .where("robots.deleted_at", "is", null)
    .$if(only.ids !== undefined, (query) => query.where("robots.site_id", "=", sql<number>`any(${only.ids})`))
    .groupBy(["robots.site_id", "robot_state.robot_status", "robots.operating_mode", isAwaited])
    .as("counts");
  const perSite = db
    .selectFrom(counts)
    .select("counts.site_id")
    .select(
      sql<
        RobotCount[]
      >`jsonb_agg(jsonb_build_object('status', counts.status, 'operatingMode', counts.mode, 'count', counts.count,
          'awaitsFirstConnection', counts.is_awaited))`.as("robots"),
    )
    .groupBy("counts.site_id")
    .as("per_site");
  // Few at any time, so the rule is evaluated for each.
  const lost = db
    .selectFrom("robot_state as s")
    .innerJoin("robots as r", "r.id", "s.robot_id")
    .select("r.site_id")
    .select(sql<LastSeenMoving[]>`jsonb_agg(${lastSeenMoving})`.as("lost"))
    .where("r.deleted_at", "is", null)
    .where(isLostWhileMoving)
    .groupBy("r.site_id")
    .as("lost");
  const rows = await visibleSites(viewer, db)
    .leftJoin("partners", "partners.id", "sites.maintenance_partner_id")
    .leftJoin(perSite, "per_site.site_id", "sites.id")
    .leftJoin(lost, "lost.site_id", "sites.id")
    .select(["sites.id", "sites.timezone", "sites.version"])
    .select(SITE_FIELDS.map((field) => `sites.${field}` as const))
    .select(["partners.name as partner_name", "partners.contact_person as partner_contact", "per_site.robots"])
    .select("lost.lost")
    .leftJoin("site_guards as g", (join) => join.onRef("g.site_id", "=", "sites.id").on(hasWeatherLimits))
    .select(["g.site_id as guarded_site_id", "g.verdict", "g.judged_at", "g.passed"])
    .$if(only.ids !== undefined, (query) => query.where("sites.id", "=", sql<number>`any(${only.ids})`))
    .orderBy("sites.name")
    .orderBy("sites.id")
    .execute();
  return rows.map(({ robots, lost: lostRobots, guarded_site_id, verdict, judged_at, passed, ...site }) => {
    const counted = (robots ?? []).flatMap(({ count, ...robot }) => Array<CountedRobot>(count).fill(robot));
    const { robotCount, activeRobots, onlineRobots } = siteCountersOf(counted);
    const lost = lostRobots ?? [];
    const counters = {
      status: siteStatusOf(counted),
      robot_count: robotCount,
      active_robots: activeRobots,
      online_robots: onlineRobots,
      weather_guard: guarded_site_id === null ? null : guardStateOf({ verdict, judgedAt: judged_at, passed }, at.now),
      may_be_moving_robots: lost.filter((seen) => lostOf(seen, at)?.state === "MAY_BE_MOVING").length,
    };
    return { site: { ...site, ...counters }, lostRobots: lost.length };
  });
}

/** Throws 404 if the site does not exist or is not the viewer's: both look the same. */
export async function requireSite(viewer: Viewer, db: Executor, siteId: number): Promise<void> {
  const site = await visibleSites(viewer, db).select("sites.id").where("sites.id", "=", siteId).executeTakeFirst();
  if (!site) throw notFound("Site");
}
