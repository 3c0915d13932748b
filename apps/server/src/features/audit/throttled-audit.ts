import type { Dependencies, Service } from "../../platform/dependencies.ts";
import { Throttle } from "../../platform/throttle.ts";
import { type AuditRecord, recordAudit } from "./audit.repository.ts";

/**
 * The audit of refusals that anybody can cause at will: the first of a kind has its row at once, those of the minute that
 * follows have one row together, which tells their number as `times`. It is written too when the server stops.
 */
export class ThrottledAudit implements Service {
  readonly #deps: Pick<Dependencies, "db" | "clock" | "log">;
  readonly #gathered: Throttle<AuditRecord>;

  constructor(deps: Pick<Dependencies, "db" | "clock" | "log">) {
    this.#deps = deps;
    this.#gathered = new Throttle(deps.clock, async ({ last, times, isMixed }) => {
      const { actor, after, ...record } = last;
      try {
        await recordAudit(deps.db, {
          ...record,
          actor: isMixed ? { userId: null, name: "Several people" } : actor,
          after: { ...(!isMixed && after), times },
          at: deps.clock.now(),
        });
      } catch (error) {
        deps.log.error({ error, action: record.action, times }, "refusals are not on record yet");
        throw error;
      }
    });
  }

  async start(): Promise<void> {}

  async stop(): Promise<void> {
    await this.#gathered.stop();
  }

  /** `kind` names who is refused what. Rejects where the database cannot be written. */
  async record(kind: string, record: Omit<AuditRecord, "at">): Promise<void> {
    const whole = { ...record, at: this.#deps.clock.now() };
    if (this.#gathered.add(kind, whole, record.action)) await recordAudit(this.#deps.db, whole);
  }
}
