import type { Logger } from "pino";
import type { Cancel } from "../../platform/clock.ts";
import type { Dependencies, Service } from "../../platform/dependencies.ts";
import { PeriodicTask } from "../../platform/periodic-task.ts";
import { type ChainHead, readHead, sealBatch } from "./audit-chain.repository.ts";

/** A committed row is sealed within twice this. */
const LOOK_MS = 1_000;

type SealerParts = Pick<Dependencies, "db" | "clock" | "log"> & {
  readonly settings: Pick<Dependencies["settings"], "mode">;
};

/** Numbers and chains committed audit rows, on every server, one at a time; tells each new head in the log. */
export class Sealer implements Service {
  readonly #deps: SealerParts;
  /** In production it tells heads at every level but silent: without one in the log, less can be proven. */
  readonly #headLog: Logger;
  readonly #rounds: PeriodicTask;
  #cancel: Cancel | null = null;
  #ended = false;

  constructor(deps: SealerParts) {
    this.#deps = deps;
    const { log, settings } = deps;
    const isTold = settings.mode === "production" && log.level !== "silent";
    this.#headLog = log.child({}, { level: isTold ? "info" : log.level });
    this.#rounds = new PeriodicTask(deps.log, () => this.#seal());
  }

  async start(): Promise<void> {
    this.#ended = false;
    // A server that was killed after its commit did not come to tell it.
    const head = await readHead(this.#deps.db);
    if (head !== null) this.#tell(head);
    this.#cancel = this.#deps.clock.every(LOOK_MS, () => void this.#rounds.run());
    void this.#rounds.run();
  }

  async stop(): Promise<void> {
    this.#ended = true;
    this.#cancel?.();
    await this.#rounds.idle();
  }

  /** Seals all that is committed; resolves when it is. */
  async look(): Promise<void> {
    await this.#rounds.run();
  }

  async #seal(): Promise<void> {
    const { db, clock } = this.#deps;
    for (let more = true; more && !this.#ended;) {
      const sealed = await sealBatch(db, clock.now());
      if (sealed.head !== null) this.#tell(sealed.head);
      more = sealed.more;
    }
  }

  /** The log is kept elsewhere: a head in it is what a later proof begins from. */
  #tell({ number, hash }: ChainHead): void {
    this.#headLog.info({ auditHead: `${number}:${hash}` }, "audit sealed");
  }
}
