import { ROBOT_COLUMNS } from "@suncrew/contract/robots/robot-files.ts";
import type { Severity } from "@suncrew/contract/alerts/severity.ts";
import type { RunOutcome } from "@suncrew/contract/robots/run-outcome.ts";
import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import type { robotTypes, SerialNumber } from "@suncrew/contract/robots/robot-forms.ts";
import type { RobotDirectory, RobotLive, RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { writeCsv } from "@suncrew/domain/csv/csv.ts";
import { expressionBuilder, sql } from "kysely";
import { anyInt, type Executor, type Tx } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/tables.ts";
import { notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { reasonText } from "../runs/public.ts";
import { lastSeenMoving, lostRobotOf, type SeenAt, visibleSites } from "../sites/public.ts";

export interface RobotChoice {
  readonly siteId?: number;
  readonly robotIds?: readonly number[];
}

/** The robot's part in a rollout in progress. */
type OpenUpdate = NonNullable<RobotLive["firmware_update"]>["state"];

const worstFirst = sql`case alerts.severity when 'CRITICAL' then 0 when 'WARNING' then 1 else 2 end,
  alerts.raised_at, alerts.id`;

/** The newest run of robot `r`: none of a former machine, or at another partner's site. */
function newestRun() {
  return expressionBuilder<Tables & { r: Tables["robots"] }, "r">()
    .selectFrom("runs")
    .whereRef("runs.robot_id", "=", "r.id")
    .whereRef("runs.site_id", "=", "r.site_id")
    .whereRef("runs.serial_number", "=", "r.serial_number")
    .orderBy("runs.at", "desc")
    .limit(1);
}

/** The viewer's robots by name, with all their fields, in one query. */
export async function readRobots(
  viewer: Viewer,
  db: Executor,
  at: SeenAt,
  choice: RobotChoice = {},
): Promise<RobotWithSettings[]> {
  if (choice.robotIds?.length === 0) return [];
  let query = visibleSites(viewer, db)
    .innerJoin("robots as r", "r.site_id", "sites.id")
    .innerJoin("robot_state as s", "s.robot_id", "r.id")
    .leftJoin("runs as run", (join) =>
      join.onRef("run.robot_id", "=", "r.id").on("run.ended_at", "is", null).on("run.began_at", "is not", null),
    )
    .leftJoin("robot_group_members as member", "member.robot_id", "r.id")
    .leftJoin("maintenance_locks as lock", (join) =>
      join.onRef("lock.robot_id", "=", "r.id").on("lock.released_at", "is", null),
    )
    .leftJoin("rollout_robots as update", (join) =>
      join.onRef("update.robot_id", "=", "r.id").on("update.state", "in", ["OFFERED", "DOWNLOADING", "INSTALLING"]),
    )
    .leftJoin("rollouts", "rollouts.id", "update.rollout_id")
    .leftJoin("firmware", "firmware.id", "rollouts.firmware_id")
    .leftJoinLateral(
      (eb) =>
        eb
          .selectFrom("commands")
          .select(["commands.id", "commands.verb", "commands.issued_at", "commands.answered_at"])
          .whereRef("commands.robot_id", "=", "r.id")
          .where("commands.settled_at", "is", null)
          .orderBy("commands.seq", "desc")
          .limit(1)
          .as("command"),
      (join) => join.onTrue(),
    )
    .leftJoinLateral(
      newestRun()
        .select(["runs.id", "runs.began_at", "runs.ended_at", "runs.outcome", "runs.reason", "runs.started_by"])
        .select("runs.planned")
        .where("runs.ended_at", "is not", null)
        .where("runs.began_at", "is not", null)
        .as("cleaned"),
      (join) => join.onTrue(),
    )
    .leftJoinLateral(
      newestRun()
        .select(["runs.id", "runs.at", "runs.began_at", "runs.outcome", "runs.reason", "runs.planned"])
        .as("newest"),
      (join) => join.onTrue(),
    )
    .leftJoinLateral(
      (eb) =>
        eb
          .selectFrom("alerts")
          .select([
            sql<string[]>`array_agg(alerts.text order by ${worstFirst})`.as("texts"),
            sql<Severity[]>`array_agg(alerts.severity order by ${worstFirst})`.as("severities"),
          ])
          .whereRef("alerts.robot_id", "=", "r.id")
          .where("alerts.cleared_at", "is", null)
          .as("open_alerts"),
      (join) => join.onTrue(),
    )
    .select(["r.id as robot_id", "r.site_id", "r.serial_number", "r.robot_name", "r.motor_type", "r.control_type"])
    .select([
      "r.installation_date",
      "r.version",
      "r.operating_mode",
      "r.cleaning_direction",
      "r.main_motor_speed",
      "r.brush_motor_speed",
    ])
    .select(["s.robot_status as status", "s.online", "s.motion", "s.charging"])
    .select((eb) => [
      lastSeenMoving.as("seen_moving"),
      eb.fn.coalesce("s.battery", "r.initial_battery_level").as("battery_level"),
      eb.fn.coalesce("s.firmware", "r.initial_firmware_version").as("firmware_version"),
      eb.fn.coalesce("s.live_at", "s.received_at").as("last_updated_at"),
    ])
    .select(["run.id as run_id", "run.began_at as run_began_at", "run.planned_end_at as run_planned_end_at"])
    .select(["run.planned as run_planned", "run.action_type as run_action_type", "run.started_by as run_started_by"])
    .select(["command.id as command_id", "command.verb", "command.issued_at", "command.answered_at"])
    .select((eb) => [
      "open_alerts.texts as alerts",
      "open_alerts.severities as alert_severities",
      "member.group_id",
      eb.ref("cleaned.id").as("cleaned_run_id"),
      "cleaned.began_at as cleaned_began_at",
      "cleaned.ended_at as last_cleaned_at",
      "cleaned.outcome as cleaned_outcome",
      "cleaned.reason as cleaned_reason",
      "cleaned.started_by as cleaned_by",
      "cleaned.planned as cleaned_planned",
      eb.ref("newest.id").as("newest_run_id"),
      eb.ref("newest.at").as("newest_at"),
      "newest.began_at as newest_began_at",
      "newest.outcome as newest_outcome",
      "newest.reason as newest_reason",
      "newest.planned as newest_planned",
    ])
    .select(["update.rollout_id", "update.state as update_state", "update.percent", "firmware.version as new_version"])
    .$narrowType<{ update_state: OpenUpdate | null }>()
    .select(["lock.reason as lock_reason", "lock.locked_by", "lock.locked_at", "lock.confirmed_at"])
    .where("r.deleted_at", "is", null)
    .orderBy("r.robot_name")
    .orderBy("r.id");
  if (choice.siteId !== undefined) query = query.where("sites.id", "=", choice.siteId);
  if (choice.robotIds !== undefined) query = query.where("r.id", "=", anyInt(choice.robotIds));
  const rows = await query.execute();
  return rows.map((row) => {
    const {
      run_id,
      run_began_at,
      run_planned_end_at,
      run_planned,
      run_action_type,
      run_started_by,
      command_id,
      verb,
      issued_at,
      answered_at,
      seen_moving,
      ...shown
    } = row;
    const {
      cleaned_run_id,
      cleaned_began_at,
      cleaned_outcome,
      cleaned_reason,
      cleaned_by,
      cleaned_planned,
      newest_run_id,
      newest_at,
      newest_began_at,
      newest_outcome,
      newest_reason,
      newest_planned,
      ...others
    } = shown;
    const { rollout_id, update_state, percent, new_version, ...unlocked } = others;
    const { lock_reason, locked_by, locked_at, confirmed_at, ...robot } = unlocked;
    return {
      ...robot,
      lost_while_moving: lostRobotOf(seen_moving, at),
      alerts: robot.alerts ?? [],
      alert_severities: robot.alert_severities ?? [],
      last_updated_at: robot.last_updated_at?.toISOString() ?? null,
      last_cleaned_at: robot.last_cleaned_at?.toISOString() ?? null,
      last_run:
        cleaned_run_id && cleaned_began_at && robot.last_cleaned_at && cleaned_outcome && cleaned_by
          ? {
              run_id: cleaned_run_id,
              began_at: cleaned_began_at.toISOString(),
              ended_at: robot.last_cleaned_at.toISOString(),
              outcome: cleaned_outcome,
              reason: reasonOf(cleaned_outcome, cleaned_reason, cleaned_planned),
              started_by: cleaned_by,
            }
          : null,
      run_not_begun:
        newest_run_id && newest_at && newest_began_at === null && newest_outcome
          ? {
              run_id: newest_run_id,
              at: newest_at.toISOString(),
              planned: newest_planned === true,
              outcome: newest_outcome,
              reason: reasonOf(newest_outcome, newest_reason, newest_planned),
            }
          : null,
      maintenance:
        lock_reason !== null && locked_by !== null && locked_at !== null
          ? { reason: lock_reason, locked_by, locked_at: locked_at.toISOString(), confirmed: confirmed_at !== null }
          : null,
      firmware_update:
        rollout_id === null || update_state === null || new_version === null
          ? null
          : { rollout_id, version: new_version, state: update_state, percent },
      current_run:
        run_id === null || run_began_at === null || run_started_by === null
          ? null
          : {
              run_id,
              began_at: run_began_at.toISOString(),
              planned_end_at: run_planned_end_at?.toISOString() ?? null,
              // A START without a duration has the limit of a manual run.
              planned:
                run_planned === true ||
                run_action_type === "SCHEDULED" ||
                (run_planned_end_at !== null && run_planned_end_at.getTime() - run_began_at.getTime() < at.manualRunMs),
              started_by: run_started_by,
            },
      open_command:
        command_id === null || verb === null || issued_at === null
          ? null
          : {
              id: command_id,
              verb,
              issued_at: issued_at.toISOString(),
              // Only these two are repeated after their caller was answered (protocol rule 3).
              pending: answered_at !== null && (verb === "STOP" || verb === "MAINTENANCE_ON"),
            },
    };
  });
}

function reasonOf(outcome: RunOutcome, reason: string | null, planned: boolean | null): string | null {
  return reasonText({ outcome, reason, planned: planned === true, stoppedBy: null });
}

/** The live part of the viewer's robots, as the live stream carries it. */
export async function readRobotsLive(
  viewer: Viewer,
  db: Executor,
  at: SeenAt,
  choice: RobotChoice = {},
): Promise<RobotLive[]> {
  const robots = await readRobots(viewer, db, at, choice);
  return robots.map(({ robot_name: _n, motor_type: _m, control_type: _c, installation_date: _d, ...live }) => live);
}

/** The names of the viewer's robots and groups, and the robots' motors. */
export async function readRobotDirectory(viewer: Viewer, db: Executor): Promise<RobotDirectory> {
  const [robots, groups] = await Promise.all([
    visibleSites(viewer, db)
      .innerJoin("robots as r", "r.site_id", "sites.id")
      .select(["r.id as robot_id", "r.robot_name", "r.motor_type", "r.control_type", "r.installation_date"])
      .where("r.deleted_at", "is", null)
      .orderBy("r.id")
      .execute(),
    visibleSites(viewer, db)
      .innerJoin("robot_groups as g", "g.site_id", "sites.id")
      .select(["g.id", "g.site_id", "g.group_name"])
      .where("g.deleted_at", "is", null)
      .orderBy("g.id")
      .execute(),
  ]);
  return { robots, groups };
}

/** For an account without a partner, which has no devices. */
const NO_PARTNER = 0;
const naturalOrder = new Intl.Collator("en", { numeric: true });

/**
 * §3 Assignable serial numbers: devices that are not retired, in natural order, and whether a robot uses each. A Super
 * Admin sees all of them, a partner those of its robots and those allocated to it.
 */
export async function readSerialNumbers(viewer: Viewer, db: Executor): Promise<SerialNumber[]> {
  const robots = visibleSites(viewer, db)
    .innerJoin("robots as r", "r.site_id", "sites.id")
    .where("r.deleted_at", "is", null)
    .select("r.serial_number");
  const rows = await db
    .selectFrom("devices as d")
    .leftJoin(robots.as("robot"), "robot.serial_number", "d.serial")
    .select([
      "d.serial as serial_number",
      sql<boolean>`robot.serial_number is not null
      or exists (select from site_sensors n where n.serial = d.serial)`.as("assigned"),
    ])
    .where("d.retired_at", "is", null)
    .$if(viewer.role !== "SUPER_ADMIN", (query) =>
      query.where((eb) =>
        eb.or([eb("robot.serial_number", "is not", null), eb("d.partner_id", "=", viewer.partnerId ?? NO_PARTNER)]),
      ),
    )
    .execute();
  return rows.toSorted((one, other) => naturalOrder.compare(one.serial_number, other.serial_number));
}

/** The motor types and control types of the viewer's robots, for the lists of the Robot form. */
export async function readRobotTypes(viewer: Viewer, db: Executor): Promise<ResponseOf<typeof robotTypes>> {
  const typesOf = async (column: "motor_type" | "control_type") => {
    const rows = await visibleSites(viewer, db)
      .innerJoin("robots as r", "r.site_id", "sites.id")
      .where("r.deleted_at", "is", null)
      .where(`r.${column}`, "<>", "")
      .select(`r.${column} as type`)
      .distinct()
      .orderBy("type")
      .execute();
    return rows.flatMap(({ type }) => type ?? []);
  };
  return { motor_types: await typesOf("motor_type"), control_types: await typesOf("control_type") };
}

/** The robots of the viewer's sites as a file that can be imported again if their serial numbers are free. */
export async function robotFileOf(viewer: Viewer, db: Executor): Promise<string> {
  const robots = await visibleSites(viewer, db)
    .innerJoin("robots as r", "r.site_id", "sites.id")
    .select(["sites.name as site", "r.serial_number", "r.robot_name", "r.motor_type", "r.control_type"])
    .select("r.installation_date")
    .where("r.deleted_at", "is", null)
    .orderBy("sites.name")
    .orderBy("r.robot_name")
    .orderBy("r.id")
    .execute();
  return writeCsv(
    ROBOT_COLUMNS,
    robots.map((robot) => ROBOT_COLUMNS.map((column) => robot[column])),
  );
}

/** The viewer's sites by the keys of their names. */
export async function siteIdsByName(
  viewer: Viewer,
  db: Executor,
  keyOf: (name: string) => string,
): Promise<ReadonlyMap<string, number>> {
  const sites = await visibleSites(viewer, db).select(["sites.id", "sites.name"]).execute();
  return new Map(sites.map(({ id, name }) => [keyOf(name), id]));
}

/**
 * Locks sites that are to get robots, so that none of them is deleted or changes partner concurrently, and no two
 * robots get the same name there. Lock robots to be changed first. Returns the partners that maintain the sites. Throws
 * 404 if one of the sites does not exist or is not the viewer's.
 */
export async function lockSites(
  viewer: Viewer,
  tx: Tx,
  siteIds: readonly number[],
): Promise<ReadonlySet<number | null>> {
  const wanted = new Set(siteIds);
  const rows = await visibleSites(viewer, tx)
    .select(["sites.id", "sites.maintenance_partner_id"])
    .where("sites.id", "=", anyInt(wanted))
    .orderBy("sites.id")
    .forNoKeyUpdate()
    .execute();
  if (rows.length !== wanted.size) throw notFound("Site");
  return new Set(rows.map((row) => row.maintenance_partner_id));
}
