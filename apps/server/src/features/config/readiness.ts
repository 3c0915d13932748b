import type { Clock } from "../../platform/clock.ts";
import { databaseNow, type Db, probeWrite, rejectReadOnly } from "../../platform/database/database.ts";
import { databaseFault } from "../../platform/database/database-errors.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { type BridgeStatus, readBridgeStatus } from "../devices/public.ts";

/** Anything that does not respond within this time counts as broken. */
const TIMEOUT_MS = 3_000;
/** Requests within this time share an answer: checking must not load what it checks. */
const SHARED_MS = 1_000;
/** How often a write to the database is tried at most. */
const WRITE_EVERY_MS = 5_000;

const DATABASE_UNREACHABLE = "The database cannot be reached.";
const bridgeMessages: Readonly<Record<Exclude<BridgeStatus, "works">, string>> = {
  none: "No server is the bridge to the robots.",
  partly: "No server is the bridge to some of the robots.",
  "cut-off": "A server that is the bridge to robots cannot reach the MQTT broker.",
};

type CheckResult = "timeout" | { readonly missing: string | null };

/** Whether a START could work at this moment. */
export class Readiness {
  readonly #deps: Dependencies;
  #shared: Promise<string | null> | null = null;
  #writtenMs = -Infinity;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** Null if everything works, otherwise one sentence about what is missing; resolves within some 3 s in any case. */
  async missing(): Promise<string | null> {
    if (this.#shared === null) {
      this.#shared = this.#check();
      const forget = () => (this.#shared = null);
      // While a check is running, all callers wait for the same one.
      void this.#shared.finally(() => this.#deps.clock.after(SHARED_MS, forget));
    }
    return this.#shared;
  }

  async #check(): Promise<string | null> {
    const { db, reservedDb, clock } = this.#deps;
    const commands = checked(clock, () => this.#checkCommands(reservedDb ?? db));
    const calls = checked(clock, async () => {
      await databaseNow(db);
      return null;
    });
    return missingOf(...(await Promise.all([commands, calls])));
  }

  /** Uses the connections reserved for commands: whether the database stores, and robots can be reached. */
  async #checkCommands(db: Db): Promise<string | null> {
    const nowMs = this.#deps.clock.monotonicMs();
    if (nowMs - this.#writtenMs < WRITE_EVERY_MS) await rejectReadOnly(db);
    else {
      await probeWrite(db);
      this.#writtenMs = nowMs;
    }
    if (!this.#deps.broker.connected) return "The MQTT broker cannot be reached.";
    const trouble = this.#deps.clocks?.trouble ?? null;
    if (trouble !== null) return `This server cannot rely on its clock. ${trouble}`;
    const status = await readBridgeStatus(db);
    return status === "works" ? null : bridgeMessages[status];
  }
}

/** If the database answers only one of the pools, all connections of the other are in use. */
function missingOf(commands: CheckResult, calls: CheckResult): string | null {
  if (commands === "timeout") {
    return calls === "timeout" || calls.missing !== null
      ? DATABASE_UNREACHABLE
      : "All database connections that this server reserves for commands are in use.";
  }
  if (commands.missing !== null) return commands.missing;
  if (calls === "timeout") return "All database connections that this server reserves for calls are in use.";
  return calls.missing;
}

async function checked(clock: Clock, check: () => Promise<string | null>): Promise<CheckResult> {
  return new Promise((resolve) => {
    const cancel = clock.after(TIMEOUT_MS, () => resolve("timeout"));
    check()
      .then((missing) => resolve({ missing }))
      .catch((error: unknown) => resolve({ missing: databaseFault(error) }))
      .finally(cancel);
  });
}
