import type { ChangeSignal } from "../../platform/change-signal.ts";
import type { Cancel } from "../../platform/clock.ts";
import { isDatabaseUnreachable } from "../../platform/database/database-errors.ts";
import { isLockTimeout } from "../../platform/database/transactions.ts";
import type { Dependencies, Service } from "../../platform/dependencies.ts";
import { seenAt } from "../sites/public.ts";
import { forgetOldRequests } from "./command-requests.repository.ts";
import { type Command, readAnswered, type Resend } from "./commands.repository.ts";
import type { Dispatcher } from "./dispatcher.ts";
import { updateLateStopAlerts } from "./robot-removal.repository.ts";
import { type DueOptions, findRobotsWithDueCommands, type SettledDue, settleDue } from "./settle.repository.ts";

/** How often every server checks for due commands. */
const SETTLE_INTERVAL_MS = 1_000;
const REQUEST_CLEANUP_INTERVAL_MS = 3_600_000;
const ALERT_UPDATE_INTERVAL_MS = 10_000;
/** Callers are answered soon after a command's deadline; the bridge holds a robot's rows for less than this. */
const LOCK_WAIT_MS = 500;

/**
 * Settles what is due, whichever server accepted it, and repeats pending STOPs until they are confirmed. After a
 * restart this is rule 5: commands not sent or too old have failed, those that may have been sent keep their deadline,
 * and STOPs are sent again.
 */
export class Settler implements Service {
  readonly #deps: Dependencies;
  readonly #dispatcher: Dispatcher;
  #cancels: Cancel[] = [];
  #turn: Promise<void> = Promise.resolve();
  #busy = false;

  constructor(deps: Dependencies, dispatcher: Dispatcher) {
    this.#deps = deps;
    this.#dispatcher = dispatcher;
  }

  async start(): Promise<void> {
    const { clock, broker, db } = this.#deps;
    this.#cancels = [
      clock.every(SETTLE_INTERVAL_MS, () => this.#settleAndResend("due")),
      clock.every(ALERT_UPDATE_INTERVAL_MS, () => this.#inTurn(() => updateLateStopAlerts(db, seenAt(this.#deps)))),
      clock.every(REQUEST_CLEANUP_INTERVAL_MS, () => this.#inTurn(() => forgetOldRequests(db, clock.now()))),
      broker.onConnectionChange((connected) => {
        if (connected) this.#settleAndResend("all");
      }),
    ];
    this.#settleAndResend("all");
  }

  async stop(): Promise<void> {
    for (const cancel of this.#cancels) cancel();
    this.#cancels = [];
    await this.#turn;
  }

  /**
   * Settles these robots' due commands now, and sends the STOPs that may have followed. A locked robot delays none of
   * the others: it is waited for briefly, and settled by a later check.
   */
  async settleRobots(robotIds: readonly number[]): Promise<void> {
    const free = await this.#settleOrSplit(robotIds, { skipLocked: true });
    if (free.changed) await this.#dispatcher.resend("due");
    if (free.skipped.length === 0) return;
    const held = await this.#settleOrSplit(free.skipped, { skipLocked: false, waitMs: LOCK_WAIT_MS });
    if (held.changed) await this.#dispatcher.resend("due");
  }

  /** Checks that would pile up behind a slow database are skipped; resending all never is. */
  #settleAndResend(which: Resend): void {
    if (this.#busy && which === "due") return;
    this.#busy = true;
    this.#inTurn(async () => {
      try {
        await this.#settleDue();
      } finally {
        // Whatever happened to the rest, pending STOPs are sent again.
        await this.#dispatcher.resend(which).finally(() => {
          this.#busy = false;
        });
      }
    });
  }

  async #settleDue(): Promise<void> {
    const { db, clock } = this.#deps;
    const robotIds = await findRobotsWithDueCommands(db, clock.now());
    if (robotIds.length > 0) await this.#settleOrSplit(robotIds, { skipLocked: true });
  }

  /**
   * All robots in one transaction; if that fails, each half separately: one robot whose commands cannot be settled
   * delays no other, nor any pending STOP. Rejects if the database is unreachable.
   */
  async #settleOrSplit(robotIds: readonly number[], options: DueOptions): Promise<SettledDue> {
    const { db, clock, log } = this.#deps;
    try {
      return await settleDue(db, robotIds, clock, options);
    } catch (error) {
      if (isDatabaseUnreachable(error)) throw error;
      if (isLockTimeout(error)) return { changed: false, skipped: robotIds };
      if (robotIds.length === 1) {
        log.error({ error, robotId: robotIds[0] }, "failed to settle a robot's commands; retrying within a second");
        return { changed: false, skipped: [] };
      }
    }
    const middle = Math.ceil(robotIds.length / 2);
    const first = await this.#settleOrSplit(robotIds.slice(0, middle), options);
    const second = await this.#settleOrSplit(robotIds.slice(middle), options);
    return { changed: first.changed || second.changed, skipped: [...first.skipped, ...second.skipped] };
  }

  #inTurn(work: () => Promise<void>): void {
    this.#turn = this.#turn.then(work).catch((error: unknown) => {
      this.#deps.log.error({ error }, "failed to settle commands; retrying within a second");
    });
  }
}

/** Waits for commands to be settled by whichever server sees it, with one query for all waiting callers. */
export class Settlements implements Service {
  readonly #deps: Dependencies;
  readonly #changes: ChangeSignal;
  readonly #waiting = new Map<string, Set<(command: Command) => void>>();
  #stopWaking: Cancel = () => {};
  #reading: Promise<void> | null = null;
  #again = false;

  constructor(deps: Dependencies, changes: ChangeSignal) {
    this.#deps = deps;
    this.#changes = changes;
  }

  async start(): Promise<void> {
    this.#stopWaking = this.#changes.onWake(() => this.poll());
  }

  async stop(): Promise<void> {
    this.#stopWaking();
    await this.#reading;
  }

  /** Resolves once the command is settled, or answered as pending; null if `givenUp` came first. */
  async of(commandId: string, givenUp: Promise<void>): Promise<Command | null> {
    const { promise, resolve } = Promise.withResolvers<Command>();
    const waiters = this.#waiting.get(commandId) ?? new Set();
    this.#waiting.set(commandId, waiters.add(resolve));
    this.poll();
    try {
      return await Promise.race([promise, givenUp.then(() => null)]);
    } finally {
      waiters.delete(resolve);
      if (waiters.size === 0) this.#waiting.delete(commandId);
    }
  }

  /** Reads now, or once more after the current query. */
  poll(): void {
    if (this.#waiting.size === 0) return;
    if (this.#reading !== null) {
      this.#again = true;
      return;
    }
    this.#again = false;
    this.#reading = this.#read().finally(() => {
      this.#reading = null;
      if (this.#again) this.poll();
    });
  }

  async #read(): Promise<void> {
    try {
      for (const command of await readAnswered(this.#deps.db, [...this.#waiting.keys()])) {
        for (const resolve of this.#waiting.get(command.id) ?? []) resolve(command);
      }
    } catch (error) {
      this.#deps.log.warn({ error }, "failed to read settled commands; retrying within a second");
    }
  }
}
