import { setImmediate } from "node:timers/promises";
import { OFFLINE_AFTER_MS } from "@suncrew/domain/commands/limits.ts";
import type { Span } from "@suncrew/domain/reports/spans.ts";
import { type Uptime, uptimeOf } from "@suncrew/domain/reports/uptime.ts";
import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { visibleSites } from "../sites/public.ts";
import type { ReportScope } from "./report-scope.ts";

/** Rows that are in memory at a time, but for their times. */
const PAGE = 5_000;

export interface ReportUptimes {
  /** Whoever is or was at the site. */
  readonly robotIds: readonly number[];
  /** Without those that were not there in the range. */
  readonly uptimes: ReadonlyMap<number, Uptime>;
}

/** How long each robot was reachable, by robot. */
export async function readUptimes(viewer: Viewer, db: Executor, scope: ReportScope): Promise<ReportUptimes> {
  const online = await readPresence(viewer, db, scope);
  const known = await readKnown(viewer, db, scope);
  const locked = await readLocked(viewer, db, scope);
  const uptimes = new Map<number, Uptime>();
  for (const [robotId, span] of known) {
    scope.signal?.throwIfAborted();
    if (span === null || span.fromMs >= span.toMs) continue;
    const presence = { known: span, online: online.get(robotId) ?? [], locked: locked.get(robotId) ?? [] };
    uptimes.set(robotId, uptimeOf(presence, scope.days));
    await setImmediate();
  }
  return { robotIds: [...known.keys()], uptimes };
}

async function readPresence(viewer: Viewer, db: Executor, scope: ReportScope): Promise<Map<number, Span[]>> {
  const spans = new Map<number, Span[]>();
  for (let last = 0; ;) {
    scope.signal?.throwIfAborted();
    const rows = await visibleSites(viewer, db)
      .innerJoin("robot_presence as p", "p.site_id", "sites.id")
      .leftJoin("robot_state as s", (join) =>
        join.onRef("s.robot_id", "=", "p.robot_id").on("p.offline_at", "is", null),
      )
      .where("sites.id", "=", scope.siteId)
      .where("p.online_at", "<", scope.until)
      .where(sql<Date>`coalesce(p.offline_at, 'infinity')`, ">", scope.from)
      .where("p.id", ">", last)
      .select(["p.id", "p.robot_id", "p.online_at", "p.offline_at"])
      .select(sql<Date | null>`greatest(s.live_at, s.connection_at)`.as("seen_at"))
      .orderBy("p.id")
      .limit(PAGE)
      .execute();
    for (const { robot_id, online_at, offline_at, seen_at } of rows) {
      // Whoever shows nothing more is reachable 90 s longer, also before anybody has noticed its silence.
      const endMs = offline_at?.getTime() ?? (seen_at ?? online_at).getTime() + OFFLINE_AFTER_MS;
      const span = { fromMs: online_at.getTime(), toMs: Math.min(endMs, scope.until.getTime()) };
      const ofRobot = spans.get(robot_id);
      if (ofRobot === undefined) spans.set(robot_id, [span]);
      else ofRobot.push(span);
    }
    if (rows.length < PAGE) return spans;
    last = rows.at(-1)?.id ?? last;
    await setImmediate();
  }
}

/** From the first connection at the site, until the robot left it, was deleted, or the range ends; null without any. */
async function readKnown(viewer: Viewer, db: Executor, scope: ReportScope): Promise<Map<number, Span | null>> {
  const rows = await visibleSites(viewer, db)
    .innerJoin("robots as r", (join) => join.onTrue())
    .where((eb) =>
      eb.or([
        eb("r.site_id", "=", eb.ref("sites.id")),
        eb.exists(
          eb
            .selectFrom("robot_presence as p")
            .select("p.id")
            .whereRef("p.robot_id", "=", "r.id")
            .whereRef("p.site_id", "=", "sites.id"),
        ),
      ]),
    )
    .where("sites.id", "=", scope.siteId)
    .select(["r.id", "r.deleted_at"])
    .select(sql<boolean>`r.site_id = sites.id`.as("is_here"))
    .select((eb) => [
      eb
        .selectFrom("robot_presence as p")
        .select("p.online_at")
        .whereRef("p.robot_id", "=", "r.id")
        .whereRef("p.site_id", "=", "sites.id")
        .orderBy("p.online_at")
        .limit(1)
        .as("since"),
      eb
        .selectFrom("robot_presence as p")
        .select("p.offline_at")
        .whereRef("p.robot_id", "=", "r.id")
        .whereRef("p.site_id", "=", "sites.id")
        .orderBy("p.online_at", "desc")
        .limit(1)
        .as("last_seen"),
    ])
    .execute();
  return new Map(
    rows.map(({ id, deleted_at, is_here, since, last_seen }): [number, Span | null] => {
      if (since === null) return [id, null];
      const left = is_here ? deleted_at : last_seen;
      const toMs = Math.min(scope.until.getTime(), left?.getTime() ?? Infinity);
      return [id, { fromMs: Math.max(since.getTime(), scope.from.getTime()), toMs }];
    }),
  );
}

async function readLocked(viewer: Viewer, db: Executor, scope: ReportScope): Promise<Map<number, Span[]>> {
  const rows = await visibleSites(viewer, db)
    .innerJoin("maintenance_locks as l", "l.site_id", "sites.id")
    .where("sites.id", "=", scope.siteId)
    .where("l.locked_at", "<", scope.until)
    .where((eb) => eb.or([eb("l.released_at", "is", null), eb("l.released_at", ">", scope.from)]))
    .select(["l.robot_id", "l.locked_at", "l.released_at"])
    .execute();
  const byRobot = Map.groupBy(rows, ({ robot_id }) => robot_id);
  return new Map(
    [...byRobot].map(([robotId, locks]) => [
      robotId,
      locks.map(({ locked_at, released_at }) => ({
        fromMs: locked_at.getTime(),
        toMs: (released_at ?? scope.until).getTime(),
      })),
    ]),
  );
}
