import type { BodyOf } from "@suncrew/contract/http/route.ts";
import type { sendCommand } from "@suncrew/contract/commands/commands.ts";
import type { Selectable } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/tables.ts";
import { HttpError, invalid, notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { visibleSites } from "../sites/public.ts";
import { MISSING_OR_PROCESSING } from "./command-answers.ts";

type RobotReference = Pick<BodyOf<typeof sendCommand>, "robotId" | "robotObjectId" | "siteId">;

export interface Target {
  readonly robotId: number;
  readonly siteId: number;
  /** The number of its newest command. */
  readonly lastSeq: number;
}

/**
 * The robot that a command names by serial number, id and site. Throws 404 if any of the three is outside the viewer's
 * scope, without saying which, and 400 if they name different robots.
 */
export async function findTarget(viewer: Viewer, db: Executor, reference: RobotReference): Promise<Target> {
  const robots = await visibleSites(viewer, db)
    .innerJoin("robots", "robots.site_id", "sites.id")
    .select(["robots.id", "robots.site_id", "robots.serial_number", "robots.last_command_seq"])
    .where("robots.deleted_at", "is", null)
    .where((eb) =>
      eb.or([eb("robots.id", "=", reference.robotObjectId), eb("robots.serial_number", "=", reference.robotId)]),
    )
    .execute();
  const byId = robots.find((robot) => robot.id === reference.robotObjectId);
  const bySerial = robots.find((robot) => robot.serial_number === reference.robotId);
  const isOfSite = byId?.site_id === reference.siteId;
  const isSiteVisible = isOfSite || (await isVisible(viewer, db, reference.siteId));
  if (byId === undefined || bySerial === undefined || !isSiteVisible)
    throw new HttpError(404, "ROBOT_MISSING_OR_BUSY", MISSING_OR_PROCESSING);
  if (byId !== bySerial)
    throw invalid("robotObjectId", "robotId and robotObjectId must name the same robot", "ROBOT_MISMATCH");
  if (!isOfSite) throw invalid("siteId", "siteId must be the site of the robot", "SITE_MISMATCH");
  return { robotId: byId.id, siteId: byId.site_id, lastSeq: byId.last_command_seq };
}

async function isVisible(viewer: Viewer, db: Executor, siteId: number): Promise<boolean> {
  const site = await visibleSites(viewer, db).select("sites.id").where("sites.id", "=", siteId).executeTakeFirst();
  return site !== undefined;
}

/** The robot whose settings are to change. Throws 404 if it is outside the viewer's scope. */
export async function findRobotOf(viewer: Viewer, db: Executor, robotId: number): Promise<Target> {
  const robot = await visibleSites(viewer, db)
    .innerJoin("robots", "robots.site_id", "sites.id")
    .select(["robots.id as robotId", "robots.site_id as siteId", "robots.last_command_seq as lastSeq"])
    .where("robots.deleted_at", "is", null)
    .where("robots.id", "=", robotId)
    .executeTakeFirst();
  if (robot === undefined) throw notFound("Robot");
  return robot;
}

export type ShownRow = Selectable<Tables["robot_state"]>;

/** What a robot last showed, by its serial number. Throws 404 if it is outside the viewer's scope. */
export async function readShown(viewer: Viewer, db: Executor, serial: string): Promise<ShownRow> {
  const row = await visibleSites(viewer, db)
    .innerJoin("robots", "robots.site_id", "sites.id")
    .innerJoin("robot_state", "robot_state.robot_id", "robots.id")
    .selectAll("robot_state")
    .where("robots.deleted_at", "is", null)
    .where("robots.serial_number", "=", serial)
    .executeTakeFirst();
  if (row === undefined) throw notFound("Robot");
  return row;
}
