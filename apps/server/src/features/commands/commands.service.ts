import type { robotStatus } from "@suncrew/contract/commands/commands.ts";
import type { RobotResult } from "@suncrew/contract/groups/groups.ts";
import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import { STATUS_WAIT_MS } from "@suncrew/domain/devices/protocol-times.ts";
import { BatchLoader } from "../../platform/batch-loader.ts";
import type { ChangeSignal } from "../../platform/change-signal.ts";
import type { Tx } from "../../platform/database/database.ts";
import { isDatabaseUnreachable } from "../../platform/database/database-errors.ts";
import { transactionWithRetry } from "../../platform/database/transactions.ts";
import type { Dependencies, Service } from "../../platform/dependencies.ts";
import { HttpError } from "../../platform/http/http-error.ts";
import { PeriodicTasks } from "../../platform/periodic-task.ts";
import type { Viewer } from "../../platform/sessions.ts";
import {
  acceptCommand,
  acceptSettings,
  type CommandBody,
  type ManyOrder,
  orderMany,
  orderOf,
  type RequestContext,
  type RobotSelection,
  type SettingsChange,
} from "./person-orders.ts";
import { FirstSeen, type Order } from "./accept-orders.ts";
import {
  answerTo,
  BROKER_AWAY,
  contextOf,
  failure,
  refusalText,
  RESULT_UNKNOWN,
  type SuccessAnswer,
} from "./command-answers.ts";
import { requestOf } from "./command-requests.repository.ts";
import { readShown, type ShownRow } from "./commands.queries.ts";
import { type ClaimedCommand, type Command, type Press, readCommands } from "./commands.repository.ts";
import type { KnownRobot } from "./known-robots.repository.ts";
import { DirectStops, KnownFleet, type StopOrder, unrecordedAnswer, unrecordedResults } from "./direct-stops.ts";
import { Dispatcher, publishCommandMessage, questionEnvelope } from "./dispatcher.ts";
import { closeUnsent, type UnsentCommand } from "./settle.repository.ts";
import { Settlements, Settler } from "./settler.ts";

/** After its command's deadline, a caller waits this much longer for the outcome from the database. */
const GRACE_MS = 1_500;

const UNSAID_RETRY_MS = 1_000;

/** People's commands to robots: accepted, sent, and answered when the robot has shown them or could not. */
export class Commands implements Service {
  readonly #deps: Dependencies;
  readonly #fleet: KnownFleet;
  readonly #directStops: DirectStops;
  readonly #dispatcher: Dispatcher;
  readonly #settlements: Settlements;
  readonly #settler: Settler;
  /** Answers callers that begin to wait together with one query. */
  readonly #stored: BatchLoader<string, Command>;
  /** Settles commands whose deadlines pass together in one transaction. */
  readonly #overdue: BatchLoader<number, never>;
  /** Likewise for commands that were not sent. */
  readonly #unsent: BatchLoader<UnsentCommand, never>;
  /** Likewise for Stops that are repeated: what was sent to the robot. */
  readonly #resent: BatchLoader<number, ClaimedCommand>;
  /** Of the scheduler: this server knows that it did not send them, and has not been able to store that. */
  readonly #unsaid = new Map<string, UnsentCommand>();
  readonly #tasks: PeriodicTasks;

  constructor(deps: Dependencies, changes: ChangeSignal) {
    this.#deps = deps;
    this.#fleet = new KnownFleet(deps);
    this.#directStops = new DirectStops(deps);
    this.#dispatcher = new Dispatcher(deps, ({ robot_id, action_type }) =>
      action_type === "SCHEDULED" ? this.blocksDueStart(robot_id) : this.#directStops.blocksStart(robot_id),
    );
    this.#settlements = new Settlements(deps, changes);
    this.#settler = new Settler(deps, this.#dispatcher);
    this.#stored = new BatchLoader(async (ids) => {
      const commands = await readCommands(deps.db, ids);
      return new Map(commands.map((command) => [command.id, command]));
    });
    this.#overdue = new BatchLoader((robotIds) => this.#settler.settleRobots(robotIds));
    this.#unsent = new BatchLoader((unsent) => closeUnsent(deps.db, unsent, deps.serverId, deps.clock.now()));
    this.#resent = new BatchLoader((robotIds) => this.#dispatcher.resend(robotIds));
    const closeUnsaid = { name: "commands that were not sent", everyMs: UNSAID_RETRY_MS };
    this.#tasks = new PeriodicTasks(deps, [{ ...closeUnsaid, work: () => this.#closeUnsaid() }]);
  }

  async start(): Promise<void> {
    await this.#fleet.start();
    await this.#directStops.start();
    await this.#settlements.start();
    await this.#settler.start();
    await this.#tasks.start();
  }

  async stop(): Promise<void> {
    await this.#tasks.stop();
    await this.#settler.stop();
    await this.#settlements.stop();
    await this.#dispatcher.end();
    await this.#directStops.stop();
    await this.#fleet.stop();
  }

  /** For the bridge: these robots are online (again), so what is pending for them is sent now (protocol rule 3). */
  async resendPending(robotIds: readonly number[]): Promise<void> {
    if (robotIds.length > 0) await this.#dispatcher.resend(robotIds);
  }

  /**
   * Starts or stops a robot and answers when the robot has shown it. Throws 400, 404, 409 (refused), 502 (the robot
   * refused), 503 (no broker) or 504 (offline or not confirmed); a STOP that stays pending has `pending: true`. `key`
   * is the caller's Idempotency-Key: a repetition gets the first one's result.
   */
  async send(viewer: Viewer, body: CommandBody, key: string | null, press: Press | null): Promise<SuccessAnswer> {
    const context = { key, press, seen: new FirstSeen() };
    if (body.command === "START") return this.#sendByRow(viewer, body, context);
    const robots = this.#fleet.named(viewer, body);
    const { by, mode, params } = orderOf(viewer, body, this.#deps.settings, press);
    return this.#directStops.press(
      { by, mode, params, robots, request: requestOf(viewer, body, key) },
      (stop) => this.#sendByRow(viewer, body, { ...context, stop }),
      (stop) => unrecordedAnswer(stop, body.robotId),
    );
  }

  async #sendByRow(viewer: Viewer, body: CommandBody, context: RequestContext): Promise<SuccessAnswer> {
    const { stop } = context;
    const robotId = body.robotObjectId;
    // Of two concurrent requests with one key, the second finds what the first has committed.
    const accepted = await transactionWithRetry(this.#deps.db, (tx) =>
      acceptCommand(tx, this.#deps, viewer, body, context),
    );
    if (accepted.kind === "refused") throw accepted.error;
    stop?.noteStored(robotId);
    const onSent = () => stop?.noteHandedOver(robotId);
    if (accepted.kind === "repeated") return this.#repeat(body.command, accepted.commandId, robotId, onSent);
    return this.sendStored(accepted.commandId, accepted.robotAway, onSent);
  }

  /** Changes settings of a robot, stored once it shows them. Throws 403, 404, 409, 502, 503 or 504. */
  async sendSettings(viewer: Viewer, robotId: number, change: SettingsChange): Promise<SuccessAnswer> {
    const accepted = await transactionWithRetry(this.#deps.db, (tx) =>
      acceptSettings(tx, this.#deps, viewer, robotId, change),
    );
    if (accepted.kind === "refused") throw accepted.error;
    return this.sendStored(accepted.commandId, accepted.robotAway);
  }

  /**
   * Gives many robots the same order; `choose` names them inside the transaction, and throws to refuse. A START ends by
   * the limit of a manual run at the latest. Returns each robot's outcome, in the chosen order, by each command's
   * deadline at the latest.
   */
  sendMany(
    choose: (tx: Tx) => Promise<RobotSelection>,
    { durationMinutes, ...order }: Omit<ManyOrder, "maxDurationS"> & { readonly durationMinutes?: number | undefined },
  ): Promise<RobotResult[]> {
    const limitMinutes = this.#deps.settings.manualRunMaxMinutes;
    const maxDurationS = Math.min(durationMinutes ?? limitMinutes, limitMinutes) * 60;
    return orderMany(
      this.#deps,
      choose,
      { ...order, maxDurationS },
      {
        send: (commandId, robotAway, onSent) => this.sendStored(commandId, robotAway, onSent),
        repeat: (commandId, robotId, onSent) => this.#repeat(order.verb, commandId, robotId, onSent),
      },
    );
  }

  /** Every robot in the viewer's scope as last known, for a Stop that does not wait for the database. */
  knownRobots(viewer: Viewer): readonly KnownRobot[] {
    return this.#fleet.reachedBy(viewer);
  }

  /**
   * A person's Stop for many robots. `known` lists the last known robots, in case `choose` and the database
   * are too slow.
   */
  stopMany(
    choose: (tx: Tx) => Promise<RobotSelection>,
    known: (fleet: KnownFleet) => readonly KnownRobot[],
    { turns, answerDelayMs, ...order }: Omit<StopOrder, "robots" | "params"> & Pick<ManyOrder, "turns">,
  ): Promise<RobotResult[]> {
    return this.#directStops.press(
      { ...order, answerDelayMs, robots: known(this.#fleet) },
      (stop) => this.sendMany(choose, { ...order, turns, verb: "STOP", stop }),
      unrecordedResults,
    );
  }

  /** For the scheduler: whether a server has sent the robot a person's Stop that has no row yet. */
  blocksDueStart(robotId: number): boolean {
    return this.#directStops.blocksDueStart(robotId);
  }

  /** For the scheduler: sends what it stored; settled by whichever server sees the robots' states. */
  async dispatch(commandIds: readonly string[]): Promise<void> {
    await Promise.all(commandIds.map((id) => this.#dispatchOne(id)));
  }

  async #dispatchOne(commandId: string): Promise<void> {
    // Sent only once it is claimed. Whether it was, a database that fails meanwhile does not say.
    let unsent: UnsentCommand = { commandId, sent: "never", why: "too-old", claimed: true };
    try {
      const dispatched = await this.#dispatcher.send(commandId);
      if (dispatched.sent !== "never") return;
      unsent = { commandId, ...dispatched };
      await this.#unsent.load(unsent);
    } catch (error) {
      this.#unsaid.set(commandId, unsent);
      throw error;
    }
  }

  /** Nobody else can know that a START which this server may have claimed was not sent, and that its run may get another. */
  async #closeUnsaid(): Promise<void> {
    if (this.#unsaid.size === 0) return;
    const { db, serverId, clock } = this.#deps;
    const unsaid = [...this.#unsaid.values()];
    try {
      // A STOP stays pending anyway, and is sent by any server.
      const commands = await readCommands(
        db,
        unsaid.map(({ commandId }) => commandId),
      );
      const starts = new Set(commands.flatMap(({ id, verb }) => (verb === "START" ? [id] : [])));
      await closeUnsent(
        db,
        unsaid.filter(({ commandId }) => starts.has(commandId)),
        serverId,
        clock.now(),
      );
    } catch (error) {
      if (isDatabaseUnreachable(error)) return;
      throw error;
    }
    for (const { commandId } of unsaid) this.#unsaid.delete(commandId);
  }

  /**
   * Sends a command that its caller has stored, and answers like `send` when the robot has shown it. Throws anything
   * that is not a success; a lock that stays pending has `pending: true`.
   */
  async sendStored(commandId: string, robotAway: boolean, onSent?: () => void): Promise<SuccessAnswer> {
    const dispatched = await this.#dispatcher.send(commandId);
    onSent?.();
    if (dispatched.sent === "never") await this.#unsent.load({ commandId, ...dispatched });
    if (dispatched.sent === "maybe") return this.#answer(commandId, { robotAway }, dispatched.command);
    return this.#answer(commandId, { robotAway, brokerAway: dispatched.why === "broker-away" });
  }

  /** For a repeated request. The server that had the Stop first may have died before it sent it: it is sent again. */
  #repeat(verb: Order["verb"], commandId: string, robotId: number, onSent: () => void): Promise<SuccessAnswer> {
    if (verb === "STOP") void this.#sendAgain(commandId, robotId, onSent);
    return this.#answer(commandId, null);
  }

  async #sendAgain(commandId: string, robotId: number, onSent: () => void): Promise<void> {
    try {
      if ((await this.#resent.load(robotId)) !== null) onSent();
    } catch (error) {
      this.#deps.log.warn({ error, command: commandId }, "a repeated Stop is sent again later");
    }
  }

  async #answer(
    commandId: string,
    known: { readonly robotAway: boolean; readonly brokerAway?: boolean } | null,
    sent: Command | null = null,
  ): Promise<SuccessAnswer> {
    const command = await this.#settlementOf(commandId, sent);
    if (command === null) throw new HttpError(504, "RESULT_UNKNOWN", RESULT_UNKNOWN, { success: false, pending: true });
    return answerTo(command, known === null ? contextOf(command) : { brokerAway: false, ...known });
  }

  /** The command once its caller can be answered: by its deadline at the latest, when this server settles it itself. */
  async #settlementOf(commandId: string, sent: Command | null): Promise<Command | null> {
    const { clock, log } = this.#deps;
    const stored = sent ?? (await this.#stored.load(commandId));
    if (stored === null || stored.answered_at !== null) return stored;
    const leftMs = Math.max(0, stored.settle_by.getTime() - clock.now().getTime());
    const cancelDeadline = clock.after(leftMs, () => {
      this.#overdue.load(stored.robot_id).catch((error: unknown) => log.error({ error }, "failed to settle a command"));
    });
    const { promise: givenUp, resolve: giveUp } = Promise.withResolvers<void>();
    const cancelGrace = clock.after(leftMs + GRACE_MS, giveUp);
    try {
      return (await this.#settlements.of(commandId, givenUp)) ?? (await this.#stored.load(commandId));
    } finally {
      cancelDeadline();
      cancelGrace();
    }
  }
}

type StatusAnswer = ResponseOf<typeof robotStatus>;

/** Queries robots for their state. A STATUS is a query, not an order: it has no row and no seq. */
export class RobotStatusCall {
  readonly #deps: Dependencies;
  readonly #changes: ChangeSignal;

  constructor(deps: Dependencies, changes: ChangeSignal) {
    this.#deps = deps;
    this.#changes = changes;
  }

  /**
   * The robot's current state, as it reports it now. Throws 404, 503 (no broker), or 504: immediately if the robot is
   * known to be offline, otherwise if it did not answer within 10 s or the caller has disconnected.
   */
  async ask(viewer: Viewer, serial: string, disconnected: AbortSignal): Promise<StatusAnswer> {
    const { db, broker, clock } = this.#deps;
    const known = await readShown(viewer, db, serial);
    if (!known.online) throw failure(504, "ROBOT_AWAY", refusalText("away", serial).text);
    if (!broker.connected) throw failure(503, "BROKER_UNREACHABLE", BROKER_AWAY.text);
    const askedAt = clock.now();
    const envelope = questionEnvelope(askedAt, known.session, viewer.name);
    const unsent = new AbortController();
    const answered = this.#answerTo(
      viewer,
      serial,
      envelope.id,
      askedAt,
      AbortSignal.any([disconnected, unsent.signal]),
    );
    // Not awaited: the broker's receipt may come later than the robot's answer, or never.
    publishCommandMessage(broker, serial, { ...envelope, verb: "STATUS" }).catch(() => unsent.abort());
    const row = await answered;
    if (unsent.signal.aborted && row === null) throw failure(503, "BROKER_UNREACHABLE", BROKER_AWAY.text);
    if (row === null)
      throw failure(504, "STATUS_TIMEOUT", `Robot ${serial} did not answer within ${STATUS_WAIT_MS / 1000} seconds.`);
    return shownAnswer(row, serial);
  }

  /** The row once a live state answers this query; null when the time is over or the caller has disconnected. */
  async #answerTo(
    viewer: Viewer,
    serial: string,
    id: string,
    askedAt: Date,
    giveUpAt: AbortSignal,
  ): Promise<ShownRow | null> {
    const { db, clock } = this.#deps;
    const { promise, resolve, reject } = Promise.withResolvers<ShownRow | null>();
    let reading = false;
    const seen = (row: ShownRow): void => {
      reading = false;
      if (answers(row, id, askedAt)) resolve(row);
    };
    const poll = (): void => {
      if (reading) return;
      reading = true;
      readShown(viewer, db, serial).then(seen, reject);
    };
    const giveUp = () => resolve(null);
    const stopWaking = this.#changes.onWake(poll);
    const cancel = clock.after(STATUS_WAIT_MS, giveUp);
    giveUpAt.addEventListener("abort", giveUp, { once: true });
    if (giveUpAt.aborted) giveUp();
    try {
      return await promise;
    } finally {
      stopWaking();
      cancel();
      giveUpAt.removeEventListener("abort", giveUp);
    }
  }
}

/**
 * A live state that was published after the query and names it, or a command issued after it: ids are ordered by time,
 * and a robot handles its messages in order. So concurrent queries do not wait for each other's answer.
 */
function answers(row: ShownRow, id: string, askedAt: Date): boolean {
  return row.live_at !== null && row.live_at >= askedAt && row.last_command_id !== null && row.last_command_id >= id;
}

function shownAnswer(row: ShownRow, serial: string): StatusAnswer {
  const { status, battery, live_at, motion, applied_direction: direction } = row;
  if (status === null || battery === null || live_at === null || motion === null || direction === null) {
    throw failure(504, "ROBOT_AWAY", refusalText("away", serial).text);
  }
  return {
    success: true,
    data: { status, robot_status: row.robot_status, battery, timestamp: live_at.toISOString(), motion, direction },
    live_position: row.change_no,
  };
}
