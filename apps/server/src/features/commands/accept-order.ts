import type { StartRefusal } from "@suncrew/domain/commands/start-refusal.ts";
import type { Tx } from "../../platform/database/database.ts";
import { HttpError } from "../../platform/http/http-error.ts";
import { findStoppedSince, insertNotStarted } from "../runs/public.ts";
import { alertUnconfirmed } from "./alert-commands.repository.ts";
import { auditCommands, directionOf, logCommands } from "./command-records.repository.ts";
import {
  type Command,
  type CommandOf,
  insertCommands,
  type LockedRobot,
  type NewCommand,
  type PressedStop,
} from "./command-rows.repository.ts";
import { pendingSentences, refusalSentences } from "./command-sentences.ts";
import { answerAllPending, type OpenCommand, settleAllOvertaken } from "./settle.repository.ts";
import type { Press } from "./press.ts";
import { refusalOf } from "./start-candidate.ts";
import { type GuardRefusal, guardRefusals, type StartGuard } from "./start-guard.ts";

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

/** An order for a robot that this transaction has locked, with its commands that are not settled, read under the lock. */
export interface AskedOrder {
  readonly robot: LockedRobot;
  readonly open: readonly Command[];
  readonly order: Order;
}

/**
 * Decides about a START or STOP of a robot that this transaction has locked, and stores it (protocol rules 2, 3 and 5).
 * `open` are the robot's commands that are not settled, read under the lock. Writes the activity and audit rows.
 */
export async function acceptOrder(
  tx: Tx,
  robot: LockedRobot,
  open: readonly Command[],
  order: Order,
  now: Date,
): Promise<OrderAccepted> {
  const accepted = (await acceptAll(tx, [{ robot, open, order }], now)).get(robot.id);
  if (accepted === undefined) throw new Error(`Nothing was decided about robot ${robot.id}.`);
  return accepted;
}

/** The same for many robots, one order each, in a few statements. Answers what became of each, by robot. */
export async function acceptAll(tx: Tx, asked: readonly AskedOrder[], now: Date): Promise<Map<number, OrderAccepted>> {
  const accepted = new Map<number, OrderAccepted>();
  const refusals = new Map<number, StartRefusal | GuardRefusal | null>(
    asked.map(({ robot, open, order }) => [
      robot.id,
      order.verb === "START" ? refusalOf(robot, open, now) : stopRefusal(robot),
    ]),
  );
  const possible = asked.filter(({ robot }) => refusals.get(robot.id) === null);
  for (const [robotId, why] of await guardRefusals(tx, possible, now)) refusals.set(robotId, why);
  const refused: RefusedOrder[] = [];
  const overtaken: OpenCommand[] = [];
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
    if (order.verb === "STOP") overtaken.push(...startsBefore(order, robot, open));
    taken.push({ robot, command });
  }
  await settleAllOvertaken(tx, overtaken, now);
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
  const starting = new Set(overtaken.map(({ robot }) => robot.id));
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
  await answerAllPending(tx, away, (robot) => pendingSentences.STOP.away(robot.serial_number), now);
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
  const status = refusal === "without-time" ? 503 : refusal === "away" || refusal === "stale" ? 504 : 409;
  return new HttpError(status, told(refusalSentences[refusal](serial_number, installing)), { success: false });
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
