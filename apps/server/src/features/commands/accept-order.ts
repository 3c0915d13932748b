import type { StartRefusal } from "@suncrew/domain/commands/start-refusal.ts";
import type { Tx } from "../../platform/database/database.ts";
import { HttpError } from "../../platform/http/http-error.ts";
import { auditCommand, directionOf, logCommand } from "./command-records.writes.ts";
import { type Command, insertCommand, type LockedRobot, type NewCommand } from "./command-rows.writes.ts";
import { pendingSentences, refusalSentences } from "./command-sentences.ts";
import { answerPending, settleOvertaken } from "./settle.writes.ts";
import { refusalOf } from "./start-candidate.ts";

/** Who orders: a person alone or through a group, the scheduler, or Suncrew itself. */
export interface Requester {
  readonly userId: number | null;
  readonly name: string;
  readonly actionType: Command["action_type"];
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
}

/** What became of an order in its transaction; a refusal is on record, and is thrown or told after the commit. */
export type OrderAccepted =
  | { readonly kind: "stored"; readonly command: Command; readonly robotAway: boolean }
  | { readonly kind: "refused"; readonly refusal: StartRefusal; readonly error: HttpError };

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
  const command = newCommand(order, robot);
  if (order.verb === "START") {
    const refusal = refusalOf(robot, open, now);
    if (refusal !== null) {
      const error = refusedStart(refusal, robot.serial_number);
      await recordRefusal(tx, robot, command, error, now);
      return { kind: "refused", refusal, error };
    }
  } else await overtakeStarts(tx, robot, open, now);
  const stored = await insertCommand(tx, robot, command, now);
  await auditCommand(tx, robot, stored, { outcome: "DONE", after: { ...stored.params, mode: stored.mode } }, now);
  const robotAway = !robot.state.online;
  if (order.verb === "STOP" && robotAway) {
    await answerPending(tx, robot, stored, pendingSentences.STOP.away(robot.serial_number), now);
  }
  return { kind: "stored", command: stored, robotAway };
}

/** No START may be confirmed once a later STOP or lock is accepted: its caller is answered, and the higher seq fences it. */
export async function overtakeStarts(tx: Tx, robot: LockedRobot, open: readonly Command[], now: Date): Promise<void> {
  for (const start of open.filter(({ verb }) => verb === "START")) await settleOvertaken(tx, robot, start, now);
}

function refusedStart(refusal: StartRefusal, serial: string): HttpError {
  return new HttpError(refusal === "away" || refusal === "stale" ? 504 : 409, refusalSentences[refusal](serial), {
    success: false,
  });
}

async function recordRefusal(
  tx: Tx,
  robot: LockedRobot,
  command: NewCommand,
  refusal: HttpError,
  now: Date,
): Promise<void> {
  const who = { verb: "START", user_id: command.userId, requested_by: command.requestedBy } as const;
  const pressed = { ...who, id: null, mode: command.mode, action_type: command.actionType, params: command.params };
  await logCommand(tx, robot, pressed, { status: "REFUSED", details: refusal.message }, now);
  await auditCommand(tx, robot, who, { outcome: "REFUSED", reason: refusal.message }, now);
}

function newCommand({ verb, by, mode, params, maxDurationS, runId }: Order, robot: LockedRobot): NewCommand {
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
    ...(verb === "START" && { maxDurationS, ...(runId !== undefined && { runId }) }),
  };
}
