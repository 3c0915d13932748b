import { robotNights, siteNights } from "@suncrew/contract/robot-history/nights.ts";
import {
  robotBySerial,
  robotChanges,
  robotHistory,
  robotOrders,
  ROBOT_ORDERS_DEFAULT_LIMIT,
} from "@suncrew/contract/robot-history/robot-history.ts";
import type { FastifyInstance } from "fastify";
import type { Dependencies } from "../../platform/dependencies.ts";
import { notFound } from "../../platform/http/http-error.ts";
import { register } from "../../platform/http/register.ts";
import { readRobots } from "../robots/public.ts";
import { seenAt } from "../sites/public.ts";
import { readRobotNights, readSiteNights } from "./nights.queries.ts";
import { findRobotBySerial, readChanges, readHistory, readOrders } from "./robot-history.queries.ts";

/** What one robot is and was: its page, and the nights of a site's robots. */
export function robotHistoryRoutes(app: FastifyInstance, deps: Dependencies): void {
  const { db, clock } = deps;
  register(app, robotBySerial, async ({ viewer, params }) => {
    const { id, ...around } = await findRobotBySerial(viewer, db, params.robotSerial);
    const [robot] = await readRobots(viewer, db, seenAt(deps), { robotIds: [id] });
    // It may have been moved in the meantime.
    if (robot === undefined) throw notFound("Robot");
    return { robot, ...around };
  });
  register(app, robotHistory, ({ viewer, params, query }) =>
    readHistory(viewer, db, params.robotId, {
      span: query.span,
      at: query.at === undefined ? null : new Date(query.at),
      now: clock.now(),
    }),
  );
  register(app, robotNights, ({ viewer, params }) => readRobotNights(viewer, db, params.robotId, clock.now()));
  register(app, siteNights, ({ viewer, params }) => readSiteNights(viewer, db, params.siteId, clock.now()));
  register(app, robotOrders, ({ viewer, params, query }) =>
    readOrders(viewer, db, params.robotId, {
      limit: query.limit ?? ROBOT_ORDERS_DEFAULT_LIMIT,
      cursor: query.cursor,
    }),
  );
  register(app, robotChanges, ({ viewer, params }) => readChanges(viewer, db, params.robotId));
}
