import type { Cancel } from "../../platform/clock.ts";
import type { Parts, Service } from "../../platform/parts.ts";
import { forgetOldRequests } from "./command-requests.writes.ts";
import type { Resend } from "./command-claims.writes.ts";
import type { Dispatcher } from "./dispatcher.ts";
import { findRobotsWithDueCommands, settleAllDue, settleDueOf } from "./settle-due.writes.ts";

/** Every server looks for due commands this often. */
const LOOK_MS = 1_000;
const FORGET_MS = 3_600_000;
/** Robots settled at the same time. */
const AT_ONCE = 4;

/**
 * Settles what is due, whichever server accepted it, and sends pending STOPs until they are confirmed. After a restart
 * this is rule 5: what was not sent or is too old has failed, what may have been sent is given until its time, and
 * STOPs are sent again.
 */
export class Settler implements Service {
  readonly #parts: Parts;
  readonly #dispatcher: Dispatcher;
  #cancels: Cancel[] = [];
  #turn: Promise<void> = Promise.resolve();
  #busy = false;

  constructor(parts: Parts, dispatcher: Dispatcher) {
    this.#parts = parts;
    this.#dispatcher = dispatcher;
  }

  async start(): Promise<void> {
    const { clock, broker, db } = this.#parts;
    this.#cancels = [
      clock.every(LOOK_MS, () => this.#look("due")),
      clock.every(FORGET_MS, () => this.#inTurn(() => forgetOldRequests(db, clock.now()))),
      broker.onConnectionChange((connected) => {
        if (connected) this.#look("all");
      }),
    ];
    this.#look("all");
  }

  async stop(): Promise<void> {
    for (const cancel of this.#cancels) cancel();
    this.#cancels = [];
    await this.#turn;
  }

  /** Settles what is due of these robots now, and sends the STOPs that may have followed. */
  async settleRobots(robotIds: readonly number[]): Promise<void> {
    const { db, clock } = this.#parts;
    if (await settleAllDue(db, robotIds, clock.now(), { skipLocked: false })) await this.#dispatcher.resend("due");
  }

  /** Looks that would pile up behind a slow database are left out; a resend of all never is. */
  #look(which: Resend): void {
    if (this.#busy && which === "due") return;
    this.#busy = true;
    this.#inTurn(async () => {
      try {
        await this.#settleDue();
      } finally {
        // Whatever became of the rest, a pending STOP is sent again.
        await this.#dispatcher.resend(which).finally(() => {
          this.#busy = false;
        });
      }
    });
  }

  async #settleDue(): Promise<void> {
    const { db, clock } = this.#parts;
    const robotIds = await findRobotsWithDueCommands(db, clock.now());
    if (robotIds.length === 0) return;
    try {
      await settleAllDue(db, robotIds, clock.now(), { skipLocked: true });
      return;
    } catch (error) {
      this.#parts.log.error({ error }, "settling commands at once failed; trying each robot by itself");
    }
    const settleNext = async (): Promise<void> => {
      for (let robotId = robotIds.pop(); robotId !== undefined; robotId = robotIds.pop()) {
        // One robot whose commands cannot be settled must not hold up the others, nor any pending STOP.
        await settleDueOf(db, robotId, clock.now(), { skipLocked: true }).catch((error: unknown) => {
          this.#parts.log.error({ error, robotId }, "settling a robot's commands failed; trying again within a second");
        });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, settleNext));
  }

  #inTurn(work: () => Promise<void>): void {
    this.#turn = this.#turn.then(work).catch((error: unknown) => {
      this.#parts.log.error({ error }, "settling commands failed; trying again within a second");
    });
  }
}
