import { COMMAND_EXPIRES_MS, COMMAND_SETTLES_MS, RESEND_MS } from "@suncrew/domain/devices/protocol-times.ts";
import { type Selectable, sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import { announceChange } from "../../platform/change-signal.ts";
import { anyInt, anyUuid, changedNow, type Db, type Executor, type Tx } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/tables.ts";
import { hasWeatherLimits } from "../sites/public.ts";

/** Repeated until the robot shows them, whatever their session or age (protocol rules 3 and 8). */
export const pendingVerbs = ["STOP", "MAINTENANCE_ON"] as const satisfies readonly Command["verb"][];
export type PendingVerb = (typeof pendingVerbs)[number];

export function staysPending(verb: Command["verb"]): verb is PendingVerb {
  return verb === "STOP" || verb === "MAINTENANCE_ON";
}

export type Command = Selectable<Tables["commands"]>;

/** The press of a button behind an order, as reported by its caller. */
export interface Press {
  /** Presses of one session are ordered by `atMs`; those of different sessions are not compared. */
  readonly sessionId: string;
  /** By the browser's clock, in milliseconds. */
  readonly atMs: number;
  /** When the order began to wait in the browser, by this server's clock; null if it did not wait. */
  readonly waitsSince: Date | null;
}

/** For robot `r`: its device was retired, so nothing is sent to it any more (protocol rule 9). */
export const deviceRetired = sql<boolean>`exists (
  select from devices d where d.serial = r.serial_number and d.retired_at is not null)`;

/** For robot `r`: the firmware that it was offered and has not shown yet, or may still install after its deadline. */
export const installingVersion = sql<string | null>`(
  select f.version from rollout_robots u
  join rollouts o on o.id = u.rollout_id
  join firmware f on f.id = o.firmware_id
  where u.robot_id = r.id
    and (u.state in ('OFFERED', 'DOWNLOADING', 'INSTALLING') or (u.overdue and u.installing_until is not null))
  order by u.rollout_id desc limit 1)`;

export interface LockOptions {
  /** Omit robots that other transactions have locked. */
  readonly skipLocked?: boolean;
}

/**
 * Locks robots in the one order that all code uses (by id, of each its robot_state before its robots row), then reads
 * them: a query that waited for a lock would see other tables as they were before. A robot's commands are inserted and
 * settled only under this lock.
 */
export async function lockRobots(
  tx: Tx,
  robotIds: readonly number[],
  options: LockOptions = {},
): Promise<Map<number, LockedRobot>> {
  if (robotIds.length === 0) return new Map();
  const wait = options.skipLocked === true ? sql`skip locked` : sql``;
  const { rows } = await sql<{ id: number }>`
    select r.id from robot_state s join robots r on r.id = s.robot_id where s.robot_id = ${anyInt(robotIds)}
    order by s.robot_id for no key update of s, r ${wait}
  `.execute(tx);
  const lockedIds = rows.map(({ id }) => id);
  const robots = await readLocked(tx, lockedIds);
  return new Map(robots.map((robot) => [robot.id, robot]));
}

function readLocked(tx: Tx, robotIds: readonly number[]) {
  return (
    tx
      .selectFrom("robots as r")
      .innerJoin("robot_state as s", "s.robot_id", "r.id")
      // Not locked: neither a START nor a STOP waits for a judgement.
      .leftJoin("site_guards as g", (join) => join.onRef("g.site_id", "=", "r.site_id").on(hasWeatherLimits))
      .select(["g.site_id as guarded_site_id", "g.verdict", "g.judged_at", "g.passed"])
      .select(["r.id", "r.site_id", "r.serial_number", "r.robot_name", "r.operating_mode", "r.cleaning_direction"])
      .select(["r.main_motor_speed", "r.brush_motor_speed", "r.last_command_seq", "r.deleted_at"])
      .select([deviceRetired.as("device_retired"), installingVersion.as("installing")])
      .select(["s.online", "s.session", "s.connection", "s.connection_at", "s.goodbye_at", "s.motion", "s.mode"])
      .select(["s.status", "s.live_at", "s.clock_skew_ms", "s.last_seq"])
      .where("r.id", "=", anyInt(robotIds))
      // Records about several robots are written in this order, however the database reads them.
      .orderBy("r.id")
      .execute()
  );
}

/** A robot under lock: its row and what it last showed. */
export type LockedRobot = Awaited<ReturnType<typeof readLocked>>[number];

/** A robot that this transaction has locked, with its unsettled commands, read under the lock. */
export interface CommandTarget {
  readonly robot: LockedRobot;
  readonly open: readonly Command[];
}

/** A command of a robot that this transaction has locked. */
export interface OpenCommand {
  readonly robot: LockedRobot;
  readonly command: Command;
}

/** Each of the commands with its robot; omits those of other robots. */
export function withRobots(robots: ReadonlyMap<number, LockedRobot>, commands: readonly Command[]): OpenCommand[] {
  return commands.flatMap((command) => {
    const robot = robots.get(command.robot_id);
    return robot === undefined ? [] : [{ robot, command }];
  });
}

export function robotIdsOf(each: readonly { readonly robot: { readonly id: number } }[]): number[] {
  return each.map(({ robot }) => robot.id);
}

/** One site, or several. */
export type Sites = number | readonly number[];

export const siteIdsOf = (sites: Sites): readonly number[] => (typeof sites === "number" ? [sites] : sites);

/**
 * Locks robots for a command, in the order of `robotIds`. Omits robots that were deleted or moved away from these sites
 * while this call waited for the locks and, with `skipLocked`, those locked by other transactions.
 */
export async function lockTargets(
  tx: Tx,
  sites: Sites,
  robotIds: readonly number[],
  options: LockOptions = {},
): Promise<CommandTarget[]> {
  const siteIds = new Set(siteIdsOf(sites));
  const robots = await lockRobots(tx, robotIds, options);
  const open = Map.groupBy(await readOpenCommands(tx, [...robots.keys()]), (command) => command.robot_id);
  return [...new Set(robotIds)].flatMap((robotId) => {
    const robot = robots.get(robotId);
    if (robot === undefined || robot.deleted_at !== null || !siteIds.has(robot.site_id)) return [];
    return [{ robot, open: open.get(robotId) ?? [] }];
  });
}

/** The unsettled commands of these robots, oldest first. */
export async function readOpenCommands(db: Executor, robotIds: readonly number[]): Promise<Command[]> {
  if (robotIds.length === 0) return [];
  return db
    .selectFrom("commands")
    .selectAll()
    .where("robot_id", "=", anyInt(robotIds))
    .where("settled_at", "is", null)
    .orderBy("seq")
    .execute();
}

const selectCommands = (db: Executor, commandIds: readonly string[]) =>
  db.selectFrom("commands").selectAll().where("id", "=", anyUuid(commandIds));

export function readCommands(db: Executor, commandIds: readonly string[]): Promise<Command[]> {
  return selectCommands(db, commandIds).execute();
}

/** Which of the commands can be answered to their callers. */
export function readAnswered(db: Executor, commandIds: readonly string[]): Promise<Command[]> {
  return selectCommands(db, commandIds).where("answered_at", "is not", null).execute();
}

export type OrderColumns = "verb" | "params" | "mode" | "action_type" | "user_id" | "requested_by";

/**
 * What its order says of a command. A START has a duration in seconds and, if its run is recorded before it moves, the
 * id of that; a STOP of Suncrew's own may follow an unconfirmed START.
 */
export interface NewCommand
  extends Pick<Command, OrderColumns>, Partial<Pick<Command, "max_duration_s" | "run_id" | "follows_id" | "because">> {
  /** The press of a button behind it. */
  readonly press?: Press | null;
  /** The id and number that a person's STOP was given when it was pressed, before the database was involved. */
  readonly pressed?: PressedStop | undefined;
}

/** A STOP may reach its robot before its row is stored (protocol rule 3): both then have the same id and seq. */
export interface PressedStop {
  readonly id: string;
  /**
   * Of its row where that needs another seq, for the robot has seen a newer one since: a commit whose answer was lost is
   * found by either id. Missing only where an earlier version sent the STOP.
   */
  readonly renumberedId?: string | undefined;
  readonly seq: number;
  /** It has reached the robot already, so its seq stays even if newer commands have higher ones. */
  readonly wasSent: boolean;
}

/** Inserts a command of a robot that this transaction has locked. */
export async function insertCommand(tx: Tx, robot: LockedRobot, command: NewCommand, now: Date): Promise<Command> {
  const [stored] = await insertCommands(tx, [{ robot, command }], now);
  if (stored === undefined) throw new Error(`There is no robot ${robot.id} to command.`);
  return stored;
}

export interface CommandOf {
  readonly robot: LockedRobot;
  readonly command: NewCommand;
}

/**
 * Inserts commands, one for each of several robots that this transaction has locked, in one statement: a group has
 * hundreds, and each command must be sent within 5 s. Each `seq` is above every earlier one of its robot, even after
 * the database was restored (device protocol, `seq`).
 */
export async function insertCommands(tx: Tx, commands: readonly CommandOf[], now: Date): Promise<Command[]> {
  if (commands.length === 0) return [];
  const expiresAt = new Date(now.getTime() + COMMAND_EXPIRES_MS);
  const settleBy = new Date(now.getTime() + COMMAND_SETTLES_MS);
  const wanted = commands.map(({ robot, command: { press, pressed, ...command } }) => ({
    ...command,
    id: pressed?.renumberedId ?? uuidv7(),
    robot_id: robot.id,
    run_id: command.verb === "START" ? (command.run_id ?? uuidv7()) : null,
    pressed_id: pressed?.id,
    pressed_seq: pressed?.seq,
    was_sent: pressed?.wasSent ?? false,
    pressed_in: press?.sessionId,
    pressed_ms: press?.atMs,
  }));
  const robotIds = wanted.map((command) => command.robot_id);
  const { rows } = await sql<Command>`
    with wanted as (
      select * from json_to_recordset(${JSON.stringify(wanted)}::json) w (id uuid, robot_id int, verb text, run_id uuid,
        max_duration_s int, params jsonb, mode text, action_type text, user_id int, requested_by text, because text, follows_id uuid,
        pressed_id uuid, pressed_seq bigint, was_sent boolean, pressed_in uuid, pressed_ms bigint)
    ), numbered as (
      select r.id, r.site_id, r.serial_number, r.robot_name, r.last_command_seq, s.session,
        case
          when w.was_sent and not exists (select from commands c where c.robot_id = r.id and c.seq = w.pressed_seq)
            then w.pressed_seq
          when w.pressed_seq > greatest(r.last_command_seq, s.last_seq) then w.pressed_seq
          else greatest(r.last_command_seq + 1, s.last_seq + 1, ${now.getTime()}::bigint)
        end as seq
      from wanted w join robots r on r.id = w.robot_id join robot_state s on s.robot_id = r.id
      -- Otherwise PostgreSQL takes the JSON for a hundred rows and reads both tables whole.
      where r.id = ${anyInt(robotIds)}
    ), counted as (
      update robots r set last_command_seq = greatest(n.last_command_seq, n.seq) from numbered n where r.id = n.id
    ), shown as (
      update robot_state set change_no = ${changedNow} where robot_id = ${anyInt(robotIds)}
    )
    insert into commands (id, robot_id, site_id, serial_number, robot_name, verb, seq, session, issued_at, expires_at,
      settle_by, run_id, max_duration_s, params, mode, action_type, user_id, requested_by, because, follows_id,
      pressed_in, pressed_ms)
    select case when r.seq = w.pressed_seq then w.pressed_id else w.id end, r.id, r.site_id, r.serial_number, r.robot_name,
      w.verb, r.seq, r.session, ${now}, ${expiresAt}, ${settleBy}, w.run_id, w.max_duration_s, w.params, w.mode,
      w.action_type, w.user_id, w.requested_by, w.because, w.follows_id, w.pressed_in, w.pressed_ms
    from wanted w join numbered r on r.id = w.robot_id
    returning *
  `.execute(tx);
  await announceChange(tx);
  const byRobot = new Map(rows.map((row) => [row.robot_id, row]));
  return robotIds.flatMap((id) => byRobot.get(id) ?? []);
}

/** Makes the live stream show changes to these robots' commands. */
export async function showChange(tx: Tx, robotIds: readonly number[]): Promise<void> {
  if (robotIds.length === 0) return;
  await tx.updateTable("robot_state").set({ change_no: changedNow }).where("robot_id", "=", anyInt(robotIds)).execute();
  await announceChange(tx);
}

/** A command that this server may publish now, with the robot's current session. */
export interface ClaimedCommand extends Selectable<Tables["commands"]> {
  readonly current_session: number;
}

/** Nothing is sent to a retired device, whatever was stored for it before (protocol rule 9). */
const isInService = sql<boolean>`exists (select from devices d where d.serial = c.serial_number and d.retired_at is null)`;

/**
 * Claims stored commands for this server, in a commit of its own, so that no other server publishes them (protocol rule
 * 5). Omits those that are claimed, settled, too old for their verb or for retired devices.
 */
export async function claimAll(
  db: Db,
  commandIds: readonly string[],
  serverId: string,
  now: Date,
): Promise<ClaimedCommand[]> {
  const { rows } = await sql<ClaimedCommand>`
    update commands c set claimed_by = ${serverId}, claimed_at = ${now}
    from robot_state s
    where c.id = ${anyUuid(commandIds)} and s.robot_id = c.robot_id
      and c.claimed_by is null and c.settled_at is null
      and (c.verb in ('STOP', 'MAINTENANCE_ON') or c.expires_at > ${now}) and ${isInService}
    returning c.*, s.session as current_session
  `.execute(db);
  return rows;
}

/**
 * Releases claims of commands that this server certainly did not publish; the robots are locked by this transaction.
 */
export async function releaseClaims(tx: Tx, commandIds: readonly string[], serverId: string): Promise<void> {
  if (commandIds.length === 0) return;
  await tx
    .updateTable("commands")
    .set({ claimed_by: null, claimed_at: null })
    .where("id", "=", anyUuid(commandIds))
    .where("claimed_by", "=", serverId)
    .where("published_at", "is", null)
    .where("settled_at", "is", null)
    .execute();
}

/**
 * STARTs that this server claimed and certainly did not publish, and that have failed as not confirmed meanwhile: their
 * robots never got them.
 */
export async function markNeverTaken(
  tx: Tx,
  commandIds: readonly string[],
  serverId: string,
  now: Date,
): Promise<void> {
  if (commandIds.length === 0) return;
  await tx
    .updateTable("commands")
    .set({ not_taken_at: now })
    .where("id", "=", anyUuid(commandIds))
    .where("claimed_by", "=", serverId)
    .where("published_at", "is", null)
    .where("verb", "=", "START")
    .where("outcome", "=", "UNCONFIRMED")
    .where("not_taken_at", "is", null)
    .execute();
}

/** Which pending STOPs and MAINTENANCE_ONs to send again. */
export type Resend =
  /** Those never sent, and those of online robots that were last sent `RESEND_MS` ago. */
  | "due"
  /** All: the broker is back, or the server has just started. */
  | "all"
  /** Those of robots that have just returned. */
  | readonly number[];

/** Claims pending STOPs and MAINTENANCE_ONs for sending (again); each row goes to only one of several servers. */
export async function claimPending(db: Db, which: Resend, serverId: string, now: Date): Promise<ClaimedCommand[]> {
  const sentBefore = new Date(now.getTime() - RESEND_MS);
  // Sent by a clock that has been set back since.
  const inFuture = new Date(now.getTime() + RESEND_MS);
  const chosen =
    which === "all"
      ? sql`true`
      : which === "due"
        ? sql`(c.claimed_at is null or (s.online and (c.claimed_at <= ${sentBefore} or c.claimed_at > ${inFuture})))`
        : sql`c.robot_id = ${anyInt(which)}`;
  const { rows } = await sql<ClaimedCommand>`
    update commands c set claimed_by = ${serverId}, claimed_at = ${now}
    from (
      select c.id, s.session from commands c
      join robot_state s on s.robot_id = c.robot_id
      join robots r on r.id = c.robot_id and r.deleted_at is null
      where c.settled_at is null and c.verb in ('STOP', 'MAINTENANCE_ON') and ${chosen}
        and ${isInService}
      order by c.seq
      for update of c skip locked
    ) pending
    where c.id = pending.id
    returning c.*, pending.session as current_session
  `.execute(db);
  return rows.toSorted((a, b) => a.seq - b.seq);
}

export async function markPublished(db: Db, commandIds: readonly string[], now: Date): Promise<void> {
  await db
    .updateTable("commands")
    .set((eb) => ({ published_at: eb.fn.coalesce("published_at", eb.val(now)) }))
    .where("id", "=", anyUuid(commandIds))
    .execute();
}
