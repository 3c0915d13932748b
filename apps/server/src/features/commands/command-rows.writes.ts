import { COMMAND_EXPIRES_MS, COMMAND_SETTLES_MS } from "@suncrew/domain/commands/limits.ts";
import { type Selectable, sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import { announceChange } from "../../platform/change-signal.ts";
import { changedNow, type Executor, type Tx } from "../../platform/database/database.ts";
import type { CommandsTable, RobotStateTable } from "../../platform/database/schema.ts";

export type Command = Selectable<CommandsTable>;
type Verb = Command["verb"];

/** A robot under lock: its row and what it last showed. */
export interface LockedRobot {
  readonly id: number;
  readonly site_id: number;
  readonly serial_number: string;
  readonly robot_name: string;
  readonly operating_mode: "auto" | "manual" | "maintenance";
  readonly cleaning_direction: "FORWARD" | "REVERSE";
  readonly main_motor_speed: number;
  readonly brush_motor_speed: number;
  readonly last_command_seq: number;
  readonly deleted_at: Date | null;
  readonly state: Pick<
    Selectable<RobotStateTable>,
    "online" | "session" | "motion" | "mode" | "live_at" | "clock_skew_ms" | "last_seq"
  >;
}

/**
 * Locks robots in the one order that everybody keeps (robot_state, then robots, each by id) and reads them as they
 * are then. Commands of a robot are inserted and settled under this lock only. `skipLocked` leaves out those that
 * someone else has.
 */
export async function lockRobots(
  tx: Tx,
  robotIds: readonly number[],
  options: { readonly skipLocked?: boolean } = {},
): Promise<Map<number, LockedRobot>> {
  const ids = [...new Set(robotIds)];
  if (ids.length === 0) return new Map();
  const wait = options.skipLocked === true ? sql`skip locked` : sql``;
  const locked = await sql<{ robot_id: number }>`
    select robot_id from robot_state where robot_id = any(${ids}::int[])
    order by robot_id for no key update ${wait}
  `.execute(tx);
  const lockedIds = locked.rows.map((row) => row.robot_id);
  if (lockedIds.length === 0) return new Map();
  await sql`select id from robots where id = any(${lockedIds}::int[]) order by id for no key update`.execute(tx);
  const rows = await tx
    .selectFrom("robots as r")
    .innerJoin("robot_state as s", "s.robot_id", "r.id")
    .select(["r.id", "r.site_id", "r.serial_number", "r.robot_name", "r.operating_mode", "r.cleaning_direction"])
    .select(["r.main_motor_speed", "r.brush_motor_speed", "r.last_command_seq", "r.deleted_at"])
    .select(["s.online", "s.session", "s.motion", "s.mode", "s.live_at", "s.clock_skew_ms", "s.last_seq"])
    .where("r.id", "in", lockedIds)
    .execute();
  return new Map(
    rows.map(({ online, session, motion, mode, live_at, clock_skew_ms, last_seq, ...robot }) => [
      robot.id,
      { ...robot, state: { online, session, motion, mode, live_at, clock_skew_ms, last_seq } },
    ]),
  );
}

/** Locks one robot; null where there is none. */
export async function lockRobot(tx: Tx, robotId: number): Promise<LockedRobot | null> {
  return (await lockRobots(tx, [robotId])).get(robotId) ?? null;
}

/** The commands of these robots that are not settled, oldest first. */
export async function readOpenCommands(db: Executor, robotIds: readonly number[]): Promise<Command[]> {
  if (robotIds.length === 0) return [];
  return db
    .selectFrom("commands")
    .selectAll()
    .where("robot_id", "in", [...robotIds])
    .where("settled_at", "is", null)
    .orderBy("seq")
    .execute();
}

export interface NewCommand {
  readonly verb: Verb;
  readonly params: Command["params"];
  readonly mode: Command["mode"];
  readonly actionType: Command["action_type"];
  readonly userId: number | null;
  readonly requestedBy: string;
  /** Seconds; for a START only. */
  readonly maxDurationS?: number;
  /** For a START whose run is on record before it moves; a new one else. */
  readonly runId?: string;
  /** The START that this STOP follows because it was not confirmed. */
  readonly followsId?: string;
}

/**
 * Inserts a command of a robot that this transaction has locked. Its `seq` is above every earlier one, also after
 * a restored database (device protocol, `seq`).
 */
export async function insertCommand(tx: Tx, robot: LockedRobot, command: NewCommand, now: Date): Promise<Command> {
  const numbers = await tx
    .selectFrom("robots")
    .innerJoin("robot_state", "robot_state.robot_id", "robots.id")
    .select(["robots.last_command_seq", "robot_state.last_seq"])
    .where("robots.id", "=", robot.id)
    .executeTakeFirstOrThrow();
  const seq = Math.max(numbers.last_command_seq + 1, numbers.last_seq + 1, now.getTime());
  const row = await tx
    .insertInto("commands")
    .values({
      id: uuidv7(),
      robot_id: robot.id,
      site_id: robot.site_id,
      serial_number: robot.serial_number,
      verb: command.verb,
      seq,
      session: robot.state.session,
      issued_at: now,
      expires_at: new Date(now.getTime() + COMMAND_EXPIRES_MS),
      settle_by: new Date(now.getTime() + COMMAND_SETTLES_MS),
      run_id: command.verb === "START" ? (command.runId ?? uuidv7()) : null,
      max_duration_s: command.maxDurationS ?? null,
      params: JSON.stringify(command.params),
      mode: command.mode,
      action_type: command.actionType,
      user_id: command.userId,
      requested_by: command.requestedBy,
      follows_id: command.followsId ?? null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await tx.updateTable("robots").set({ last_command_seq: seq }).where("id", "=", robot.id).execute();
  await showChange(tx, [robot.id]);
  return row;
}

/** Lets the live stream show what changed about these robots' commands. */
export async function showChange(tx: Tx, robotIds: readonly number[]): Promise<void> {
  if (robotIds.length === 0) return;
  await tx
    .updateTable("robot_state")
    .set({ change_no: changedNow })
    .where("robot_id", "in", [...robotIds])
    .execute();
  await announceChange(tx);
}
