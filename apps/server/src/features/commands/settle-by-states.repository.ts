import type { StateMessage } from "@suncrew/contract/devices/messages.ts";
import { type ReportedState, stateConfirms } from "@suncrew/domain/commands/confirmation.ts";
import { sql } from "kysely";
import type { Clock } from "../../platform/clock.ts";
import type { Tx } from "../../platform/database/database.ts";
import { type Command, type LockedRobot, lockRobots, readOpenCommands, showChange } from "./command-rows.repository.ts";
import { staysPending } from "./pending-verbs.ts";
import { settleConfirmed } from "./settle-confirmed.repository.ts";
import { lockAgain, readLocked } from "./settle-maintenance.repository.ts";
import { insertFollowingStops, type OpenCommand, settleAllOvertaken } from "./settle.repository.ts";

/** A live state (not retained) of the robot's current session. */
export interface LiveState {
  readonly robotId: number;
  /** The highest number of a command that the robot had told of before. */
  readonly knownSeq: number;
  readonly state: ReportedState & Pick<StateMessage, "session" | "ts">;
}

/** A robot raises its session by one with each connection: so often it may have connected since a START was given. */
const RECONNECTIONS = 10;

/**
 * Settles what these states show (protocol rule 6). Called by the bridge in the transaction that stores the states,
 * after it stored them and with no other lock taken; several states of one robot come in their order. What counts is
 * the time when the robots' rows are locked: a START whose caller is told meanwhile that it failed stays failed.
 */
export async function settleByStates(tx: Tx, states: readonly LiveState[], clock: Pick<Clock, "now">): Promise<void> {
  await noteNotTaken(tx, states, clock.now());
  const open = await readOpenCommands(
    tx,
    states.map(({ robotId }) => robotId),
  );
  const strays = await readStrays(tx, states);
  const concerned = new Set([...open, ...strays].map((command) => command.robot_id));
  for (const robotId of await readLocked(tx, unlockedOf(states))) concerned.add(robotId);
  if (concerned.size === 0) return;
  const robots = await lockRobots(tx, [...concerned]);
  // Read again under the lock: another server may have settled some meanwhile.
  const openNow = Map.groupBy(await readOpenCommands(tx, [...concerned]), (command) => command.robot_id);
  const now = clock.now();
  const decided = new Settled();
  for (const { robotId, state } of states) {
    const robot = robots.get(robotId);
    if (robot === undefined) continue;
    decided.add(robot, openNow.get(robotId) ?? [], state, now);
  }
  await settleConfirmed(tx, decided.confirmed, now);
  await settleAllOvertaken(tx, decided.overtaken, now);
  const changed = new Set(decided.robotIds);
  for (const robotId of await stopStrays(tx, robots, states, now)) changed.add(robotId);
  for (const robotId of await lockForgetful(tx, robots, states, now)) changed.add(robotId);
  await showChange(tx, [...changed]);
}

/**
 * Scheduled STARTs that a robot has not taken and never will (protocol rule 1): it stands with a lower `lastSeq`, in a
 * newer session, or at a time of its own clock at which the START has expired. Noted because the STOP that follows
 * raises `lastSeq` before anybody asks. A robot that tells of less than before, or whose session jumped, has lost its
 * memory (rule 14) and proves nothing.
 */
async function noteNotTaken(tx: Tx, states: readonly LiveState[], now: Date): Promise<void> {
  const stand = states.flatMap(({ robotId, knownSeq, state: { motion, lastSeq, session, ts } }) =>
    motion === "STOPPED" && lastSeq >= knownSeq ? [{ robot_id: robotId, last_seq: lastSeq, session, ts }] : [],
  );
  if (stand.length === 0) return;
  await sql`
    update commands c set not_taken_at = ${now}
    from json_to_recordset(${JSON.stringify(stand)}::json) n (robot_id int, last_seq bigint, session bigint, ts timestamptz)
    where c.robot_id = n.robot_id and c.seq > n.last_seq and c.verb = 'START' and c.action_type = 'SCHEDULED'
      and c.claimed_by is not null and c.not_taken_at is null
      and (c.settled_at is null or c.outcome = 'UNCONFIRMED')
      and n.session <= c.session + ${RECONNECTIONS}
      and (n.session > c.session or (n.session = c.session and n.ts > c.expires_at))`.execute(tx);
}

/** What states come to, each command once, by the first state that decides about it. */
class Settled {
  readonly confirmed: OpenCommand[] = [];
  readonly overtaken: OpenCommand[] = [];
  readonly #decided = new Set<string>();

  get robotIds(): number[] {
    return this.confirmed.map(({ robot }) => robot.id);
  }

  add(robot: LockedRobot, open: readonly Command[], state: ReportedState, now: Date): void {
    for (const command of open) {
      if (this.#decided.has(command.id) || !isInTime(command, now) || !stateConfirms(state, sentOf(command))) continue;
      this.#decided.add(command.id);
      this.confirmed.push({ robot, command });
      if (command.verb !== "SET") continue;
      // An older SET must not overwrite what this newer one stored.
      for (const older of open) {
        const isOlder = older.verb === "SET" && older.seq < command.seq;
        if (!isOlder || this.#decided.has(older.id) || stateConfirms(state, sentOf(older))) continue;
        this.#decided.add(older.id);
        this.overtaken.push({ robot, command: older });
      }
    }
  }
}

/** STOP and MAINTENANCE_ON stay pending for as long as it takes; the others have failed when their time is over. */
function isInTime(command: Command, now: Date): boolean {
  return staysPending(command.verb) || command.settle_by > now;
}

function sentOf(command: Command): Parameters<typeof stateConfirms>[1] {
  const { direction, "main-speed": mainSpeed, "brush-speed": brushSpeed } = command.params;
  return {
    verb: command.verb,
    seq: command.seq,
    runId: command.run_id,
    settings: {
      ...(direction !== undefined && { direction }),
      ...(mainSpeed !== undefined && { mainSpeed }),
      ...(brushSpeed !== undefined && { brushSpeed }),
    },
  };
}

/** STARTs that have failed, of runs on which a robot moves nevertheless. */
async function readStrays(tx: Tx, states: readonly LiveState[]): Promise<Command[]> {
  const runIds = states.flatMap(({ state }) =>
    state.motion === "MOVING" && state.runId !== null ? [state.runId] : [],
  );
  if (runIds.length === 0) return [];
  return tx
    .selectFrom("commands")
    .selectAll()
    .where("run_id", "=", sql<string>`any(${runIds}::uuid[])`)
    .where("verb", "=", "START")
    .where("outcome", "in", ["UNCONFIRMED", "REJECTED", "NEVER_SENT"])
    .execute();
}

/** Nothing moves on a START that was answered as failed: unless a STOP is pending already, one follows. */
async function stopStrays(
  tx: Tx,
  robots: ReadonlyMap<number, LockedRobot>,
  states: readonly LiveState[],
  now: Date,
): Promise<number[]> {
  const last = new Map(states.map((live) => [live.robotId, live]));
  const strays = await readStrays(tx, [...last.values()]);
  const pending = await readOpenCommands(
    tx,
    strays.map((start) => start.robot_id),
  );
  const stopping = new Set(pending.filter(({ verb }) => verb === "STOP").map((command) => command.robot_id));
  const unstopped = strays.flatMap((command) => {
    const robot = robots.get(command.robot_id);
    return robot === undefined || stopping.has(robot.id) ? [] : [{ robot, command }];
  });
  await insertFollowingStops(tx, unstopped, now);
  return unstopped.map(({ robot }) => robot.id);
}

/** Robots that show no lock in the last of these states. */
function unlockedOf(states: readonly LiveState[]): number[] {
  const last = new Map(states.map(({ robotId, state }) => [robotId, state.mode]));
  return [...last].flatMap(([robotId, mode]) => (mode === "MAINTENANCE" ? [] : [robotId]));
}

/** Protocol rule 8: a robot that has left maintenance while its lock stands, and no order about it is under way, is locked again. */
async function lockForgetful(
  tx: Tx,
  robots: ReadonlyMap<number, LockedRobot>,
  states: readonly LiveState[],
  now: Date,
): Promise<number[]> {
  const locked = [...(await readLocked(tx, unlockedOf(states)))];
  const pending = (await readOpenCommands(tx, locked)).filter(({ verb }) => verb.startsWith("MAINTENANCE"));
  const underWay = new Set(pending.map((command) => command.robot_id));
  const forgetful = locked.flatMap((robotId) => (underWay.has(robotId) ? [] : (robots.get(robotId) ?? [])));
  await lockAgain(tx, forgetful, now);
  return forgetful.map(({ id }) => id);
}
