import type { RobotResult } from "@suncrew/contract/groups/groups.ts";
import type { ChangeSignal } from "../../platform/change-signal.ts";
import type { Tx } from "../../platform/database/database.ts";
import { transactionWithRetry } from "../../platform/database/transactions.ts";
import { HttpError } from "../../platform/http/http-error.ts";
import type { Dependencies, Service } from "../../platform/dependencies.ts";
import { BatchLoader } from "../../platform/batch-loader.ts";
import type { Viewer } from "../../platform/sessions.ts";
import {
  acceptCommand,
  acceptSettings,
  type RequestContext,
  type CommandBody,
  orderOf,
  type SettingsChange,
} from "./accept-command.ts";
import { answerTo, contextOf, RESULT_UNKNOWN, type SuccessAnswer } from "./command-answers.ts";
import { closeUnsent, type UnsentCommand } from "./settle.repository.ts";
import { type Command, type Press, readCommands } from "./commands.repository.ts";
import { type RobotSelection, type ManyOrder, orderMany } from "./order-many.ts";
import { unrecordedAnswer, DirectStops, unrecordedResults, KnownFleet, type StopOrder } from "./direct-stops.ts";
import { Dispatcher } from "./dispatcher.ts";
import type { KnownRobot } from "./direct-stops.repository.ts";
import { Settlements, Settler } from "./settler.ts";
import { FirstSeen } from "./accept-orders.ts";

/** A caller waits this much longer than its command's deadline for the database to tell the outcome. */
const GRACE_MS = 1_500;

/** Commands of people to robots: accepted, sent, and answered when the robot showed them or could not. */
export class Commands implements Service {
  readonly #deps: Dependencies;
  readonly #fleet: KnownFleet;
  readonly #directStops: DirectStops;
  readonly #dispatcher: Dispatcher;
  readonly #settlements: Settlements;
  readonly #settler: Settler;
  /** Many callers that begin to wait at once are told of their commands by one query. */
  readonly #stored: BatchLoader<string, Command>;
  /** And those whose time is over at once are settled by one transaction. */
  readonly #overdue: BatchLoader<number, true>;
  /** And those that were not sent. */
  readonly #unsent: BatchLoader<UnsentCommand, true>;

  constructor(deps: Dependencies, changes: ChangeSignal) {
    this.#deps = deps;
    this.#fleet = new KnownFleet(deps);
    this.#directStops = new DirectStops(deps);
    this.#dispatcher = new Dispatcher(deps, (robotId) => this.#directStops.blocksStart(robotId));
    this.#settlements = new Settlements(deps, changes);
    this.#settler = new Settler(deps, this.#dispatcher);
    this.#stored = new BatchLoader(async (ids) => {
      const commands = await readCommands(deps.db, ids);
      return new Map(commands.map((command) => [command.id, command]));
    });
    this.#overdue = new BatchLoader(async (robotIds) => {
      await this.#settler.settleRobots(robotIds);
      return new Map<number, true>();
    });
    this.#unsent = new BatchLoader(async (unsent) => {
      await closeUnsent(deps.db, unsent, deps.serverId, deps.clock.now());
      return new Map<UnsentCommand, true>();
    });
  }

  async start(): Promise<void> {
    await this.#fleet.start();
    await this.#directStops.start();
    await this.#settlements.start();
    await this.#settler.start();
  }

  async stop(): Promise<void> {
    await this.#settler.stop();
    await this.#settlements.stop();
    await this.#dispatcher.end();
    await this.#directStops.stop();
    await this.#fleet.stop();
  }

  /** For the bridge: these robots are there (again), so what is pending for them is sent now (protocol rule 3). */
  async resendPending(robotIds: readonly number[]): Promise<void> {
    if (robotIds.length > 0) await this.#dispatcher.resend(robotIds);
  }

  /**
   * Starts or stops a robot and answers when the robot showed it. Throws 400, 404, 409 (refused), 502 (the robot
   * refused), 503 (no broker) or 504 (away or not confirmed); a STOP that is kept has `pending: true`. `key` is the
   * caller's Idempotency-Key: a repetition gets the first one's result.
   */
  async send(viewer: Viewer, body: CommandBody, key: string | null, press: Press | null): Promise<SuccessAnswer> {
    const cameBy = { key, press, seen: new FirstSeen() };
    if (body.command === "START") return this.#sendByRow(viewer, body, cameBy);
    const robots = this.#fleet.named(viewer, body);
    const { by, mode, params } = orderOf(viewer, body, this.#deps.settings, press);
    return this.#directStops.press(
      { by, mode, params, robots },
      (stop) => this.#sendByRow(viewer, body, { ...cameBy, stop }),
      (stop) => unrecordedAnswer(stop, body.robotId),
    );
  }

  async #sendByRow(viewer: Viewer, body: CommandBody, cameBy: RequestContext): Promise<SuccessAnswer> {
    const { stop } = cameBy;
    const robotId = body.robotObjectId;
    const accepted = await this.#accept((tx) => acceptCommand(tx, this.#deps, viewer, body, cameBy));
    if (accepted.kind === "refused") throw accepted.error;
    stop?.noteStored(robotId);
    if (accepted.kind === "repeated") {
      stop?.noteHandedOver(robotId);
      return this.#answer(accepted.commandId, null);
    }
    return this.#sendAndAnswer(accepted.commandId, accepted.robotAway, () => stop?.noteHandedOver(robotId));
  }

  /** Changes settings of a robot, stored once it shows them. Throws 403, 404, 409, 502, 503 or 504. */
  async sendSettings(viewer: Viewer, robotId: number, change: SettingsChange): Promise<SuccessAnswer> {
    const accepted = await this.#accept((tx) => acceptSettings(tx, this.#deps, viewer, robotId, change));
    if (accepted.kind === "refused") throw accepted.error;
    return this.#sendAndAnswer(accepted.commandId, false);
  }

  /**
   * The same order for many robots of a site at the same time; `choose` names them inside the transaction and throws
   * where it must not be. Answers what came of each, in the order chosen, by each command's deadline at the latest.
   */
  sendMany(
    choose: (tx: Tx) => Promise<RobotSelection>,
    order: Omit<ManyOrder, "maxDurationS">,
  ): Promise<RobotResult[]> {
    const whole = { ...order, maxDurationS: this.#deps.settings.manualRunMaxMinutes * 60 };
    return orderMany(this.#deps, choose, whole, (commandId, away, onSent) =>
      this.#sendAndAnswer(commandId, away, onSent),
    );
  }

  /**
   * A person's Stop for many robots of a site. `known` names them by what was last known, for those whom `choose` and the
   * database would keep waiting.
   */
  stopMany(
    choose: (tx: Tx) => Promise<RobotSelection>,
    known: (fleet: KnownFleet) => readonly KnownRobot[],
    order: Omit<StopOrder, "robots" | "params">,
  ): Promise<RobotResult[]> {
    return this.#directStops.press(
      { ...order, robots: known(this.#fleet) },
      (stop) => this.sendMany(choose, { ...order, verb: "STOP", stop }),
      unrecordedResults,
    );
  }

  /** For the scheduler: sends what it stored; whoever sees the robots settles it. */
  async dispatch(commandIds: readonly string[]): Promise<void> {
    await Promise.all(
      commandIds.map(async (id) => {
        const dispatched = await this.#dispatcher.send(id);
        if (dispatched.sent === "never") await this.#unsent.load({ commandId: id, ...dispatched });
      }),
    );
  }

  /** Two presses with one key at the same time: the second finds what the first has committed. */
  #accept<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return transactionWithRetry(this.#deps.db, work);
  }

  /**
   * Sends a command that its caller has stored, and answers like `send` when the robot showed it. Throws what is not
   * a success; a lock that is kept has `pending: true`.
   */
  sendStored(commandId: string, robotAway: boolean): Promise<SuccessAnswer> {
    return this.#sendAndAnswer(commandId, robotAway);
  }

  async #sendAndAnswer(commandId: string, robotAway: boolean, onSent?: () => void): Promise<SuccessAnswer> {
    const dispatched = await this.#dispatcher.send(commandId);
    onSent?.();
    if (dispatched.sent === "never") await this.#unsent.load({ commandId, ...dispatched });
    const brokerAway = dispatched.sent === "never" && dispatched.why === "broker-away";
    return this.#answer(commandId, { robotAway, brokerAway });
  }

  async #answer(
    commandId: string,
    known: { readonly robotAway: boolean; readonly brokerAway?: boolean } | null,
  ): Promise<SuccessAnswer> {
    const command = await this.#settlementOf(commandId);
    if (command === null) throw new HttpError(504, "RESULT_UNKNOWN", RESULT_UNKNOWN, { success: false, pending: true });
    return answerTo(command, known === null ? contextOf(command) : { brokerAway: false, ...known });
  }

  /** The command once its caller can be answered: by its deadline at the latest, where this server settles it itself. */
  async #settlementOf(commandId: string): Promise<Command | null> {
    const { clock, log } = this.#deps;
    const stored = await this.#stored.load(commandId);
    if (stored === null || stored.answered_at !== null) return stored;
    const leftMs = Math.max(0, stored.settle_by.getTime() - clock.now().getTime());
    const cancelDeadline = clock.after(leftMs, () => {
      this.#overdue.load(stored.robot_id).catch((error: unknown) => log.error({ error }, "settling a command failed"));
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
