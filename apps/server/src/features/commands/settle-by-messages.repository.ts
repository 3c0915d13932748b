import type { AckMessage, RejectCode, StateMessage } from "@suncrew/contract/devices/messages.ts";
import { type ReportedState, stateConfirms } from "@suncrew/domain/commands/confirmation.ts";
import { robotStatusOf } from "@suncrew/domain/robots/status-mapping.ts";
import { type Selectable, sql } from "kysely";
import type { Clock } from "../../platform/clock.ts";
import { anyInt, anyUuid, type Tx } from "../../platform/database/database.ts";
import { outcomeText, type OutcomeText } from "@suncrew/domain/texts/outcome-texts.ts";
import type { Tables } from "../../platform/database/tables.ts";
import { auditCommands, clearUnconfirmed, logCommands } from "./command-records.repository.ts";
import {
  type Command,
  insertCommands,
  type LockedRobot,
  lockRobots,
  type OpenCommand,
  readOpenCommands,
  robotIdsOf,
  staysPending,
  withRobots,
} from "./commands.repository.ts";
import {
  bySuncrew,
  closeAll,
  insertFollowingStops,
  settleAllRejected,
  settleAllSuperseded,
} from "./settle.repository.ts";

/** A live state (not retained) of the robot's current session. */
export interface LiveState {
  readonly robotId: number;
  /** The highest command number that the robot had reported before. */
  readonly knownSeq: number;
  readonly state: ReportedState & Pick<StateMessage, "session" | "ts">;
}

/**
 * A robot increments its session with each connection; it may have reconnected at most this often since a START was
 * issued.
 */
const RECONNECTIONS = 10;

/**
 * Settles what these states show (protocol rule 6). Called by the bridge in the transaction that stores the states,
 * after storing them, so that nobody else settles commands of these robots or gives them new ones until its end; several
 * states of one robot are in order. What counts is the time when the robots' rows are locked. Returns the robots with
 * changes that the live stream is to show.
 */
export async function settleByStates(
  tx: Tx,
  states: readonly LiveState[],
  clock: Pick<Clock, "now">,
): Promise<number[]> {
  await markNotTaken(tx, states, clock.now());
  const robotIds = states.map(({ robotId }) => robotId);
  const { open, late } = await readConcerned(tx, robotIds, states);
  const unconfirmed = await readUnconfirmedMovers(tx, states);
  const locked = await readLocked(tx, unlockedOf(states));
  const concerned = new Set([...locked, ...[...open, ...unconfirmed, ...late].map((command) => command.robot_id)]);
  if (concerned.size === 0) return [];
  const robots = await lockRobots(tx, [...concerned]);
  const now = clock.now();
  const openOf = Map.groupBy(open, (command) => command.robot_id);
  const { confirmed, superseded } = decide(robots, openOf, states, now);
  await settleConfirmed(tx, confirmed, now);
  await settleAllSuperseded(tx, superseded, now);
  await storeLateSettings(tx, late, now);
  const stopped = await stopUnconfirmedMovers(tx, robots, stillMoving(unconfirmed, states), now);
  const relocked = await relockRobots(tx, robots, locked, now);
  return [...robotIdsOf(confirmed), ...late.map((command) => command.robot_id), ...stopped, ...relocked];
}

/**
 * Scheduled STARTs that a robot has not accepted and never will (protocol rule 1): it is stopped with a lower
 * `lastSeq`, in a newer session, or at a time of its own clock when the START has expired. Recorded now because the
 * STOP that follows raises `lastSeq` before anything reads it. A robot that reports less than before, or whose session
 * jumped, has lost its memory (rule 14) and proves nothing.
 */
async function markNotTaken(tx: Tx, states: readonly LiveState[], now: Date): Promise<void> {
  const stopped = states.flatMap(({ robotId, knownSeq, state: { motion, lastSeq, session, ts } }) =>
    motion === "STOPPED" && lastSeq >= knownSeq ? [{ robot_id: robotId, last_seq: lastSeq, session, ts }] : [],
  );
  if (stopped.length === 0) return;
  await sql`
    update commands c set not_taken_at = ${now}
    from json_to_recordset(${JSON.stringify(stopped)}::json) n (robot_id int, last_seq bigint, session bigint, ts timestamptz)
    where c.robot_id = n.robot_id and c.seq > n.last_seq and c.verb = 'START' and c.action_type = 'SCHEDULED'
      and c.claimed_by is not null and c.not_taken_at is null
      and (c.settled_at is null or c.outcome = 'UNCONFIRMED')
      and n.session <= c.session + ${RECONNECTIONS}
      and (n.session > c.session or (n.session = c.session and n.ts > c.expires_at))`.execute(tx);
}

/** What states decide about commands, each settled once, by the first state that decides it. */
function decide(
  robots: ReadonlyMap<number, LockedRobot>,
  openOf: ReadonlyMap<number, readonly Command[]>,
  states: readonly LiveState[],
  now: Date,
) {
  const confirmed: OpenCommand[] = [];
  const superseded: OpenCommand[] = [];
  const decided = new Set<string>();
  for (const { robotId, state } of states) {
    const robot = robots.get(robotId);
    const open = openOf.get(robotId) ?? [];
    if (robot === undefined) continue;
    for (const command of open) {
      if (decided.has(command.id) || !isInTime(command, now) || !stateConfirms(state, sentOf(command))) continue;
      decided.add(command.id);
      confirmed.push({ robot, command });
      if (command.verb !== "SET") continue;
      // An older SET must not overwrite what this newer one stored.
      for (const older of open) {
        const isOlder = older.verb === "SET" && older.seq < command.seq;
        if (!isOlder || decided.has(older.id) || stateConfirms(state, sentOf(older))) continue;
        decided.add(older.id);
        superseded.push({ robot, command: older });
      }
    }
  }
  return { confirmed, superseded };
}

/** More commands of one robot than can have been given between two of its states. */
const MAX_RECENT_COMMANDS = 50;

/**
 * The robots' open commands, and `late` SETs: those that were answered as not confirmed, and that these states are the
 * first to show. The robots have these settings now, so people see and change them. Not if a START was accepted since,
 * for its settings are those of one run.
 */
async function readConcerned(tx: Tx, robotIds: readonly number[], states: readonly LiveState[]) {
  const last = new Map(states.map((live) => [live.robotId, live.state]));
  const known = new Map(states.toReversed().map(({ robotId, knownSeq }) => [robotId, knownSeq]));
  const advanced = [...last].flatMap(([robotId, { lastSeq }]) => {
    const knownSeq = known.get(robotId) ?? lastSeq;
    return lastSeq > knownSeq ? [{ robot_id: robotId, known_seq: knownSeq, last_seq: lastSeq }] : [];
  });
  if (advanced.length === 0) return { open: await readOpenCommands(tx, robotIds), late: [] };
  const { rows } = await sql<Command>`
    select * from commands where robot_id = ${anyInt(robotIds)} and settled_at is null
    union all
    select late.* from json_to_recordset(${JSON.stringify(advanced)}::json) n (robot_id int, known_seq bigint, last_seq bigint)
    cross join lateral (
      select * from commands c where c.robot_id = n.robot_id and c.seq > n.known_seq and c.seq <= n.last_seq
      order by c.seq desc limit ${MAX_RECENT_COMMANDS}
    ) late
    where late.verb = 'SET' and late.outcome = 'UNCONFIRMED' and not exists (
      select from commands later where later.robot_id = late.robot_id and later.verb = 'START'
        and later.seq > late.seq and later.seq <= n.last_seq)
    order by seq`.execute(tx);
  const isShown = (command: Command) => {
    const state = last.get(command.robot_id);
    return state !== undefined && stateConfirms(state, sentOf(command));
  };
  const { open = [], late = [] } = Object.groupBy(rows, ({ settled_at }) => (settled_at === null ? "open" : "late"));
  return { open, late: late.filter(isShown) };
}

/** After what these states have confirmed: the robots are read again, because some of that may have been stored just now. */
async function storeLateSettings(tx: Tx, late: readonly Command[], now: Date): Promise<void> {
  if (late.length === 0) return;
  const robots = await lockRobots(
    tx,
    late.map((command) => command.robot_id),
  );
  await storeSettings(tx, withRobots(robots, late), now);
}

/**
 * STOP and MAINTENANCE_ON stay pending as long as necessary; START and MAINTENANCE_OFF have failed after their deadline.
 * A SET that is still open then is stored all the same: the robot has it.
 */
function isInTime(command: Command, now: Date): boolean {
  return staysPending(command.verb) || command.verb === "SET" || command.settle_by > now;
}

function sentOf({ verb, seq, run_id: runId, params }: Command): Parameters<typeof stateConfirms>[1] {
  const { direction, "main-speed": mainSpeed, "brush-speed": brushSpeed } = params;
  return { verb, seq, runId, settings: { direction, mainSpeed, brushSpeed } };
}

/** Failed STARTs on whose runs a robot is moving nevertheless. */
async function readUnconfirmedMovers(tx: Tx, states: readonly LiveState[]): Promise<Command[]> {
  const runIds = states.flatMap(movingIn);
  if (runIds.length === 0) return [];
  return tx
    .selectFrom("commands")
    .selectAll()
    .where("run_id", "=", anyUuid(runIds))
    .where("verb", "=", "START")
    .where("outcome", "in", ["UNCONFIRMED", "REJECTED", "NEVER_SENT"])
    .execute();
}

function movingIn({ state }: LiveState): string[] {
  return state.motion === "MOVING" && state.runId !== null ? [state.runId] : [];
}

/** Those on whose runs robots are moving in the last of these states. */
function stillMoving(unconfirmed: readonly Command[], states: readonly LiveState[]): Command[] {
  const last = new Map(states.map((live) => [live.robotId, live]));
  const runIds = new Set([...last.values()].flatMap(movingIn));
  return unconfirmed.filter(({ run_id }) => run_id !== null && runIds.has(run_id));
}

/** Nothing moves on a START that was answered as failed: unless a STOP is already pending, one follows. */
async function stopUnconfirmedMovers(
  tx: Tx,
  robots: ReadonlyMap<number, LockedRobot>,
  unconfirmed: readonly Command[],
  now: Date,
): Promise<number[]> {
  const movers = unconfirmed.map(({ robot_id }) => robot_id);
  const pending = (await readOpenCommands(tx, movers)).filter(({ verb }) => verb === "STOP");
  const stopping = new Set(pending.map(({ robot_id }) => robot_id));
  const unstopped = withRobots(robots, unconfirmed).filter(({ robot }) => !stopping.has(robot.id));
  await insertFollowingStops(tx, unstopped, now);
  return robotIdsOf(unstopped);
}

/** Robots that show no lock in the last of these states. */
function unlockedOf(states: readonly LiveState[]): number[] {
  const last = new Map(states.map(({ robotId, state }) => [robotId, state.mode]));
  return [...last].flatMap(([robotId, mode]) => (mode === "MAINTENANCE" ? [] : [robotId]));
}

/**
 * Protocol rule 8: a robot that has left maintenance although its lock remains, with no order about it in progress, is
 * locked again. `lockedBefore` had one before its commands were settled.
 */
async function relockRobots(
  tx: Tx,
  robots: ReadonlyMap<number, LockedRobot>,
  lockedBefore: ReadonlySet<number>,
  now: Date,
): Promise<number[]> {
  const locked = [...(await readLocked(tx, [...lockedBefore]))];
  const pending = (await readOpenCommands(tx, locked)).filter(({ verb }) => verb.startsWith("MAINTENANCE"));
  const inProgress = new Set(pending.map(({ robot_id }) => robot_id));
  const unlocked = locked.flatMap((robotId) => (inProgress.has(robotId) ? [] : (robots.get(robotId) ?? [])));
  const command = { verb: "MAINTENANCE_ON", params: {}, mode: "AUTO", ...bySuncrew } as const;
  const orders = unlocked.map((robot) => ({ robot, command }));
  const relocks = withRobots(robots, await insertCommands(tx, orders, now));
  if (relocks.length === 0) return [];
  await sql`
    update maintenance_locks l set command_id = c.id, confirmed_at = null
    from commands c where c.id = ${anyUuid(relocks.map((each) => each.command.id))} and l.robot_id = c.robot_id
      and l.released_at is null`.execute(tx);
  const audited = relocks.map((each) => {
    const reason = `Robot ${each.robot.serial_number} has left maintenance by itself although it is still locked.`;
    return { ...each, outcome: "DONE" as const, reason };
  });
  await auditCommands(tx, audited, now);
  return robotIdsOf(relocks);
}

/** The robots showed them (protocol rule 6): closes those that were still open, with the consequences. */
export async function settleConfirmed(tx: Tx, shown: readonly OpenCommand[], now: Date): Promise<void> {
  const closed = await closeAll(tx, shown, "CONFIRMED", now);
  await clearUnconfirmed(tx, closed, now);
  const logged = closed.map((each) => {
    return { ...each, status: "SUCCESS" as const, details: confirmedText(each.command, now) };
  });
  await logCommands(tx, logged, now);
  const of = (verb: Command["verb"]) => closed.filter(({ command }) => command.verb === verb);
  await storeSettings(tx, of("SET"), now);
  await confirmLocks(tx, of("MAINTENANCE_ON"), now);
  await applyReleases(tx, of("MAINTENANCE_OFF"), now);
}

function confirmedText({ verb, because, answered_at }: Command, now: Date): OutcomeText {
  if (verb === "START") return outcomeText("START_CONFIRMED", {});
  if (answered_at !== null) return outcomeText("STOP_DELIVERED", { at: now.toISOString() });
  return because === null ? outcomeText("STOP_CONFIRMED", {}) : outcomeText("STOP_CONFIRMED_BECAUSE", { because });
}

/**
 * The robots have confirmed these settings, so they are stored; omitted ones stay. One robot may have accepted several
 * SETs.
 */
async function storeSettings(tx: Tx, shown: readonly OpenCommand[], now: Date): Promise<void> {
  if (shown.length === 0) return;
  const stored = new Map(shown.map(({ robot }) => [robot.id, settingsOf(robot)]));
  const audited = shown.map(({ robot, command }) => {
    const { direction, "main-speed": main, "brush-speed": brush } = command.params;
    const before = stored.get(robot.id) ?? settingsOf(robot);
    const after = {
      cleaning_direction: direction === undefined ? before.cleaning_direction : cleaningDirections[direction],
      main_motor_speed: main ?? before.main_motor_speed,
      brush_motor_speed: brush ?? before.brush_motor_speed,
    };
    stored.set(robot.id, after);
    return { robot, command, outcome: "DONE" as const, before, after };
  });
  const settings = JSON.stringify([...stored].map(([id, each]) => ({ id, ...each })));
  await sql`
    update robots r set cleaning_direction = n.cleaning_direction, main_motor_speed = n.main_motor_speed,
      brush_motor_speed = n.brush_motor_speed
    from json_populate_recordset(null::robots, ${settings}::json) n where r.id = n.id`.execute(tx);
  await auditCommands(tx, audited, now);
}

const cleaningDirections = { FWD: "FORWARD", REV: "REVERSE" } as const;

function settingsOf({ cleaning_direction, main_motor_speed, brush_motor_speed }: LockedRobot) {
  return { cleaning_direction, main_motor_speed, brush_motor_speed };
}

/** Protocol rule 8: the robots show MAINTENANCE and have stopped, so their locks are "confirmed by the robot". */
async function confirmLocks(tx: Tx, shown: readonly OpenCommand[], now: Date): Promise<void> {
  if (shown.length === 0) return;
  await tx
    .updateTable("maintenance_locks")
    .set({ confirmed_at: now })
    .where("robot_id", "=", anyInt(robotIdsOf(shown)))
    .where("released_at", "is", null)
    .where("confirmed_at", "is", null)
    .execute();
}

/** The robots show that they were released: their locks end, and their former modes and statuses return. */
async function applyReleases(tx: Tx, shown: readonly OpenCommand[], now: Date): Promise<void> {
  if (shown.length === 0) return;
  const locks = new Map((await endLocks(tx, shown, now)).map((lock) => [lock.robot_id, lock]));
  const released = shown.map(({ robot, command }) => {
    const lock = locks.get(robot.id);
    // A robot that was locked locally has kept its mode.
    const mode = robot.operating_mode === "maintenance" ? (lock?.former_mode ?? "auto") : robot.operating_mode;
    const status = robotStatusOf({ online: robot.online, operatingMode: mode, deviceStatus: robot.status });
    const before = { operating_mode: robot.operating_mode, ...shownLock(lock) };
    const after = { operating_mode: mode, ...shownLock() };
    return { id: robot.id, mode, status, audited: { robot, command, outcome: "DONE" as const, before, after } };
  });
  const changes = JSON.stringify(released.map(({ id, mode, status }) => ({ id, mode, status })));
  await sql`
    with released as (select * from json_to_recordset(${changes}::json) n (id int, mode text, status text)),
    shown as (update robot_state s set robot_status = n.status from released n where s.robot_id = n.id)
    update robots r set operating_mode = n.mode from released n where r.id = n.id`.execute(tx);
  const records = released.map(({ audited }) => audited);
  await auditCommands(tx, records, now);
}

type EndedLock = Pick<
  Selectable<Tables["maintenance_locks"]>,
  "robot_id" | "former_mode" | "reason" | "locked_by" | "locked_at"
>;

/** Who locked it, why and since when; empty without a lock. */
function shownLock(lock?: EndedLock) {
  const { reason = null, locked_by = null, locked_at = null } = lock ?? {};
  return { reason, locked_by, locked_at };
}

async function endLocks(tx: Tx, shown: readonly OpenCommand[], now: Date): Promise<EndedLock[]> {
  const releases = shown.map(({ robot, command }) => ({
    robot_id: robot.id,
    by: command.requested_by,
    user_id: command.user_id,
  }));
  const { rows } = await sql<EndedLock>`
    update maintenance_locks l set released_at = ${now}, released_by = n.by, released_by_user_id = n.user_id
    from json_to_recordset(${JSON.stringify(releases)}::json) n (robot_id int, by text, user_id int)
    where l.robot_id = n.robot_id and l.released_at is null
    returning l.robot_id, l.former_mode, l.reason, l.locked_by, l.locked_at`.execute(tx);
  return rows;
}

/** Which of the robots have been locked by a person. */
async function readLocked(tx: Tx, robotIds: readonly number[]): Promise<Set<number>> {
  if (robotIds.length === 0) return new Set();
  const rows = await tx
    .selectFrom("maintenance_locks")
    .select("robot_id")
    .where("robot_id", "=", anyInt(robotIds))
    .where("released_at", "is", null)
    .execute();
  return new Set(rows.map(({ robot_id }) => robot_id));
}

/** An ack with the serial number of its topic. */
export interface ReceivedAck {
  readonly serial: string;
  readonly ack: AckMessage;
}

/**
 * Records acks, and settles as REJECTED what the robot refused. An ack counts only for a command of the serial number
 * it came from. A refusal after an acceptance, or of a STOP, changes nothing: the state decides there, and a STOP is
 * repeated. Of settled commands only unconfirmed STARTs are updated: what the robot says about one decides whether its
 * run gets another. Called by the bridge. Returns the robots whose commands were settled.
 */
export async function recordAcks(tx: Tx, acks: readonly ReceivedAck[], now: Date): Promise<number[]> {
  const named = await readNamed(tx, acks);
  if (named.length === 0) return [];
  const namedIds = named.map(({ robot_id }) => robot_id);
  const robots = await lockRobots(tx, namedIds);
  const current = new Map((await readNamed(tx, acks)).map((command) => [command.id, command]));
  const notTaken = new Set<string>();
  const noted = new Map<string, Command>();
  const rejected: OpenCommand[] = [];
  for (const { serial, ack } of acks) {
    const command = current.get(ack.id);
    const robot = command && robots.get(command.robot_id);
    if (command === undefined || robot === undefined || command.serial_number !== serial) continue;
    const hasAccepted = command.ack === "ACCEPTED" || command.ack === "DONE";
    if (ack.status === "REJECTED" && hasAccepted) continue;
    const updated = { ...command, ack: ack.status, ack_code: ack.code };
    noted.set(command.id, updated);
    current.set(command.id, updated);
    if (command.settled_at !== null) {
      if (ack.status === "REJECTED" && ack.code !== null && tooOld.includes(ack.code)) notTaken.add(command.id);
      continue;
    }
    if (ack.status !== "REJECTED" || staysPending(command.verb)) continue;
    rejected.push({ robot, command: updated });
    current.delete(command.id);
  }
  const rows = [...noted.values()].map(({ id, ack, ack_code }) => {
    return { id, ack, ack_code, not_taken_at: notTaken.has(id) ? now : null };
  });
  await sql`
    update commands c set ack = n.ack, ack_code = n.ack_code, not_taken_at = coalesce(c.not_taken_at, n.not_taken_at)
    from json_populate_recordset(null::commands, ${JSON.stringify(rows)}::json) n where c.id = n.id`.execute(tx);
  await settleAllRejected(tx, rejected, now);
  return robotIdsOf(rejected);
}

/** The robot refused it as too old, so it will never accept it. */
const tooOld: readonly string[] = ["OLD_SESSION", "EXPIRED"] satisfies RejectCode[];

/** The open commands and unconfirmed STARTs that the acks name, each for the serial number it was acknowledged from. */
async function readNamed(tx: Tx, acks: readonly ReceivedAck[]): Promise<Command[]> {
  if (acks.length === 0) return [];
  const rows = await tx
    .selectFrom("commands")
    .selectAll()
    .where("id", "=", anyUuid(acks.map(({ ack }) => ack.id)))
    .where((eb) =>
      eb.or([eb("settled_at", "is", null), eb.and([eb("verb", "=", "START"), eb("outcome", "=", "UNCONFIRMED")])]),
    )
    .execute();
  const serialsOf = Map.groupBy(acks, ({ ack }) => ack.id);
  return rows.filter(({ id, serial_number }) => serialsOf.get(id)?.some(({ serial }) => serial === serial_number));
}
