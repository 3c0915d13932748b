import { STOP_NOTICES_TOPIC } from "@suncrew/contract/devices/topics.ts";
import { STARTS_LATE_UP_TO_MS } from "@suncrew/domain/schedules/due-decision.ts";
import { z } from "zod";
import { anyUuid } from "../../platform/database/database.ts";
import { isDatabaseUnreachable } from "../../platform/database/database-errors.ts";
import type { ReceivedMessage } from "../../platform/broker.ts";
import type { Dependencies, Service } from "../../platform/dependencies.ts";
import { errorText } from "../../platform/errors.ts";
import { BrokerUnavailableError, Outage } from "../../platform/outages.ts";
import { PeriodicTasks } from "../../platform/periodic-task.ts";
import type { SentStops } from "./stop-journal.ts";

const CHECK_MS = 500;
/** A message stays well below the size that brokers accept. */
const STOPS_PER_NOTICE = 200;

const REFUSED = { begins: "is refused", lasts: "is still refused", ends: "is granted" };

const noticeSchema = z.object({
  stops: z.array(
    z.object({
      robotId: z.number().int(),
      /** One of these will be the id of its row. */
      ids: z.array(z.uuid()).min(1),
    }),
  ),
});

interface HeardStop {
  readonly robotId: number;
  readonly ids: readonly string[];
  readonly heardMs: number;
}

/**
 * Servers tell each other through the broker which Stops they sent without a row (protocol rule 3): a server that cannot
 * store may do so while another one stores, and starts what is due. Each keeps what it hears until it finds the row, or
 * has not heard of the Stop for as long as a run may begin late.
 */
export class StopNotices implements Service {
  readonly #deps: Pick<Dependencies, "db" | "broker" | "clock" | "log">;
  readonly #heard = new Map<string, HeardStop>();
  readonly #refusal: Outage;
  readonly #tasks: PeriodicTasks;
  #end: (() => Promise<void>) | null = null;

  constructor(deps: Pick<Dependencies, "db" | "broker" | "clock" | "log">) {
    this.#deps = deps;
    this.#refusal = new Outage("the subscription to other servers' Stops", deps.log, deps.clock, REFUSED);
    const [subscribe, forget] = [() => this.#subscribe(), () => this.#forgetRecorded()];
    this.#tasks = new PeriodicTasks(deps, [
      { name: "subscription to other servers' Stops", everyMs: CHECK_MS, work: subscribe, atStart: true },
      { name: "other servers' Stops", everyMs: CHECK_MS, work: forget },
    ]);
  }

  async start(): Promise<void> {
    await this.#tasks.start();
  }

  async stop(): Promise<void> {
    await this.#tasks.stop();
    this.#refusal.stop();
    // Without the broker there is nothing to end.
    await this.#end?.().catch(() => {});
    this.#end = null;
  }

  /** Before the Stops themselves are sent, and with each repetition. */
  announce({ stops }: SentStops): void {
    for (let from = 0; from < stops.length; from += STOPS_PER_NOTICE) {
      const some = stops.slice(from, from + STOPS_PER_NOTICE).map(({ robotId, id, renumberedId }) => {
        return { robotId, ids: renumberedId === undefined ? [id] : [id, renumberedId] };
      });
      // Repeated with the Stops.
      this.#deps.broker.publish(STOP_NOTICES_TOPIC, JSON.stringify({ stops: some })).catch(() => {});
    }
  }

  /** Some server has sent this robot a Stop that has no row yet, as far as this one knows. */
  isStopped(robotId: number): boolean {
    this.#forgetOld();
    for (const stop of this.#heard.values()) if (stop.robotId === robotId) return true;
    return false;
  }

  /** The connection renews it after every reconnect. */
  async #subscribe(): Promise<void> {
    const { broker } = this.#deps;
    if (this.#end !== null || !broker.connected) return;
    try {
      this.#end = await broker.subscribe([STOP_NOTICES_TOPIC], (message) => this.#onMessage(message));
      this.#refusal.end();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      // The servers' account may lack a right that older versions did not need; everything else works without.
      if (!(error instanceof BrokerUnavailableError)) this.#refusal.begin(errorText(error));
    }
  }

  #onMessage({ topic, payload }: ReceivedMessage): void {
    if (topic !== STOP_NOTICES_TOPIC) return;
    const heardMs = this.#deps.clock.monotonicMs();
    for (const { robotId, ids } of this.#parse(payload)) this.#heard.set(ids.join(), { robotId, ids, heardMs });
  }

  #parse(payload: Buffer): z.output<typeof noticeSchema>["stops"] {
    try {
      return noticeSchema.parse(JSON.parse(payload.toString())).stops;
    } catch (error) {
      this.#deps.log.warn({ reason: error }, "what another server said about Stops cannot be read");
      return [];
    }
  }

  #forgetOld(): void {
    const sinceMs = this.#deps.clock.monotonicMs() - STARTS_LATE_UP_TO_MS;
    for (const [key, { heardMs }] of this.#heard) if (heardMs < sinceMs) this.#heard.delete(key);
  }

  async #forgetRecorded(): Promise<void> {
    this.#forgetOld();
    if (this.#heard.size === 0) return;
    const recorded = await this.#readRecorded([...this.#heard.values()].flatMap(({ ids }) => ids));
    for (const [key, { ids }] of this.#heard) if (ids.some((id) => recorded.has(id))) this.#heard.delete(key);
  }

  async #readRecorded(ids: readonly string[]): Promise<ReadonlySet<string>> {
    try {
      const rows = await this.#deps.db.selectFrom("commands").select("id").where("id", "=", anyUuid(ids)).execute();
      return new Set(rows.map(({ id }) => id));
    } catch (error) {
      if (isDatabaseUnreachable(error)) return new Set();
      throw error;
    }
  }
}
