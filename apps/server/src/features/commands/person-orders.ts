import { protocolDirections } from "@suncrew/domain/commands/stored-params.ts";
import { outcomeText } from "@suncrew/domain/texts/outcome-texts.ts";
import type { sendCommand } from "@suncrew/contract/commands/commands.ts";
import type { RobotResult } from "@suncrew/contract/groups/groups.ts";
import type { BodyOf } from "@suncrew/contract/http/route.ts";
import { may } from "@suncrew/domain/auth/abilities.ts";
import { settingsRefusal } from "@suncrew/domain/commands/command-refusals.ts";
import pLimit, { type LimitFunction } from "p-limit";
import { isClockWrong } from "../../platform/clock-watch.ts";
import { anyInt, type Db, type Tx } from "../../platform/database/database.ts";
import { isLockTimeout, setLockTimeout, transactionWithRetry } from "../../platform/database/transactions.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { conflict, forbidden, HttpError, notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { insertNotStarted } from "../runs/public.ts";
import {
  type AcceptedOf,
  acceptAll,
  candidateOf,
  FirstSeen,
  givenBy,
  type Order,
  type OrderAccepted,
  type StartGuard,
} from "./accept-orders.ts";
import {
  MISSING_OR_PROCESSING,
  refusalText,
  refusedBy,
  RESULT_UNKNOWN,
  type SuccessAnswer,
} from "./command-answers.ts";
import { auditCommands } from "./command-records.repository.ts";
import {
  findEarlier,
  type KeyedRequest,
  readEarlier,
  rememberRequest,
  requestOf,
} from "./command-requests.repository.ts";
import { findRobotOf, findTarget } from "./commands.queries.ts";
import {
  type CommandTarget,
  insertCommand,
  type LockedRobot,
  type LockOptions,
  lockTargets,
  type Press,
  robotIdsOf,
  type Sites,
  siteIdsOf,
} from "./commands.repository.ts";
import { type StopPress, unrecordedResult } from "./direct-stops.ts";

export type CommandBody = BodyOf<typeof sendCommand>;

/** The outcome of a person's order in its transaction; a refusal is recorded, and reported after the commit. */
export type Accepted =
  | { readonly kind: "stored"; readonly commandId: string; readonly robotAway: boolean }
  | { readonly kind: "refused"; readonly error: HttpError };

/** How a call arrived: its Idempotency-Key, the press behind it, and what it found when it began. */
export interface RequestContext {
  readonly key: string | null;
  readonly press: Press | null;
  readonly seen: FirstSeen;
  /** For a STOP, which may be sent before it is decided. */
  readonly stop?: StopPress | null;
}

/**
 * Decides about a person's START or STOP of one robot under the lock on the robot, and stores it. A request that is
 * repeated gets its earlier command.
 */
export async function acceptCommand(
  tx: Tx,
  deps: Pick<Dependencies, "clock" | "clocks" | "settings">,
  viewer: Viewer,
  body: CommandBody,
  { key, press, seen, stop = null }: RequestContext,
): Promise<Accepted | { readonly kind: "repeated"; readonly commandId: string }> {
  const { robotId, siteId, lastSeq } = await findTarget(viewer, tx, body);
  seen.note(robotId, lastSeq);
  const [target] = await lockTargets(tx, siteId, [robotId]);
  // It was moved, deleted or given another machine while this call waited for the lock.
  if (target?.robot.serial_number !== body.robotId)
    throw new HttpError(404, "ROBOT_MISSING_OR_BUSY", MISSING_OR_PROCESSING);
  const request = requestOf(viewer, body, key);
  const earlier = request && (await findEarlier(tx, request, [robotId]));
  const before = earlier?.results.get(robotId);
  if (before instanceof HttpError) throw before;
  if (before !== undefined) return { kind: "repeated", commandId: before };
  const decidedAt = deps.clock.now();
  const now = stop?.recordedAt(decidedAt) ?? decidedAt;
  const order = {
    ...orderOf(viewer, body, deps.settings, press),
    pressed: stop?.of(robotId),
    unless: { afterSeq: seen.seqOf(robotId), withoutTime: isClockWrong(deps) },
  };
  const [decided] = await acceptAll(tx, [{ ...target, order }], now, decidedAt);
  if (decided === undefined) throw new Error(`Nothing was decided about robot ${robotId}.`);
  const { accepted } = decided;
  if (request && earlier)
    await rememberRequest(tx, request, earlier, new Map([[robotId, rememberedOf(accepted)]]), now);
  if (accepted.kind === "refused") return accepted;
  return { kind: "stored", commandId: accepted.command.id, robotAway: accepted.robotAway };
}

/** What is remembered of a request. */
const rememberedOf = (accepted: OrderAccepted): string | HttpError =>
  accepted.kind === "refused" ? accepted.error : accepted.command.id;

/**
 * A Super Admin's `params` apply to this run, missing ones come from the stored settings; a PARTNER's speeds are always
 * the stored ones.
 */
export function orderOf(viewer: Viewer, body: CommandBody, settings: Dependencies["settings"], press: Press | null) {
  const { direction, "main-speed": main, "brush-speed": brush } = body.params;
  const maySetSpeeds = may(viewer.role, "changeMotorSpeeds");
  return {
    verb: body.command,
    by: { userId: viewer.userId, name: viewer.name, actionType: "MANUAL", press },
    mode: body.mode,
    params: {
      ...(direction !== undefined && { direction }),
      ...(maySetSpeeds && main !== undefined && { "main-speed": main }),
      ...(maySetSpeeds && brush !== undefined && { "brush-speed": brush }),
    },
    maxDurationS: settings.manualRunMaxMinutes * 60,
  } as const satisfies Order;
}

/** The settings to change; omitted ones stay. Speeds in percent. */
export interface SettingsChange {
  readonly cleaning_direction?: "FORWARD" | "REVERSE" | undefined;
  readonly main_motor_speed?: number | undefined;
  readonly brush_motor_speed?: number | undefined;
}

/**
 * Decides about a change of settings under the lock on the robot, and stores it as a SET; the robot's row changes once
 * the SET is confirmed.
 */
export async function acceptSettings(
  tx: Tx,
  deps: Pick<Dependencies, "clock">,
  viewer: Viewer,
  robotId: number,
  change: SettingsChange,
): Promise<Accepted> {
  const { siteId } = await findRobotOf(viewer, tx, robotId);
  const [target] = await lockTargets(tx, siteId, [robotId]);
  if (target === undefined) throw notFound("Robot");
  const now = deps.clock.now();
  const { robot } = target;
  const { cleaning_direction: direction, main_motor_speed: main, brush_motor_speed: brush } = change;
  const command = {
    verb: "SET",
    params: {
      direction: direction === undefined ? undefined : protocolDirections[direction],
      "main-speed": main,
      "brush-speed": brush,
    },
    mode: "AUTO",
    ...givenBy({ ...viewer, actionType: "MANUAL" }),
  } as const;
  const refusal = settingsRefusalOf(viewer, target, change, now);
  if (refusal !== null) {
    await auditCommands(tx, [{ robot, command, outcome: "REFUSED", reason: refusal.message, after: change }], now);
    return { kind: "refused", error: refusal };
  }
  const { id: commandId } = await insertCommand(tx, robot, command, now);
  return { kind: "stored", commandId, robotAway: false };
}

function settingsRefusalOf(viewer: Viewer, target: CommandTarget, change: SettingsChange, now: Date): HttpError | null {
  const { robot } = target;
  const { main_motor_speed: main, brush_motor_speed: brush } = change;
  const speedsDiffer =
    (main ?? robot.main_motor_speed) !== robot.main_motor_speed ||
    (brush ?? robot.brush_motor_speed) !== robot.brush_motor_speed;
  if (speedsDiffer && !may(viewer.role, "changeMotorSpeeds"))
    return forbidden("Only Super Admins can change motor speeds.", "SPEED_CHANGE_FORBIDDEN");
  const refusal = settingsRefusal(candidateOf(target), now);
  return refusal && refusedBy(refusal, refusalText(refusal, robot.serial_number).text);
}

/** The same order for many robots; `unlessOf` guards each START if it is part of an earlier order. */
export interface ManyOrder extends Omit<Order, "unless"> {
  /** Where it is a share of something larger: the turns of all shares. */
  readonly turns?: Turns | undefined;
  readonly unlessOf?: (robotId: number) => StartGuard | undefined;
  /** Called for each robot whose command is stored and goes out now. */
  readonly onStored?: (robotId: number) => void;
  /** For a person's STOP, which some of the robots may be sent before it is decided. */
  readonly stop?: StopPress;
  /** A robot that had its command from an earlier one like this gets no other, but that one's outcome. */
  readonly request?: KeyedRequest | undefined;
}

/** Both answer when the robot has shown the command, and throw anything that is not a success. */
interface Answers {
  /** Sends a stored command. */
  send(commandId: string, robotAway: boolean, onSent: () => void): Promise<SuccessAnswer>;
  /** For one that an earlier request with the same key has stored. */
  repeat(commandId: string, robotId: number, onSent: () => void): Promise<SuccessAnswer>;
}

/** Decided now, or by an earlier request with the same key. */
type Decided = AcceptedOf | { readonly robot: LockedRobot; readonly before: string | HttpError };

type Result = Omit<RobotResult, "robotId" | "robotObjectId">;

/** It was locked then, or has joined the group since: it may have been stopped after that press. */
const notInFirst = (serial: string) =>
  conflict("COMMAND_REFUSED", `Robot ${serial} was not started by this press. Press Start again.`);

/**
 * Gives many robots an order; `choose` names them inside the transaction, and throws to refuse. Each command
 * is sent as soon as it is decided, whatever the others wait for. Returns each robot's outcome, in the chosen order.
 */
export async function orderMany(
  deps: Dependencies,
  choose: (tx: Tx) => Promise<RobotSelection>,
  { unlessOf, onStored, stop, request, turns, ...order }: ManyOrder,
  answers: Answers,
): Promise<RobotResult[]> {
  const { db, clock, log } = deps;
  const orderFor = (robot: LockedRobot, seen: FirstSeen): Order => {
    const unless = { afterSeq: seen.seqOf(robot.id), withoutTime: isClockWrong(deps), ...unlessOf?.(robot.id) };
    return { ...order, unless, pressed: stop?.of(robot.id) };
  };
  /** Whether the request was made before this call. */
  let isRepetition = false;
  const decideOn: DecideOn<Decided> = async (tx, { siteId, robotIds }, { seen, ...options }) => {
    const decidedAt = clock.now();
    const at = stop?.recordedAt(decidedAt) ?? decidedAt;
    const targets = await lockTargets(tx, siteId, robotIds, options);
    // A Stop is not refused because of its key.
    const readRequest = order.verb === "STOP" ? readEarlier : findEarlier;
    const earlier = request && (await readRequest(tx, request, robotIdsOf(targets)));
    if (options.skipLocked) isRepetition = earlier?.isNew === false;
    const repeated: Decided[] = [];
    const orders: (CommandTarget & { readonly order: Order })[] = [];
    for (const target of targets) {
      const { robot } = target;
      const before = earlier?.results.get(robot.id);
      if (before !== undefined) repeated.push({ robot, before });
      else if (isRepetition && order.verb === "START")
        repeated.push({ robot, before: notInFirst(robot.serial_number) });
      else orders.push({ ...target, order: orderFor(robot, seen) });
    }
    const decided = await acceptAll(tx, orders, at, clock.now());
    const results = decided.map(({ robot, accepted }) => [robot.id, rememberedOf(accepted)] as const);
    if (request && earlier) await rememberRequest(tx, request, earlier, new Map(results), at);
    return [...decided, ...repeated];
  };
  const each = await decideEach(db, choose, decideOn, turns);
  const answered = async (decided: Decided): Promise<Result> => {
    const { robot } = decided;
    if ("before" in decided) {
      const { before } = decided;
      if (before instanceof HttpError) return { outcome: "SKIPPED", message: before.message, pending: false };
      stop?.noteStored(robot.id);
      const { message, live_position } = await answers.repeat(before, robot.id, () => stop?.noteHandedOver(robot.id));
      return { outcome: "SUCCESS", message, pending: false, live_position };
    }
    const { accepted } = decided;
    if (accepted.kind === "refused") return { outcome: "SKIPPED", message: accepted.error.message, pending: false };
    onStored?.(robot.id);
    stop?.noteStored(robot.id);
    const onSent = () => stop?.noteHandedOver(robot.id);
    const { message, live_position } = await answers.send(accepted.command.id, accepted.robotAway, onSent);
    const result = { outcome: "SUCCESS", message, pending: false, live_position } as const;
    return order.verb === "STOP" ? { ...result, was_moving: accepted.wasMoving } : result;
  };
  const lockedResult = async (robot: BusyRobot): Promise<Result> => {
    if (stop?.isOnlyJournaled(robot.id) === true) return unrecordedResult(stop, robot.id, robot.serial_number);
    const reason = outcomeText(`${order.verb}_ROBOT_LOCKED`, { serial: robot.serial_number });
    const message = reason.text;
    const command = { verb: order.verb, ...givenBy(order.by) };
    const at = clock.now();
    await auditCommands(db, [{ robot, command, outcome: "FAILED", reason: message }], at);
    if (order.verb === "START" && order.by.actionType === "GROUP") {
      await insertNotStarted(db, [{ robot, by: command, outcome: "SKIPPED", reason, at }]);
    }
    return { outcome: order.verb === "START" ? "SKIPPED" : "FAILED", message, pending: false };
  };
  /** The outcomes of the others are reported all the same. */
  const failed = (error: unknown, { id: robotId, serial_number: serial }: BusyRobot, isStored: boolean): Result => {
    const known =
      error instanceof HttpError ? error : new HttpError(503, "RESULT_UNKNOWN", RESULT_UNKNOWN, { pending: true });
    if (known !== error && stop?.isOnlyJournaled(robotId) === true) return unrecordedResult(stop, robotId, serial);
    if (known !== error) log.error({ reason: error, robotId, verb: order.verb }, "the outcome of a command is unknown");
    // Only a stored STOP stays pending and is repeated.
    const pending = isStored && order.verb === "STOP" && known.extra.pending === true;
    return { outcome: "FAILED", message: known.message, pending };
  };
  return resultsOf(each, answered, lockedResult, failed);
}

/**
 * Waits for all robots of a decision together and returns the outcomes in the chosen order; omits robots that are no
 * longer there.
 */
export async function resultsOf<T>(
  each: readonly DecidedRobot<T>[],
  resultOf: (decided: T) => Promise<Result>,
  lockedResult: (robot: BusyRobot) => Promise<Result>,
  failed: (error: unknown, robot: BusyRobot, isStored: boolean) => Result,
): Promise<RobotResult[]> {
  const resultFor = async ({ robot, decided }: DecidedRobot<T>): Promise<Result | null> => {
    let isStored = false;
    try {
      const known = await decided;
      if (known === "absent") return null;
      if (known === "locked") return await lockedResult(robot);
      isStored = true;
      return await resultOf(known);
    } catch (error) {
      return failed(error, robot, isStored);
    }
  };
  const results = each.map(async (decision) => {
    const { id: robotObjectId, serial_number: robotId } = decision.robot;
    const result = await resultFor(decision);
    return result === null ? [] : [{ robotId, robotObjectId, ...result }];
  });
  return (await Promise.all(results)).flat();
}

/** A chosen robot, which another transaction may have locked. */
export type BusyRobot = Pick<LockedRobot, "id" | "site_id" | "serial_number">;

/** Robots of a site, or of several sites of the same viewer. */
export interface RobotSelection {
  readonly siteId: Sites;
  readonly robotIds: readonly number[];
}

/** Decides about those of the robots that it can lock, or about a single one, for which it may wait. */
type DecideOn<T> = (
  tx: Tx,
  chosen: RobotSelection,
  options: LockOptions & { readonly seen: FirstSeen },
) => Promise<readonly T[]>;

/** "absent" is no longer a robot of these sites, "locked" could not be locked in time. */
type Decision<T> = T | "absent" | "locked";

interface DecidedRobot<T> {
  readonly robot: BusyRobot;
  readonly decided: T | Promise<Decision<T>>;
}

/** Total time to wait for locked robots: a caller has its answer within 10 s, of which the robots have 8. */
const LOCK_WAIT_MS = 1_500;
/** The last in line still get this much, in milliseconds. */
const MIN_LOCK_WAIT_MS = 50;
/** Waiting takes a connection each, and the others' commands need some too. */
const MAX_CONCURRENT_WAITS = 4;

/** How many decisions take place at once: those about the unlocked robots, and those about single ones. */
export interface Turns {
  readonly decide: LimitFunction;
  readonly wait: LimitFunction;
}

/** For one request, whatever shares it is divided into. */
export const newTurns = (): Turns => ({ decide: pLimit(1), wait: pLimit(MAX_CONCURRENT_WAITS) });

/**
 * Decides about many robots so that one whose rows are locked, for example by a server that hangs, delays none of the
 * others: the unlocked ones in one transaction, answered once it is committed, then each of the others separately.
 * Throws what `choose` throws.
 */
export async function decideEach<T extends { readonly robot: BusyRobot }>(
  db: Db,
  choose: (tx: Tx) => Promise<RobotSelection>,
  decideOn: DecideOn<T>,
  turns = newTurns(),
): Promise<DecidedRobot<T>[]> {
  const seen = new FirstSeen();
  const decideUnlocked = () =>
    transactionWithRetry(db, async (tx) => {
      const chosen = await choose(tx);
      const found = await readRobots(tx, chosen);
      for (const { id, last_command_seq } of found) seen.note(id, last_command_seq);
      const unlocked = await decideOn(tx, chosen, { skipLocked: true, seen });
      return {
        robotIds: new Set(chosen.robotIds),
        robots: new Map(found.map((robot) => [robot.id, robot])),
        decided: new Map(unlocked.map((each) => [each.robot.id, each])),
      };
    });
  const { robotIds, robots, decided } = await turns.decide(decideUnlocked);
  const until = performance.now() + LOCK_WAIT_MS;
  return [...robotIds].flatMap((id): DecidedRobot<T>[] => {
    const done = decided.get(id);
    if (done !== undefined) return [{ robot: done.robot, decided: done }];
    const robot = robots.get(id);
    if (robot === undefined) return [];
    return [{ robot, decided: turns.wait(() => decideLocked(db, robot, decideOn, seen, until - performance.now())) }];
  });
}

async function decideLocked<T>(
  db: Db,
  robot: BusyRobot,
  decideOn: DecideOn<T>,
  seen: FirstSeen,
  leftMs: number,
): Promise<Decision<T>> {
  const chosen = { siteId: robot.site_id, robotIds: [robot.id] };
  try {
    const [decided] = await transactionWithRetry(db, async (tx) => {
      await setLockTimeout(tx, Math.max(MIN_LOCK_WAIT_MS, leftMs));
      return decideOn(tx, chosen, { skipLocked: false, seen });
    });
    return decided ?? "absent";
  } catch (error) {
    if (isLockTimeout(error)) return "locked";
    throw error;
  }
}

async function readRobots(tx: Tx, { siteId, robotIds }: RobotSelection) {
  if (robotIds.length === 0) return [];
  return tx
    .selectFrom("robots")
    .select(["id", "site_id", "serial_number", "last_command_seq"])
    .where("id", "=", anyInt(robotIds))
    .where("site_id", "=", anyInt(siteIdsOf(siteId)))
    .where("deleted_at", "is", null)
    .execute();
}
