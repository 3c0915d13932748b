import { sql } from "kysely";
import pg from "pg";
import type { Cancel } from "./clock.ts";
import type { Executor } from "./database/database.ts";
import type { Dependencies, Service } from "./dependencies.ts";

const CHANNEL = "suncrew_changes";
/**
 * Payload of a notification that sites or robots were added, removed or changed hands; others only say that rows
 * changed.
 */
const SCOPE = "scope";
/** Every server polls this often, in case a notification is lost. */
const POLL_MS = 1_000;
const RECONNECT_MS = 1_000;

/**
 * Notifies every server that rows changed, for code without a `ChangeSignal`; in a transaction it is sent on commit.
 */
export async function announceChange(db: Executor): Promise<void> {
  await sql`select pg_notify(${CHANNEL}, '')`.execute(db);
}

/**
 * Notifies every server that sites or robots were added, removed or changed hands, so that live streams update at once;
 * in a transaction it is sent on commit.
 */
export async function announceScope(db: Executor): Promise<void> {
  await sql`select pg_notify(${CHANNEL}, ${SCOPE})`.execute(db);
}

/** Notifies every server that rows changed. It carries no data: each server reads what is newer than what it has. */
export class ChangeSignal implements Service {
  readonly #deps: Pick<Dependencies, "connection" | "clock" | "log">;
  readonly #listeners = new Set<() => void>();
  readonly #scopeListeners = new Set<() => void>();
  #client: pg.Client | null = null;
  #cancelPoll: Cancel = () => {};
  #cancelReconnect: Cancel = () => {};
  #running = false;

  constructor(deps: Pick<Dependencies, "connection" | "clock" | "log">) {
    this.#deps = deps;
  }

  /** Calls `listener` after every notification and every second; returns a function that ends it. */
  onWake(listener: () => void): Cancel {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Calls `listener` when scopes may have changed, before those of `onWake`; returns a function that ends it. */
  onScope(listener: () => void): Cancel {
    this.#scopeListeners.add(listener);
    return () => void this.#scopeListeners.delete(listener);
  }

  async start(): Promise<void> {
    this.#running = true;
    this.#cancelPoll = this.#deps.clock.every(POLL_MS, () => this.#wake());
    await this.#listen();
  }

  async stop(): Promise<void> {
    this.#running = false;
    this.#cancelPoll();
    this.#cancelReconnect();
    const client = this.#client;
    this.#client = null;
    await client?.end();
  }

  #wake(): void {
    for (const listener of this.#listeners) listener();
  }

  async #listen(): Promise<void> {
    const client = new pg.Client({ ...this.#deps.connection, keepAlive: true });
    client.on("notification", ({ payload }) => {
      if (payload === SCOPE) for (const listener of this.#scopeListeners) listener();
      this.#wake();
    });
    client.on("error", (error) => this.#lost(client, error));
    client.on("end", () => this.#lost(client, new Error("Connection terminated")));
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      this.#client = client;
    } catch (error) {
      this.#lost(client, error);
    }
  }

  #lost(client: pg.Client, error: unknown): void {
    client.removeAllListeners();
    client.on("error", () => {});
    this.#client = null;
    if (!this.#running) return;
    this.#deps.log.warn({ error }, "listening for changes was interrupted; polling every second until it is restored");
    this.#cancelReconnect();
    this.#cancelReconnect = this.#deps.clock.after(RECONNECT_MS, () => void this.#listen());
  }
}
