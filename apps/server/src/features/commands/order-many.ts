import type { RobotResult } from "@suncrew/contract/groups/groups.ts";
import { sql } from "kysely";
import { isClockWrong } from "../../platform/clock-watch.ts";
import type { Db, Tx } from "../../platform/database/database.ts";
import { isLockTimeout, setLockTimeout, transactionWithRetry } from "../../platform/database/transactions.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { HttpError } from "../../platform/http/http-error.ts";
import { insertNotStarted } from "../runs/public.ts";
import { type AcceptedOf, acceptOrders, FirstSeen, type Order, type StartGuard } from "./accept-orders.ts";
import { busyMessages, RESULT_UNKNOWN, type SuccessAnswer } from "./command-answers.ts";
import { auditCommands } from "./command-records.repository.ts";
import type { LockedRobot, LockOptions } from "./commands.repository.ts";
import { unrecordedResult, type StopPress } from "./direct-stops.ts";

/** The same order for many robots; `unlessOf` guards the START of each where it is part of an earlier order. */
export interface ManyOrder extends Omit<Order, "unless"> {
  readonly unlessOf?: (robotId: number) => StartGuard | undefined;
  /** Told of each robot whose command is stored and goes now. */
  readonly onStored?: (robotId: number) => void;
  /** For a person's STOP, which some of the robots may be told before it is decided about them. */
  readonly stop?: StopPress;
}

/** Sends a stored command and answers when the robot showed it; throws what is not a success. */
type Send = (commandId: string, robotAway: boolean, onSent: () => void) => Promise<SuccessAnswer>;

type Result = Omit<RobotResult, "robotId" | "robotObjectId">;

/**
 * Orders many robots of a site at the same time; `choose` names them inside the transaction and throws where it must
 * not be. What is decided goes at once, whatever the others wait for. Answers what came of each, in the order chosen.
 */
export async function orderMany(
  deps: Dependencies,
  choose: (tx: Tx) => Promise<RobotSelection>,
  { unlessOf, onStored: onGoing, stop, ...order }: ManyOrder,
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
    const { message, live_position } = await send(accepted.command.id, accepted.robotAway, () =>
      stop?.noteHandedOver(robot.id),
    );
    const result = { outcome: "SUCCESS", message, pending: false, live_position } as const;
    return order.verb === "STOP" ? { ...result, was_moving: accepted.wasMoving } : result;
  };
  const heldResult = async (robot: BusyRobot): Promise<Result> => {
    if (stop?.isOnlyJournaled(robot.id) === true) return unrecordedResult(stop, robot.id, robot.serial_number);
    const message = busyMessages[order.verb](robot.serial_number);
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
    const known =
      error instanceof HttpError ? error : new HttpError(503, "RESULT_UNKNOWN", RESULT_UNKNOWN, { pending: true });
    if (known !== error && stop?.isOnlyJournaled(robotId) === true) return unrecordedResult(stop, robotId, serial);
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
  heldResult: (robot: BusyRobot) => Promise<Result>,
  failed: (error: unknown, robot: Pick<LockedRobot, "id" | "serial_number">, isStored: boolean) => Result,
): Promise<RobotResult[]> {
  const told = async (
    robot: T["robot"],
    each: T | "gone" | "held" | Promise<T | "gone" | "held">,
    of: BusyRobot | null,
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

/** A robot of the site that nothing could be decided about at first, because someone else holds its rows. */
export interface BusyRobot {
  readonly id: number;
  readonly site_id: number;
  readonly serial_number: string;
}

export interface RobotSelection {
  readonly siteId: number;
  readonly robotIds: readonly number[];
}

/** Decides about those of the robots that it can lock, or about one alone, for which it may wait. */
type DecideOn<T> = (
  tx: Tx,
  chosen: RobotSelection,
  options: LockOptions & { readonly seen: FirstSeen },
) => Promise<readonly T[]>;

interface DecidedEach<T> extends RobotSelection {
  readonly decided: readonly T[];
  /** What came of those that were held: "gone" is no robot of the site any more, "held" could not be locked in time. */
  readonly later: readonly { readonly robot: BusyRobot; readonly decided: Promise<T | "gone" | "held"> }[];
}

/** Held robots are waited for so long in all: a caller has its answer within 10 s, of which the robots have 8. */
const LOCK_WAIT_MS = 1_500;
/** Those whose turn comes later still get so much, in milliseconds. */
const MIN_LOCK_WAIT_MS = 50;
/** Waiting takes a connection each, and the others' commands need some too. */
const MAX_CONCURRENT_WAITS = 4;

/**
 * Decides about many robots so that one whose rows someone holds, such as a server that stands still, keeps back none
 * of the others: those that are free in one transaction, answered once it is committed, and then each of the others
 * by itself. Throws what `choose` throws.
 */
export async function decideEach<T extends { readonly robot: { readonly id: number } }>(
  db: Db,
  choose: (tx: Tx) => Promise<RobotSelection>,
  decideOn: DecideOn<T>,
): Promise<DecidedEach<T>> {
  const seen = new FirstSeen();
  const first = await transactionWithRetry(db, async (tx) => {
    const chosen = await choose(tx);
    const robots = await readRobots(tx, chosen);
    for (const { id, last_command_seq } of robots) seen.note(id, last_command_seq);
    const decided = await decideOn(tx, chosen, { skipLocked: true, seen });
    const done = new Set(decided.map(({ robot }) => robot.id));
    return { ...chosen, decided, held: robots.filter(({ id }) => !done.has(id)) };
  });
  const until = performance.now() + LOCK_WAIT_MS;
  const waiting = first.held.map((robot) => ({ robot, ...Promise.withResolvers<T | "gone" | "held">() }));
  const turns = waiting.values();
  const takeTurns = async () => {
    for (const { robot, resolve, reject } of turns) {
      await decideHeld(db, robot, decideOn, seen, until - performance.now()).then(resolve, reject);
    }
  };
  for (let count = 0; count < MAX_CONCURRENT_WAITS; count += 1) void takeTurns();
  return { ...first, later: waiting.map(({ robot, promise }) => ({ robot, decided: promise })) };
}

async function decideHeld<T>(db: Db, robot: BusyRobot, decideOn: DecideOn<T>, seen: FirstSeen, leftMs: number) {
  const chosen = { siteId: robot.site_id, robotIds: [robot.id] };
  try {
    const [decided] = await transactionWithRetry(db, async (tx) => {
      await setLockTimeout(tx, Math.max(MIN_LOCK_WAIT_MS, leftMs));
      return decideOn(tx, chosen, { skipLocked: false, seen });
    });
    return decided ?? "gone";
  } catch (error) {
    if (isLockTimeout(error)) return "held";
    throw error;
  }
}

async function readRobots(tx: Tx, { siteId, robotIds }: RobotSelection) {
  if (robotIds.length === 0) return [];
  return tx
    .selectFrom("robots")
    .select(["id", "site_id", "serial_number", "last_command_seq"])
    .where("id", "=", sql<number>`any(${[...robotIds]}::int[])`)
    .where("site_id", "=", siteId)
    .where("deleted_at", "is", null)
    .execute();
}
