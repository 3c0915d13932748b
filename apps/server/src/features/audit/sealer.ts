import type { Cancel } from "../../platform/clock.ts";
import type { Parts, Service } from "../../platform/parts.ts";
import { Rounds } from "../../platform/rounds.ts";
import { sealBatch } from "./audit-seals.writes.ts";

/** A committed row is sealed within twice this. */
const LOOK_MS = 1_000;

/** Numbers and chains committed audit rows, on every server, one at a time; tells each new head in the log. */
export class Sealer implements Service {
  readonly #parts: Pick<Parts, "db" | "clock" | "log">;
  readonly #rounds: Rounds;
  #cancel: Cancel | null = null;
  #ended = false;

  constructor(parts: Pick<Parts, "db" | "clock" | "log">) {
    this.#parts = parts;
    this.#rounds = new Rounds(parts.log, () => this.#seal());
  }

  async start(): Promise<void> {
    this.#ended = false;
    this.#cancel = this.#parts.clock.every(LOOK_MS, () => void this.#rounds.look());
    void this.#rounds.look();
  }

  async stop(): Promise<void> {
    this.#ended = true;
    this.#cancel?.();
    await this.#rounds.idle();
  }

  /** Seals all that is committed; resolves when it is. */
  async look(): Promise<void> {
    await this.#rounds.look();
  }

  async #seal(): Promise<void> {
    const { db, clock, log } = this.#parts;
    for (let more = true; more && !this.#ended;) {
      const sealed = await sealBatch(db, clock.now());
      // The log is kept elsewhere: a head in it is what a later proof begins from.
      if (sealed.head !== null) log.info({ auditHead: `${sealed.head.number}:${sealed.head.hash}` }, "audit sealed");
      more = sealed.more;
    }
  }
}
