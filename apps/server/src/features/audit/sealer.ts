import type { Logger } from "pino";
import type { Dependencies, Service } from "../../platform/dependencies.ts";
import { PeriodicTasks } from "../../platform/periodic-task.ts";
import { type ChainHead, readHead, sealBatch } from "./audit-chain.repository.ts";

/** A committed row is sealed within twice this. */
const SEAL_EVERY_MS = 1_000;

type SealerDependencies = Pick<Dependencies, "db" | "clock" | "log"> & {
  readonly settings: Pick<Dependencies["settings"], "mode">;
};

/** Numbers and chains committed audit rows; every server tries, one at a time succeeds. Each new head is logged. */
export class Sealer implements Service {
  readonly #deps: SealerDependencies;
  /** In production heads are logged at every level but silent: without one in the log, less can be proven. */
  readonly #headLog: Logger;
  readonly #rounds: PeriodicTasks;
  #ended = false;

  constructor(deps: SealerDependencies) {
    this.#deps = deps;
    const { log, settings } = deps;
    const isForced = settings.mode === "production" && log.level !== "silent";
    this.#headLog = log.child({}, { level: isForced ? "info" : log.level });
    this.#rounds = new PeriodicTasks(deps, [
      { name: "audit seal", everyMs: SEAL_EVERY_MS, work: () => this.#seal(), atStart: true },
    ]);
  }

  async start(): Promise<void> {
    this.#ended = false;
    // A server that was killed right after its commit has not logged it.
    const head = await readHead(this.#deps.db);
    if (head !== null) this.#logHead(head);
    await this.#rounds.start();
  }

  async stop(): Promise<void> {
    this.#ended = true;
    await this.#rounds.stop();
  }

  /** Resolves when everything that is committed is sealed. */
  async sealNow(): Promise<void> {
    await this.#rounds.runOnce();
  }

  async #seal(): Promise<void> {
    const { db, clock } = this.#deps;
    for (let more = true; more && !this.#ended;) {
      const sealed = await sealBatch(db, clock.now());
      if (sealed.head !== null) this.#logHead(sealed.head);
      more = sealed.more;
    }
  }

  /** The log is stored elsewhere: a head in it proves later that nothing up to it was changed. */
  #logHead({ number, hash }: ChainHead): void {
    this.#headLog.info({ auditHead: `${number}:${hash}` }, "audit sealed");
  }
}
