import type { Logger } from "pino";
import type { Dependencies } from "../../platform/dependencies.ts";
import { PeriodicTasks } from "../../platform/periodic-task.ts";
import { type ChainHead, readHead, sealBatch } from "./audit-chain.repository.ts";

/** A committed row is sealed within twice this. */
const SEAL_EVERY_MS = 1_000;

type SealerDependencies = Pick<Dependencies, "db" | "clock" | "log"> & {
  readonly settings: Pick<Dependencies["settings"], "mode">;
};

/** Numbers and chains committed audit rows; every server tries, one at a time succeeds. Each new head is logged. */
export class Sealer extends PeriodicTasks {
  readonly #deps: SealerDependencies;
  /** In production heads are logged at every level but silent: without one in the log, less can be proven. */
  readonly #headLog: Logger;

  constructor(deps: SealerDependencies) {
    const work = (stopping: AbortSignal) => this.#seal(stopping);
    super(deps, [{ name: "audit seal", everyMs: SEAL_EVERY_MS, work, atStart: true }]);
    this.#deps = deps;
    const { log, settings } = deps;
    const isForced = settings.mode === "production" && log.level !== "silent";
    this.#headLog = log.child({}, { level: isForced ? "info" : log.level });
  }

  override async start(): Promise<void> {
    // A server that was killed right after its commit has not logged it.
    const head = await readHead(this.#deps.db);
    if (head !== null) this.#logHead(head);
    await super.start();
  }

  /** Until everything that is committed is sealed. */
  async #seal(stopping: AbortSignal): Promise<void> {
    const { db, clock } = this.#deps;
    for (let more = true; more && !stopping.aborted;) {
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
