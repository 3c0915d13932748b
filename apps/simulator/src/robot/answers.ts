import type { AckMessage } from "@suncrew/contract/devices/messages.ts";

export type Answer = Omit<AckMessage, "ts">;

const REMEMBERED = 500;
const KEPT_ACROSS_POWER_LOSS = 40;

/** Protocol rule 5: what was answered to which command id, so that a repeated one is answered again and acts once. */
export class Answers {
  readonly #byId = new Map<string, Answer>();
  #kept: Answer[];

  constructor(kept: readonly Answer[]) {
    this.#kept = [...kept];
    for (const answer of kept) this.#byId.set(answer.id, answer);
  }

  find(id: string): Answer | undefined {
    return this.#byId.get(id);
  }

  /** `keep` where neither session nor seq would stop a repetition after a power loss. */
  remember(answer: Answer, keep: boolean): void {
    this.#byId.set(answer.id, answer);
    if (keep) this.#kept = [...this.#kept, answer].slice(-KEPT_ACROSS_POWER_LOSS);
    if (this.#byId.size <= REMEMBERED) return;
    const oldest = this.#byId.keys().next();
    if (!oldest.done) this.#byId.delete(oldest.value);
  }

  get kept(): readonly Answer[] {
    return this.#kept;
  }
}
