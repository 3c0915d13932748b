import { storedParams } from "@suncrew/domain/commands/stored-params.ts";
import { outcomeText, type OutcomeText, pendingText } from "@suncrew/domain/texts/outcome-texts.ts";
import { type StartCandidate, type StartRefusal, startRefusal } from "@suncrew/domain/commands/command-refusals.ts";
import { sql } from "kysely";
import type { ReleaseCandidate } from "@suncrew/domain/maintenance/release-refusal.ts";
import { COMMAND_SETTLES_MS } from "@suncrew/domain/devices/protocol-times.ts";
import { anyUuid, type Db, type Tx } from "../../platform/database/database.ts";
import { setLockTimeout, transactionWithRetry } from "../../platform/database/transactions.ts";
import type { HttpError } from "../../platform/http/http-error.ts";
import { findStoppedSince, insertNotStarted } from "../runs/public.ts";
import { refusalText, refusedBy } from "./command-answers.ts";
import { readEarlier, rememberRequest } from "./command-requests.repository.ts";
import { alertUnconfirmed, auditCommands, logCommands } from "./command-records.repository.ts";
import {
  type Command,
  type CommandOf,
  type CommandTarget,
  insertCommands,
  type LockedRobot,
  lockTargets,
  type NewCommand,
  type OpenCommand,
  type Press,
  type PressedStop,
  robotIdsOf,
  type Sites,
  withRobots,
} from "./commands.repository.ts";
import type { SentStop, SentStops } from "./stop-journal.ts";
import { settleConfirmed } from "./settle-by-messages.repository.ts";
import { answerAllPending, closeAll, settleAllSuperseded } from "./settle.repository.ts";

/** Who gives the order: a person alone or through a group, the scheduler, or Suncrew itself. */
export interface Requester {
  readonly userId: number | null;
  readonly name: string;
  readonly actionType: Command["action_type"];
  /** The press of a button behind the order; null or absent if unknown. */
  readonly press?: Press | null;
}

/** The columns of a command that say who gave it. */
export function givenBy({ userId, name, actionType }: Requester) {
  return { user_id: userId, requested_by: name, action_type: actionType };
}

/** A START or STOP for one robot; missing `params` come from the robot's stored settings. */
export interface Order {
  readonly verb: "START" | "STOP";
  readonly by: Requester;
  /** Why Suncrew itself gives it, as part of a sentence. */
  readonly because?: string;
  readonly mode: Command["mode"];
  readonly params?: Omit<Command["params"], "status">;
  /** After this many seconds at the latest the robot stops a START by itself. */
  readonly maxDurationS: number;
  /** The run that a START begins, if its row already exists; otherwise a new one. */
  readonly runId?: string;
  /** For a START that is decided after it was requested. */
  readonly unless?: StartGuard;
  /** For a person's STOP, which may be sent before it is decided here. */
  readonly pressed?: PressedStop | undefined;
  /** Words a START's refusal if it is part of something larger. */
  readonly refusedAs?: (reason: OutcomeText) => OutcomeText;
}

/** The outcome of an order in its transaction; a refusal is recorded, and thrown or reported after the commit. */
export type OrderAccepted =
  | {
      readonly kind: "stored";
      readonly command: Command;
      readonly robotAway: boolean;
      /** Last seen moving, or with a START in progress. */
      readonly wasMoving: boolean;
    }
  | {
      readonly kind: "refused";
      readonly refusal: StartRefusal | GuardRefusal;
      readonly reason: OutcomeText;
      readonly error: HttpError;
    };

export interface AcceptedOf {
  readonly robot: LockedRobot;
  readonly accepted: OrderAccepted;
}

interface TargetedOrder extends CommandTarget {
  readonly order: Order;
}

/**
 * Decides about STARTs and STOPs of robots that this transaction has locked, one each, and stores them (protocol rules
 * 2, 3 and 5). Writes the activity and audit rows. Returns the outcomes in the order of the orders.
 *
 * @param now the time in their rows, for a Stop that was sent before its row the press's
 * @param shownAt when robots that have obeyed already are seen to have; a due run is skipped for a Stop confirmed since
 */
export async function acceptAll(
  tx: Tx,
  orders: readonly TargetedOrder[],
  now: Date,
  shownAt = now,
): Promise<AcceptedOf[]> {
  const refusals = new Map<number, StartRefusal | GuardRefusal | null>(
    orders.map((each) => [
      each.robot.id,
      each.order.verb === "START" ? startRefusal(candidateOf(each), now) : stopRefusal(each.robot),
    ]),
  );
  const possible = orders.filter(({ robot }) => refusals.get(robot.id) === null);
  for (const [robotId, why] of await guardRefusals(tx, possible, now)) refusals.set(robotId, why);
  const accepted = new Map<number, OrderAccepted>();
  const refused: RefusedOrder[] = [];
  const superseded: OpenCommand[] = [];
  const accepting: CommandOf[] = [];
  const obeying = new Set<number>();
  for (const { robot, open, order } of orders) {
    const obeyed = hasObeyed(robot, order);
    const command = newCommand(order, robot, obeyed);
    const refusal = refusals.get(robot.id) ?? null;
    if (refusal !== null) {
      const why = refusalText(refusal, robot.serial_number, robot);
      const reason = order.refusedAs?.(why) ?? why;
      refused.push({ robot, command, reason });
      accepted.set(robot.id, { kind: "refused", refusal, reason, error: refusedBy(refusal, reason.text) });
      continue;
    }
    if (order.verb === "STOP") superseded.push(...startsBefore(order, robot, open));
    if (obeyed) obeying.add(robot.id);
    accepting.push({ robot, command });
  }
  await settleAllSuperseded(tx, superseded, now);
  await recordRefusals(tx, refused, now);
  const robots = new Map(orders.map(({ robot }) => [robot.id, robot]));
  const stored = withRobots(robots, await insertCommands(tx, accepting, now));
  const audited = stored.map(({ robot, command }) => {
    return { robot, command, outcome: "DONE" as const, after: { ...command.params, mode: command.mode } };
  });
  await auditCommands(tx, audited, now);
  const starting = new Set(robotIdsOf(superseded));
  // A robot that was sent the Stop before its row was stored may have obeyed by now: whether it moved is judged as of
  // the press.
  const obeyed = accepting.filter(({ robot, command }) => robot.last_seq >= (command.pressed?.seq ?? Infinity));
  const stopped = await findStoppedSince(tx, robotIdsOf(obeyed), now);
  for (const { robot, command } of stored) {
    const wasMoving = robot.motion === "MOVING" || starting.has(robot.id) || stopped.has(robot.id);
    accepted.set(robot.id, { kind: "stored", command, robotAway: !robot.online, wasMoving });
  }
  await settleConfirmed(
    tx,
    stored.filter(({ robot }) => obeying.has(robot.id)),
    shownAt,
  );
  const offline = stored.filter(
    ({ robot, command }) => command.verb === "STOP" && !robot.online && !obeying.has(robot.id),
  );
  await answerAllPending(tx, offline, (robot) => pendingText("STOP", "AWAY", robot.serial_number), now);
  const stillMoving = offline.filter(({ robot }) => robot.motion === "MOVING");
  await alertUnconfirmed(tx, stillMoving, now);
  return orders.flatMap(({ robot }) => {
    const mine = accepted.get(robot.id);
    return mine ? [{ robot, accepted: mine }] : [];
  });
}

/**
 * No START may be confirmed once a later STOP or lock is accepted: its caller is answered, and the higher seq fences
 * it.
 */
function startsBefore({ pressed }: Order, robot: LockedRobot, open: readonly Command[]): OpenCommand[] {
  // A STOP that is recorded late does not affect later STARTs.
  const before = pressed?.wasSent === true ? pressed.seq : Number.POSITIVE_INFINITY;
  return open.filter(({ verb, seq }) => verb === "START" && seq < before).map((command) => ({ robot, command }));
}

/** A STOP is always accepted (protocol rule 3), unless the robot's device is retired. */
const stopRefusal = ({ device_retired }: LockedRobot): StartRefusal | null => (device_retired ? "retired" : null);

interface RefusedOrder {
  readonly robot: LockedRobot;
  readonly command: NewCommand;
  readonly reason: OutcomeText;
}

async function recordRefusals(tx: Tx, refused: readonly RefusedOrder[], now: Date): Promise<void> {
  const logged = refused.map(({ robot, command, reason }) => {
    return { robot, command: { ...command, id: null }, status: "REFUSED" as const, details: reason };
  });
  await logCommands(tx, logged, now);
  const audited = refused.map(({ robot, command, reason }) => {
    return { robot, command, outcome: "REFUSED" as const, reason: reason.text };
  });
  await auditCommands(tx, audited, now);
  const notStarted = refused.flatMap(({ robot, command, reason }) => {
    const isOfGroup = command.verb === "START" && command.action_type === "GROUP";
    // A robot that is already cleaning has its run.
    if (!isOfGroup || robot.motion === "MOVING") return [];
    return [{ robot, by: command, outcome: "SKIPPED" as const, reason, at: now }];
  });
  await insertNotStarted(tx, notStarted);
}

/**
 * Whether the robot was sent this Stop before its row, and has shown that it stopped (protocol rule 6). Not one that is
 * recorded after an outage, nor if there is a newer command.
 */
function hasObeyed({ motion, last_seq, last_command_seq }: LockedRobot, { pressed }: Order): boolean {
  if (pressed === undefined || pressed.wasSent) return false;
  return motion === "STOPPED" && last_seq === pressed.seq && last_seq > last_command_seq;
}

function newCommand(order: Order, robot: LockedRobot, obeyed: boolean): NewCommand {
  const { verb, by, because = null, mode, params, maxDurationS, runId, pressed } = order;
  return {
    verb,
    params: { status: verb === "START" ? "start" : "stop", ...storedParams(robot), ...params },
    mode,
    ...givenBy(by),
    because,
    press: by.press ?? null,
    pressed: pressed && { ...pressed, wasSent: pressed.wasSent || obeyed },
    ...(verb === "START" && { max_duration_s: maxDurationS, run_id: runId ?? null }),
  };
}

/**
 * Decides about the same order for many robots in one transaction, each separately, in the order of `robotIds`. Omits
 * robots that have been deleted or moved away from these sites.
 */
export async function acceptOrders(
  tx: Tx,
  sites: Sites,
  robotIds: readonly number[],
  order: Order | ((robot: LockedRobot) => Order),
  now: Date,
): Promise<AcceptedOf[]> {
  const targets = await lockTargets(tx, sites, robotIds);
  const orders = targets.map((target) => {
    return { ...target, order: typeof order === "function" ? order(target.robot) : order };
  });
  return acceptAll(tx, orders, now);
}

/** What the refusal rules need to know about a robot (protocol rules 2, 8, 9 and 12). */
export function candidateOf({ robot, open }: CommandTarget): StartCandidate & ReleaseCandidate {
  const has = (verb: Command["verb"]) => open.some((command) => command.verb === verb);
  return {
    deviceRetired: robot.device_retired,
    online: robot.online,
    motion: robot.motion,
    operatingMode: robot.operating_mode,
    deviceMode: robot.mode,
    liveStateAt: robot.live_at,
    clockSkewMs: robot.clock_skew_ms,
    installing: robot.installing !== null,
    weather: robot.guarded_site_id === null ? null : { verdict: robot.verdict, judgedAt: robot.judged_at },
    hasOpenStart: has("START"),
    hasUnsettledStop: has("STOP"),
    hasUnsettledMaintenanceOn: has("MAINTENANCE_ON"),
    hasUnsettledMaintenanceOff: has("MAINTENANCE_OFF"),
  };
}

/** Why a START of a locked robot would be refused now; null if it may be sent. */
export function refusalOf(robot: LockedRobot, open: readonly Command[], now: Date): StartRefusal | null {
  return startRefusal(candidateOf({ robot, open }), now);
}

/** What cancels a START that is decided after a person requested it: a wrong START is worse than a missing one. */
export interface StartGuard {
  /** The robot's newest command when the call arrived: refused if any STOP or lock has a higher number. */
  readonly afterSeq: number;
  /**
   * Evaluated under the lock: the caller has given up or is about to, and nobody expects the robot to move any more.
   */
  readonly isTooLate?: () => boolean;
  /** This server's clock, which limits how long an order is valid, is unreliable (protocol rule 12). */
  readonly withoutTime?: boolean;
}

export type GuardRefusal = "stopped-since" | "locked-since" | "too-late" | "without-time";

/**
 * The network delivers no order later than this after a Stop from the same browser, which gives up on a call sooner.
 */
const MAX_NETWORK_DELAY_MS = 30_000;

/** More commands of one robot than can have arrived since: a person's order waits for seconds, not years. */
const MAX_RECENT_COMMANDS = 50;

/**
 * The newest command of each robot when a call arrived, however long it has waited and however often it was decided.
 */
export class FirstSeen {
  readonly #seqs = new Map<number, number>();

  note(robotId: number, lastSeq: number): void {
    if (!this.#seqs.has(robotId)) this.#seqs.set(robotId, lastSeq);
  }

  /** If unknown, every Stop counts as later. */
  seqOf(robotId: number): number {
    return this.#seqs.get(robotId) ?? 0;
  }
}

/**
 * Why STARTs of robots that this transaction has locked are too late, by robot. No order that was given before a STOP
 * or a lock goes out after it, wherever it was delayed: here, in its browser, or on its way from the browser that
 * pressed both.
 */
async function guardRefusals(tx: Tx, orders: readonly TargetedOrder[], now: Date): Promise<Map<number, GuardRefusal>> {
  const refusals = new Map<number, GuardRefusal>();
  const guards = orders.flatMap(({ robot, order: { verb, by, unless } }) => {
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

/** Waiting longer for a robot's rows would delay the other presses. */
const LOCK_LIMIT_MS = 1_000;

/**
 * Records STOPs that were sent to their robots earlier, with the time of their press, and leaves them open until the
 * robots show that they have stopped. Omits those that have a row already, from a repetition of the press at another
 * server, too, and robots that are no longer at these sites.
 */
export async function recordSentStops(db: Db, press: SentStops, serverId: string, now: Date): Promise<void> {
  await transactionWithRetry(db, async (tx) => {
    await setLockTimeout(tx, LOCK_LIMIT_MS);
    const idsOf = ({ id, renumberedId }: SentStop) => (renumberedId === undefined ? [id] : [id, renumberedId]);
    const found = await tx.selectFrom("commands").select("id").where("id", "in", press.stops.flatMap(idsOf)).execute();
    const recorded = new Set(found.map(({ id }) => id));
    const missing = press.stops.filter((stop) => !idsOf(stop).some((id) => recorded.has(id)));
    const { request } = press;
    const missingIds = missing.map(({ robotId }) => robotId);
    const earlier = request && (await readEarlier(tx, request, missingIds));
    // If the caller got no answer and pressed at another server, that one has recorded it.
    const isRepeated = ({ robotId }: SentStop) => typeof earlier?.results.get(robotId) === "string";
    const left = new Map(missing.filter((stop) => !isRepeated(stop)).map((stop) => [stop.robotId, stop]));
    if (left.size === 0) return;
    const accepted = await acceptOrders(
      tx,
      press.siteId,
      [...left.keys()],
      ({ id: robotId }) => {
        const stop = left.get(robotId);
        return {
          verb: "STOP",
          by: press.by,
          mode: press.mode,
          maxDurationS: 0,
          ...(stop && { params: stop.params, pressed: { ...stop, wasSent: true } }),
        };
      },
      press.at,
    );
    const stored = accepted.flatMap(({ robot, accepted: each }): OpenCommand[] =>
      each.kind === "stored" && each.command.id === left.get(robot.id)?.id ? [{ robot, command: each.command }] : [],
    );
    if (request !== undefined && earlier !== undefined) {
      const taken = accepted.flatMap(({ robot, accepted: each }): [number, string][] =>
        each.kind === "stored" ? [[robot.id, each.command.id]] : [],
      );
      await rememberRequest(tx, request, earlier, new Map(taken), now);
    }
    if (stored.length === 0) return;
    await tx
      .updateTable("commands")
      .set({ claimed_by: serverId, claimed_at: press.at, published_at: press.at })
      // The robots' time to show it begins now that their states can be seen.
      .set({ settle_by: new Date(now.getTime() + COMMAND_SETTLES_MS) })
      .where("id", "=", anyUuid(stored.map(({ command }) => command.id)))
      .execute();
    const restarted = await findRestarted(tx, stored);
    const isRestarted = ({ robot }: OpenCommand) => restarted.has(robot.id);
    const outcomes = stored.map((each) => {
      const code = isRestarted(each) ? "STOP_BEFORE_START" : "STOP_RECORDED_LATE";
      return { ...each, status: "FAILED" as const, details: outcomeText(code, { at: now.toISOString() }) };
    });
    await logCommands(tx, outcomes, press.at);
    await closeAll(tx, stored.filter(isRestarted), "UNCONFIRMED", now);
  });
}

/** Robots that were started after their Stop was pressed: it must not be sent to them any more. */
async function findRestarted(tx: Tx, stored: readonly OpenCommand[]): Promise<Set<number>> {
  const { rows } = await sql<{ robot_id: number }>`
    select distinct c.robot_id
    from unnest(${robotIdsOf(stored)}::int[], ${stored.map(({ command }) => command.seq)}::bigint[])
      s (robot_id, seq)
    join commands c on c.robot_id = s.robot_id and c.seq > s.seq and c.verb = 'START'
  `.execute(tx);
  return new Set(rows.map(({ robot_id }) => robot_id));
}
