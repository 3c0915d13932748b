import type { Cancel } from "../../platform/clock.ts";
import type { Dependencies, Service } from "../../platform/dependencies.ts";
import { forgetOldSessions } from "../../platform/sessions.ts";
import { forgetOldCallers } from "./known-callers.repository.ts";
import { forgetOldFailures } from "./sign-in-failures.repository.ts";

const EVERY_MS = 3_600_000;

/** Removes failed sign-ins and known callers that count no more, and sessions long over, every hour. */
export class SignInCleaner implements Service {
  readonly #deps: Dependencies;
  #cancel: Cancel = () => {};
  #work: Promise<void> = Promise.resolve();

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  async start(): Promise<void> {
    this.#cancel = this.#deps.clock.every(EVERY_MS, () => {
      this.#work = this.#work.then(() => this.#clean());
    });
  }

  async stop(): Promise<void> {
    this.#cancel();
    await this.#work;
  }

  async #clean(): Promise<void> {
    const { db, clock, log } = this.#deps;
    try {
      await forgetOldFailures(db, clock.now());
      await forgetOldCallers(db, clock.now());
      await forgetOldSessions(db, clock.now());
    } catch (error) {
      log.warn({ error }, "old sign-ins could not be removed");
    }
  }
}
