import type { RunOutcome } from "@suncrew/contract/robots/run-outcome.ts";
import type { Night, NightState, SiteNights } from "@suncrew/contract/robot-history/nights.ts";
import { BEST_FIRST, isNotDone } from "@suncrew/domain/robot-history/night-states.ts";
import { nightsUntil, type NightSpan } from "@suncrew/domain/robot-history/nights.ts";
import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import { notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { reasonText, runRank, stoppedBy } from "../runs/public.ts";
import { sitesEverVisible, visibleSites } from "../sites/public.ts";
import { requireRobot } from "./robot-history.queries.ts";

const ROBOT_NIGHTS = 30;
const SITE_NIGHTS = 7;

/** The last nights of a robot at the viewer's sites, oldest first. Throws 404 if it is not the viewer's now. */
export async function readRobotNights(
  viewer: Viewer,
  db: Executor,
  robotId: number,
  now: Date,
): Promise<{ timezone: string; nights: Night[] }> {
  const { timezone } = await requireRobot(viewer, db, robotId);
  const spans = nightsUntil(now, timezone, ROBOT_NIGHTS);
  const best = new Map((await readBestRuns(viewer, db, { robotId }, spans)).map((run) => [run.nth, run]));
  const nights = spans.map(({ date }, nth): Night => {
    const run = best.get(nth);
    if (run === undefined) return { date, state: "NONE", reason: null, run_at: null };
    const state = stateOf(run.outcome);
    return { date, state, reason: isNotDone(state) ? reasonOf(run) : null, run_at: run.at.toISOString() };
  });
  return { timezone, nights };
}

/** The last nights of every robot of a site. Throws 404 if the site is not the viewer's. */
export async function readSiteNights(viewer: Viewer, db: Executor, siteId: number, now: Date): Promise<SiteNights> {
  const site = await visibleSites(viewer, db)
    .select("sites.timezone")
    .where("sites.id", "=", siteId)
    .executeTakeFirst();
  if (site === undefined) throw notFound("Site");
  const spans = nightsUntil(now, site.timezone, SITE_NIGHTS);
  const states = await readStates(viewer, db, siteId, spans);
  // Reasons only for this night and the last: that is what cards show.
  const recent = spans.slice(-2);
  const newest = new Map((await readBestRuns(viewer, db, { siteId }, recent)).map((run) => [run.robot_id, run]));
  return {
    timezone: site.timezone,
    dates: spans.map(({ date }) => date),
    robots: states.map((robot) => {
      const run = newest.get(robot.robot_id);
      if (run === undefined || !isNotDone(stateOf(run.outcome))) return { ...robot, reason: null, run_at: null };
      return { ...robot, reason: reasonOf(run), run_at: run.at.toISOString() };
    }),
  };
}

function stateOf(outcome: RunOutcome | null): NightState {
  return outcome ?? "RUNNING";
}

function nightsTable(spans: readonly NightSpan[]) {
  const instants = (ms: readonly number[]) => ms.map((each) => new Date(each).toISOString());
  return sql<{ from: Date; to: Date; nth: number }>`(select t."from", t."to", t.nth::int - 1 as nth from unnest(
    ${instants(spans.map(({ fromMs }) => fromMs))}::timestamptz[],
    ${instants(spans.map(({ toMs }) => toMs))}::timestamptz[]) with ordinality as t ("from", "to", nth))`;
}

/** The runs at a site, or of a robot, in these nights. */
function runsOfNights(
  viewer: Viewer,
  db: Executor,
  { siteId, robotId }: { readonly siteId?: number; readonly robotId?: number },
  spans: readonly NightSpan[],
) {
  return sitesEverVisible(viewer, db)
    .innerJoin("runs", "runs.site_id", "sites.id")
    .innerJoin(nightsTable(spans).as("night"), (join) =>
      join.onRef("runs.at", ">=", "night.from").onRef("runs.at", "<", "night.to"),
    )
    .where("runs.at", ">=", new Date(spans[0]?.fromMs ?? 0))
    .$if(siteId !== undefined, (query) => query.where("sites.id", "=", siteId ?? 0))
    .$if(robotId !== undefined, (query) => query.where("runs.robot_id", "=", robotId ?? 0));
}

/** The state of each night, one row for each robot, however many runs there were. */
async function readStates(viewer: Viewer, db: Executor, siteId: number, spans: readonly NightSpan[]) {
  const best = runsOfNights(viewer, db, { siteId }, spans)
    .select(["runs.robot_id", "night.nth"])
    .select(sql<number>`min(${runRank})`.as("best"))
    .groupBy(["runs.robot_id", "night.nth"]);
  const rows = await db
    .selectFrom(best.as("best"))
    .select("best.robot_id")
    .select([sql<number[]>`array_agg(best.nth)`.as("nights"), sql<number[]>`array_agg(best.best)`.as("ranks")])
    .groupBy("best.robot_id")
    .orderBy("best.robot_id")
    .execute();
  return rows.map(({ robot_id, nights, ranks }) => {
    const states: NightState[] = spans.map(() => "NONE");
    nights.forEach((nth, index) => (states[nth] = BEST_FIRST[(ranks[index] ?? 1) - 1] ?? "NONE"));
    return { robot_id, states };
  });
}

/** The best run of each robot and night, in the order of the nights. */
function readBestRuns(
  viewer: Viewer,
  db: Executor,
  of: { readonly siteId?: number; readonly robotId?: number },
  spans: readonly NightSpan[],
) {
  const best = runsOfNights(viewer, db, of, spans)
    .distinctOn(["runs.robot_id", "night.nth"])
    .select(["runs.id", "night.nth"])
    .orderBy("runs.robot_id")
    .orderBy("night.nth")
    .orderBy(runRank)
    .orderBy("runs.at", "desc");
  return db
    .selectFrom(best.as("best"))
    .innerJoin("runs", "runs.id", "best.id")
    .select(["best.nth", "runs.robot_id", "runs.outcome", "runs.reason", "runs.planned", "runs.at"])
    .select(sql<string | null>`case when runs.outcome <> 'COMPLETED' then ${stoppedBy} end`.as("stopped_by"))
    .orderBy("best.nth")
    .execute();
}

function reasonOf(run: Awaited<ReturnType<typeof readBestRuns>>[number]): string | null {
  const { outcome, reason, planned, stopped_by } = run;
  return reasonText({ outcome, reason, planned, stoppedBy: stopped_by });
}
