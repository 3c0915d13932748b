import type { RobotResult } from "@suncrew/contract/groups/groups.ts";
import { isClockWrong } from "../../platform/clock-watch.ts";
import type { Tx } from "../../platform/database/database.ts";
import { HttpError } from "../../platform/http/http-error.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { insertNotStarted } from "../runs/public.ts";
import type { Order } from "./accept-order.ts";
import { type AcceptedOf, acceptOrders } from "./accept-orders.ts";
import type { SuccessAnswer } from "./command-answers.ts";
import { auditCommands } from "./command-records.repository.ts";
import type { LockedRobot } from "./command-rows.repository.ts";
import { heldSentences, RESULT_UNKNOWN } from "./command-sentences.ts";
import { type Chosen, type DecidedEach, decideEach, type HeldRobot } from "./decide-each.ts";
import { keptResult } from "./kept-stops.ts";
import type { FirstSeen, StartGuard } from "./start-guard.ts";
import type { StopPress } from "./stop-press.ts";

/** The same order for many robots; `unlessOf` guards the START of each where it is part of an earlier order. */
export interface ManyOrder extends Omit<Order, "unless"> {
  readonly unlessOf?: (robotId: number) => StartGuard | undefined;
  /** Told of each robot whose command is stored and goes now. */
  readonly onGoing?: (robotId: number) => void;
  /** For a person's STOP, which some of the robots may be told before it is decided about them. */
  readonly stop?: StopPress;
}

/** Sends a stored command and answers when the robot showed it; throws what is not a success. */
type Send = (commandId: string, robotAway: boolean, onSent: () => void) => Promise<SuccessAnswer>;

type Result = Pick<RobotResult, "outcome" | "message" | "pending" | "was_moving">;

/**
 * Orders many robots of a site at the same time; `choose` names them inside the transaction and throws where it must
 * not be. What is decided goes at once, whatever the others wait for. Answers what came of each, in the order chosen.
 */
export async function orderEach(
  deps: Dependencies,
  choose: (tx: Tx) => Promise<Chosen>,
  { unlessOf, onGoing, stop, ...order }: ManyOrder,
  send: Send,
): Promise<RobotResult[]> {
  const { db, clock, log } = deps;
  const orderFor = (robot: LockedRobot, seen: FirstSeen): Order => {
    const unless = { afterSeq: seen.seqOf(robot.id), withoutTime: isClockWrong(deps), ...unlessOf?.(robot.id) };
    return { ...order, unless, pressed: stop?.of(robot.id) };
  };
  const each = await decideEach<AcceptedOf>(db, choose, (tx, { siteId, robotIds }, { seen, ...options }) => {
    const decidedAt = clock.now();
    const at = stop?.recordedAt(decidedAt) ?? decidedAt;
    return acceptOrders(tx, siteId, robotIds, (robot) => orderFor(robot, seen), at, options);
  });
  const resultOf = async ({ robot, accepted }: AcceptedOf): Promise<Result> => {
    if (accepted.kind === "refused") return { outcome: "SKIPPED", message: accepted.error.message, pending: false };
    onGoing?.(robot.id);
    stop?.noteStored(robot.id);
    const { message } = await send(accepted.command.id, accepted.robotAway, () => stop?.noteHandedOver(robot.id));
    const result = { outcome: "SUCCESS", message, pending: false } as const;
    return order.verb === "STOP" ? { ...result, was_moving: accepted.wasMoving } : result;
  };
  const heldResult = async (robot: HeldRobot): Promise<Result> => {
    if (stop?.isKeptOnly(robot.id) === true) return keptResult(stop, robot.id, robot.serial_number);
    const message = heldSentences[order.verb](robot.serial_number);
    const who = { verb: order.verb, user_id: order.by.userId, requested_by: order.by.name };
    const at = clock.now();
    await auditCommands(db, [{ robot, command: who, outcome: "FAILED", reason: message }], at);
    if (order.verb === "START" && order.by.actionType === "GROUP") {
      await insertNotStarted(db, [{ robot, by: who, outcome: "SKIPPED", reason: message, at }]);
    }
    return { outcome: order.verb === "START" ? "SKIPPED" : "FAILED", message, pending: false };
  };
  /** What became of the others is told all the same. */
  const failed = (error: unknown, robot: Pick<LockedRobot, "id" | "serial_number">, isStored: boolean): Result => {
    const { id: robotId, serial_number: serial } = robot;
    const known = error instanceof HttpError ? error : new HttpError(503, RESULT_UNKNOWN, { pending: true });
    if (known !== error && stop?.isKeptOnly(robotId) === true) return keptResult(stop, robotId, serial);
    if (known !== error)
      log.error({ reason: error, robotId, verb: order.verb }, "the result of a command is not known");
    // Only a stored STOP is kept and repeated.
    const pending = isStored && order.verb === "STOP" && known.extra.pending === true;
    return { outcome: "FAILED", message: known.message, pending };
  };
  return resultsOf(each, resultOf, heldResult, failed);
}

/** Waits for all robots of a decision at once and answers in the order chosen; those that are gone are left out. */
export async function resultsOf<T extends { readonly robot: Pick<LockedRobot, "id" | "serial_number"> }>(
  { robotIds, decided, later }: DecidedEach<T>,
  resultOf: (decided: T) => Promise<Result>,
  heldResult: (robot: HeldRobot) => Promise<Result>,
  failed: (error: unknown, robot: Pick<LockedRobot, "id" | "serial_number">, isStored: boolean) => Result,
): Promise<RobotResult[]> {
  const told = async (
    robot: T["robot"],
    each: T | "gone" | "held" | Promise<T | "gone" | "held">,
    of: HeldRobot | null,
  ) => {
    let isStored = false;
    const ask = async (): Promise<Result | null> => {
      const known = await each;
      if (known === "gone") return null;
      if (known === "held") return of && heldResult(of);
      isStored = true;
      return resultOf(known);
    };
    const result = await ask().catch((error: unknown) => failed(error, robot, isStored));
    return result === null ? [] : [{ robotId: robot.serial_number, robotObjectId: robot.id, ...result }];
  };
  const results = await Promise.all([
    ...decided.map((each) => told(each.robot, each, null)),
    ...later.map(({ robot, decided: deciding }) => told(robot, deciding, robot)),
  ]);
  const placeOf = new Map(robotIds.map((id, place) => [id, place]));
  return results.flat().toSorted((a, b) => (placeOf.get(a.robotObjectId) ?? 0) - (placeOf.get(b.robotObjectId) ?? 0));
}
