import type { ChangeSignal } from "../../platform/change-signal.ts";
import type { Cancel } from "../../platform/clock.ts";
import type { Dependencies, Service } from "../../platform/dependencies.ts";
import type { Command } from "./command-rows.repository.ts";
import { readAnswered } from "./settle-due.repository.ts";

/** Waits for commands to be settled by whichever server sees it, reading for all waiting callers at once. */
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
    this.#stopWaking = this.#changes.onWake(() => this.look());
  }

  async stop(): Promise<void> {
    this.#stopWaking();
    await this.#reading;
  }

  /** Resolves once the command is settled, or answered as pending; null where `givenUp` came first. */
  async of(commandId: string, givenUp: Promise<void>): Promise<Command | null> {
    const { promise, resolve } = Promise.withResolvers<Command>();
    const waiters = this.#waiting.get(commandId) ?? new Set();
    this.#waiting.set(commandId, waiters.add(resolve));
    this.look();
    try {
      return await Promise.race([promise, givenUp.then(() => null)]);
    } finally {
      waiters.delete(resolve);
      if (waiters.size === 0) this.#waiting.delete(commandId);
    }
  }

  /** Reads now, or once more after the reading under way. */
  look(): void {
    if (this.#waiting.size === 0) return;
    if (this.#reading !== null) {
      this.#again = true;
      return;
    }
    this.#again = false;
    this.#reading = this.#read().finally(() => {
      this.#reading = null;
      if (this.#again) this.look();
    });
  }

  async #read(): Promise<void> {
    try {
      for (const command of await readAnswered(this.#deps.db, [...this.#waiting.keys()])) {
        for (const resolve of this.#waiting.get(command.id) ?? []) resolve(command);
      }
    } catch (error) {
      this.#deps.log.warn({ error }, "reading settled commands failed; trying again within a second");
    }
  }
}
