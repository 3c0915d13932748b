import { type StartCandidate, type StartRefusal, startRefusal } from "@suncrew/domain/commands/command-refusals.ts";
import { sql } from "kysely";
import type { ReleaseCandidate } from "@suncrew/domain/maintenance/release-refusal.ts";
import type { Tx } from "../../platform/database/database.ts";
import type { HttpError } from "../../platform/http/http-error.ts";
import { findStoppedSince, insertNotStarted } from "../runs/public.ts";
import { pendingMessages, refusalMessages, refusedBy } from "./command-answers.ts";
import { alertUnconfirmed, auditCommands, directionOf, logCommands } from "./command-records.repository.ts";
import {
  type Command,
  type CommandOf,
  type CommandTarget,
  insertCommands,
  type LockedRobot,
  type LockOptions,
  lockTargets,
  type NewCommand,
  type Press,
  type PressedStop,
} from "./commands.repository.ts";
import { answerAllPending, type OpenCommand, settleAllSuperseded } from "./settle.repository.ts";

/** Who orders: a person alone or through a group, the scheduler, or Suncrew itself. */
export interface Requester {
  readonly userId: number | null;
  readonly name: string;
  readonly actionType: Command["action_type"];
  /** The press of a button behind the order; null or missing where there is none that is told of. */
  readonly press?: Press | null;
}

/** A START or STOP for one robot; what `params` leaves out comes from the robot's stored settings. */
export interface Order {
  readonly verb: "START" | "STOP";
  readonly by: Requester;
  readonly mode: Command["mode"];
  readonly params?: Omit<Command["params"], "status">;
  /** When a START's robot stops by itself at the latest, in seconds. */
  readonly maxDurationS: number;
  /** The run that a START begins, where its row is written before; a new one else. */
  readonly runId?: string;
  /** For a START that is decided later than it was asked for. */
  readonly unless?: StartGuard;
  /** For a person's STOP, which may have gone out before it is decided about here. */
  readonly pressed?: PressedStop;
  /** How a refused START is told, where it is part of something else. */
  readonly refusedAs?: (reason: string) => string;
}

/** What became of an order in its transaction; a refusal is on record, and is thrown or told after the commit. */
export type OrderAccepted =
  | {
      readonly kind: "stored";
      readonly command: Command;
      readonly robotAway: boolean;
      /** Last seen moving, or its start was under way. */
      readonly wasMoving: boolean;
    }
  | { readonly kind: "refused"; readonly refusal: StartRefusal | GuardRefusal; readonly error: HttpError };

interface TargetedOrder extends CommandTarget {
  readonly order: Order;
}

/**
 * Decides about a START or STOP of a robot that this transaction has locked, and stores it (protocol rules 2, 3 and 5).
 * Writes the activity and audit rows.
 */
export async function acceptOrder(tx: Tx, target: CommandTarget, order: Order, now: Date): Promise<OrderAccepted> {
  const accepted = (await acceptAll(tx, [{ ...target, order }], now)).get(target.robot.id);
  if (accepted === undefined) throw new Error(`Nothing was decided about robot ${target.robot.id}.`);
  return accepted;
}

/** The same for many robots, one order each, in a few statements. Answers what became of each, by robot. */
async function acceptAll(tx: Tx, asked: readonly TargetedOrder[], now: Date): Promise<Map<number, OrderAccepted>> {
  const accepted = new Map<number, OrderAccepted>();
  const refusals = new Map<number, StartRefusal | GuardRefusal | null>(
    asked.map((each) => [
      each.robot.id,
      each.order.verb === "START" ? startRefusal(candidateOf(each), now) : stopRefusal(each.robot),
    ]),
  );
  const possible = asked.filter(({ robot }) => refusals.get(robot.id) === null);
  for (const [robotId, why] of await guardRefusals(tx, possible, now)) refusals.set(robotId, why);
  const refused: RefusedOrder[] = [];
  const superseded: OpenCommand[] = [];
  const taken: CommandOf[] = [];
  for (const { robot, open, order } of asked) {
    const command = newCommand(order, robot);
    const refusal = refusals.get(robot.id) ?? null;
    if (refusal !== null) {
      const error = refusedOrder(refusal, robot, order.refusedAs);
      refused.push({ robot, command, error });
      accepted.set(robot.id, { kind: "refused", refusal, error });
      continue;
    }
    if (order.verb === "STOP") superseded.push(...startsBefore(order, robot, open));
    taken.push({ robot, command });
  }
  await settleAllSuperseded(tx, superseded, now);
  await recordRefusals(tx, refused, now);
  const robots = new Map(taken.map(({ robot }) => [robot.id, robot]));
  const stored = (await insertCommands(tx, taken, now)).flatMap((command) => {
    const robot = robots.get(command.robot_id);
    return robot ? [{ robot, command }] : [];
  });
  const audited = stored.map(({ robot, command }) => {
    const after = { ...command.params, mode: command.mode };
    return { robot, command, outcome: "DONE" as const, after };
  });
  await auditCommands(tx, audited, now);
  const starting = new Set(superseded.map(({ robot }) => robot.id));
  // One that was told before its row may have obeyed by now: whether it moved is asked of the moment of the press.
  const obeyed = taken.filter(({ robot, command }) => robot.state.last_seq >= (command.pressed?.seq ?? Infinity));
  const stopped = await findStoppedSince(
    tx,
    obeyed.map(({ robot }) => robot.id),
    now,
  );
  for (const { robot, command } of stored) {
    const wasMoving = robot.state.motion === "MOVING" || starting.has(robot.id) || stopped.has(robot.id);
    accepted.set(robot.id, { kind: "stored", command, robotAway: !robot.state.online, wasMoving });
  }
  const away = stored.filter(({ robot, command }) => command.verb === "STOP" && !robot.state.online);
  await answerAllPending(tx, away, (robot) => pendingMessages.STOP.away(robot.serial_number), now);
  const movesOn = away.filter(({ robot }) => robot.state.motion === "MOVING");
  await alertUnconfirmed(tx, movesOn, now);
  return accepted;
}

/** No START may be confirmed once a later STOP or lock is accepted: its caller is answered, and the higher seq fences it. */
function startsBefore({ pressed }: Order, robot: LockedRobot, open: readonly Command[]): OpenCommand[] {
  // One that is put on record late leaves alone what was started since.
  const before = pressed?.wasSent === true ? pressed.seq : Number.POSITIVE_INFINITY;
  return open.filter(({ verb, seq }) => verb === "START" && seq < before).map((command) => ({ robot, command }));
}

/** A STOP is always taken (protocol rule 3), but by a robot whose device was cut off for good. */
const stopRefusal = ({ device_retired }: LockedRobot): StartRefusal | null => (device_retired ? "retired" : null);

function refusedOrder(
  refusal: StartRefusal | GuardRefusal,
  { serial_number, installing }: LockedRobot,
  told: Order["refusedAs"] = (reason) => reason,
): HttpError {
  return refusedBy(refusal, told(refusalMessages[refusal](serial_number, installing)));
}

interface RefusedOrder {
  readonly robot: LockedRobot;
  readonly command: NewCommand & { readonly verb: Order["verb"] };
  readonly error: HttpError;
}

async function recordRefusals(tx: Tx, refused: readonly RefusedOrder[], now: Date): Promise<void> {
  const rows = refused.map(({ robot, command, error }) => {
    const who = { verb: command.verb, user_id: command.userId, requested_by: command.requestedBy };
    const pressed = { ...who, id: null, mode: command.mode, action_type: command.actionType, params: command.params };
    return {
      logged: { robot, command: pressed, status: "REFUSED" as const, details: error.message },
      audited: { robot, command: who, outcome: "REFUSED" as const, reason: error.message },
    };
  });
  await logCommands(
    tx,
    rows.map(({ logged }) => logged),
    now,
  );
  await auditCommands(
    tx,
    rows.map(({ audited }) => audited),
    now,
  );
  // Who cleans already has its run.
  const ofGroups = rows.filter(
    ({ logged: { robot, command } }) =>
      command.verb === "START" && command.action_type === "GROUP" && robot.state.motion !== "MOVING",
  );
  await insertNotStarted(
    tx,
    ofGroups.map(({ logged: { robot, command, details } }) => {
      return { robot, by: command, outcome: "SKIPPED", reason: details, at: now };
    }),
  );
}

function newCommand(
  { verb, by, mode, params, maxDurationS, runId, pressed }: Order,
  robot: LockedRobot,
): RefusedOrder["command"] {
  return {
    verb,
    params: {
      status: verb === "START" ? "start" : "stop",
      direction: params?.direction ?? directionOf(robot),
      "main-speed": params?.["main-speed"] ?? robot.main_motor_speed,
      "brush-speed": params?.["brush-speed"] ?? robot.brush_motor_speed,
    },
    mode,
    actionType: by.actionType,
    userId: by.userId,
    requestedBy: by.name,
    ...(pressed !== undefined && { pressed }),
    press: by.press ?? null,
    ...(verb === "START" && { maxDurationS, ...(runId !== undefined && { runId }) }),
  };
}

export interface AcceptedOf {
  readonly robot: LockedRobot;
  readonly accepted: OrderAccepted;
}

/**
 * Decides about the same order for many robots in one transaction, each for itself, in the order of `robotIds`. Robots
 * that were deleted or moved away from the site meanwhile are left out, with `skipLocked` also those that someone else has.
 */
export async function acceptOrders(
  tx: Tx,
  siteId: number,
  robotIds: readonly number[],
  order: Order | ((robot: LockedRobot) => Order),
  now: Date,
  options: LockOptions = {},
): Promise<AcceptedOf[]> {
  const targets = await lockTargets(tx, siteId, robotIds, options);
  const asked = targets.map((target) => {
    return { ...target, order: typeof order === "function" ? order(target.robot) : order };
  });
  const accepted = await acceptAll(tx, asked, now);
  return asked.flatMap(({ robot }) => {
    const mine = accepted.get(robot.id);
    return mine ? [{ robot, accepted: mine }] : [];
  });
}

/** What the rules of refusal need to know of a robot (protocol rules 2, 8, 9 and 12). */
export function candidateOf({ robot, open }: CommandTarget): StartCandidate & ReleaseCandidate {
  const has = (verb: Command["verb"]) => open.some((command) => command.verb === verb);
  return {
    deviceRetired: robot.device_retired,
    online: robot.state.online,
    motion: robot.state.motion,
    operatingMode: robot.operating_mode,
    deviceMode: robot.state.mode,
    liveStateAt: robot.state.live_at,
    clockSkewMs: robot.state.clock_skew_ms,
    installing: robot.installing !== null,
    hasOpenStart: has("START"),
    hasUnsettledStop: has("STOP"),
    hasUnsettledMaintenanceOn: has("MAINTENANCE_ON"),
    hasUnsettledMaintenanceOff: has("MAINTENANCE_OFF"),
  };
}

/** Why a START of a locked robot would be refused now, or null where it may be sent. */
export function refusalOf(robot: LockedRobot, open: readonly Command[], now: Date): StartRefusal | null {
  return startRefusal(candidateOf({ robot, open }), now);
}

/** What undoes a START that is decided later than a person asked for it: a wrong START is worse than a missing one. */
export interface StartGuard {
  /** The robot's newest command as the call came: refused where a STOP or a lock, by whomever, has a higher number. */
  readonly afterSeq: number;
  /** Asked under the lock: its caller has given up or is about to, and nobody expects the robot to move any more. */
  readonly isTooLate?: () => boolean;
  /** This server's clock, which tells until when an order holds, cannot be relied on (protocol rule 12). */
  readonly withoutTime?: boolean;
}

export type GuardRefusal = "stopped-since" | "locked-since" | "too-late" | "without-time";

interface Guarded {
  readonly robot: { readonly id: number };
  readonly order: {
    readonly verb: string;
    readonly by: { readonly press?: Press | null };
    readonly unless?: StartGuard;
  };
}

/** The network brings no order later than this after a Stop of the same browser, which gives a call up before. */
const MAX_NETWORK_DELAY_MS = 30_000;

/** Of a robot's commands those that can have come since: a person's order waits for seconds, not for years. */
const MAX_RECENT_COMMANDS = 50;

/** The newest command of each robot as a call came, whatever it waited for since and however often it was decided. */
export class FirstSeen {
  readonly #seqs = new Map<number, number>();

  note(robotId: number, lastSeq: number): void {
    if (!this.#seqs.has(robotId)) this.#seqs.set(robotId, lastSeq);
  }

  /** Where nothing is known, every Stop counts as later. */
  seqOf(robotId: number): number {
    return this.#seqs.get(robotId) ?? 0;
  }
}

/**
 * Why STARTs of robots that this transaction has locked come too late, by robot. No order that was given before a STOP
 * or a lock goes out after it: while it waited here, while it waited in its browser, or on its way from the browser
 * that pressed both.
 */
async function guardRefusals(tx: Tx, asked: readonly Guarded[], now: Date): Promise<Map<number, GuardRefusal>> {
  const refusals = new Map<number, GuardRefusal>();
  const guards = asked.flatMap(({ robot, order: { verb, by, unless } }) => {
    return verb === "START" && unless !== undefined ? [{ robotId: robot.id, press: by.press ?? null, ...unless }] : [];
  });
  if (guards.length === 0) return refusals;
  for (const { robotId, isTooLate, withoutTime } of guards) {
    if (withoutTime === true) refusals.set(robotId, "without-time");
    if (isTooLate?.() === true) refusals.set(robotId, "too-late");
  }
  const fences = guards.map(({ robotId, afterSeq, press }) => ({
    robot_id: robotId,
    seq: afterSeq,
    waits_since: press?.waitsSince ?? null,
    pressed_in: press?.sessionId ?? null,
    pressed_ms: press?.atMs ?? null,
  }));
  const { rows } = await sql<{ robot_id: number; verb: string }>`
    select distinct on (c.robot_id) c.robot_id, c.verb
    from json_to_recordset(${JSON.stringify(fences)}::json)
      g (robot_id int, seq bigint, waits_since timestamptz, pressed_in uuid, pressed_ms bigint)
    cross join lateral (
      select robot_id, verb, seq, issued_at, pressed_in, pressed_ms from commands
      where robot_id = g.robot_id order by seq desc limit ${MAX_RECENT_COMMANDS}
    ) c
    where c.verb in ('STOP', 'MAINTENANCE_ON') and (c.seq > g.seq
      or (c.issued_at >= g.waits_since and (c.pressed_in is distinct from g.pressed_in or c.pressed_ms > g.pressed_ms))
      or (c.pressed_in = g.pressed_in and c.pressed_ms > g.pressed_ms
        and c.issued_at > ${new Date(now.getTime() - MAX_NETWORK_DELAY_MS)}))
    order by c.robot_id, c.seq desc
  `.execute(tx);
  for (const { robot_id, verb } of rows) refusals.set(robot_id, verb === "STOP" ? "stopped-since" : "locked-since");
  return refusals;
}
