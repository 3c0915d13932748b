import type { Dependencies, Service } from "../../platform/dependencies.ts";
import { Throttle } from "../../platform/throttle.ts";
import { type AuditRecord, recordChange } from "./audit.repository.ts";

/**
 * The audit of what anybody can cause at will, above all refusals: the first of a kind is written immediately, those of the
 * following minute become one row with their number as `times`. What is pending is written when the server stops.
 */
export class ThrottledAudit implements Service {
  readonly #deps: Pick<Dependencies, "db" | "clock" | "log">;
  readonly #throttle: Throttle<AuditRecord>;

  constructor(deps: Pick<Dependencies, "db" | "clock" | "log">) {
    this.#deps = deps;
    this.#throttle = new Throttle(deps.clock, async ({ last, times, isMixed }) => {
      const { actor, after, ...record } = last;
      try {
        await recordChange(deps.db, {
          ...record,
          actor: isMixed ? { userId: null, name: "Several people" } : actor,
          after: { ...(!isMixed && after), times },
          at: deps.clock.now(),
        });
      } catch (error) {
        deps.log.error({ error, action: record.action, times }, "repeats could not be recorded yet");
        throw error;
      }
    });
  }

  async start(): Promise<void> {}

  async stop(): Promise<void> {
    await this.#throttle.stop();
  }

  /** `kind` identifies who does or is refused what. Rejects if the database cannot be written. */
  async record(kind: string, what: Omit<AuditRecord, "at">): Promise<void> {
    const record = { ...what, at: this.#deps.clock.now() };
    if (this.#throttle.add(kind, record, record.action)) await recordChange(this.#deps.db, record);
  }
}
