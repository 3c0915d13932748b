import type { Clock } from "../../platform/clock.ts";
import { databaseNow, type Db, probeWrite, rejectReadOnly } from "../../platform/database/database.ts";
import { databaseFault } from "../../platform/database/database-errors.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { type BridgeStanding, bridgeStanding } from "../devices/public.ts";

/** What does not answer for so long does not work. */
const PATIENCE_MS = 3_000;
/** Those who ask within so long share an answer: looking must not load what it looks at. */
const SHARED_MS = 1_000;
/** Whether the database stores is tried this often at the most. */
const WRITE_EVERY_MS = 5_000;

const NOT_REACHED = "The database is not reached.";
const bridgeWords: Readonly<Record<Exclude<BridgeStanding, "works">, string>> = {
  none: "No server is the bridge to the robots.",
  "cut-off": "The server that is the bridge to the robots does not reach the MQTT broker.",
};

type Look = "late" | { readonly missing: string | null };

/** Whether a START that came now could work. */
export class Readiness {
  readonly #deps: Dependencies;
  #shared: Promise<string | null> | null = null;
  #writtenMs = -Infinity;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** Null where everything is there, else one sentence about what is missing; within some 3 s in any case. */
  async missing(): Promise<string | null> {
    if (this.#shared === null) {
      this.#shared = this.#look();
      const forget = () => (this.#shared = null);
      // While somebody looks, all wait for the same.
      void this.#shared.finally(() => this.#deps.clock.after(SHARED_MS, forget));
    }
    return this.#shared;
  }

  async #look(): Promise<string | null> {
    const { db, reservedDb, clock } = this.#deps;
    const orders = inTime(clock, () => this.#lookAsOrdersDo(reservedDb ?? db));
    const calls = inTime(clock, async () => void (await databaseNow(db)));
    const [order, call] = await Promise.all([orders, calls]);
    return poolsMissing(order, call);
  }

  /** Through the connections of commands: whether it stores, and whether robots are reached. */
  async #lookAsOrdersDo(db: Db): Promise<string | undefined> {
    const nowMs = this.#deps.clock.monotonicMs();
    if (nowMs - this.#writtenMs < WRITE_EVERY_MS) await rejectReadOnly(db);
    else {
      await probeWrite(db);
      this.#writtenMs = nowMs;
    }
    if (!this.#deps.broker.connected) return "The MQTT broker is not reached.";
    const trouble = this.#deps.clocks?.trouble ?? null;
    if (trouble !== null) return `This server cannot rely on its clock. ${trouble}`;
    const standing = await bridgeStanding(db);
    return standing === "works" ? undefined : bridgeWords[standing];
  }
}

/** The database answers either pool, or neither; where only one is answered the other's connections are all taken. */
function poolsMissing(orders: Look, calls: Look): string | null {
  if (orders === "late") {
    return calls === "late" || calls.missing !== null
      ? NOT_REACHED
      : "All database connections that this server keeps for commands are taken.";
  }
  if (orders.missing !== null) return orders.missing;
  if (calls === "late") return "All database connections that this server keeps for calls are taken.";
  return calls.missing;
}

async function inTime(clock: Clock, look: () => Promise<string | undefined>): Promise<Look> {
  return new Promise((resolve) => {
    const giveUp = clock.after(PATIENCE_MS, () => resolve("late"));
    look()
      .then((missing) => resolve({ missing: missing ?? null }))
      .catch((error: unknown) => resolve({ missing: databaseFault(error) }))
      .finally(giveUp);
  });
}
