import { sql } from "kysely";
import pg from "pg";
import type { Logger } from "pino";
import type { Cancel, Clock } from "./clock.ts";
import type { Executor } from "./database/database.ts";
import type { Service } from "./dependencies.ts";

const CHANNEL = "suncrew_changes";
/** What a notice carries where sites or robots came, went or changed hands; any other says only that rows changed. */
const SCOPE = "scope";
/** Every server looks by itself this often, in case a notice is lost. */
const LOOK_MS = 1_000;
const RECONNECT_MS = 1_000;

/** Tells every server that rows changed, for writers that hold no signal; inside a transaction it goes out with the commit. */
export async function announceChange(db: Executor): Promise<void> {
  await sql`select pg_notify(${CHANNEL}, '')`.execute(db);
}

/**
 * Tells every server that sites or robots came, went or changed hands, so that whoever watches them hears of it at
 * once; inside a transaction it goes out with the commit.
 */
export async function announceScope(db: Executor): Promise<void> {
  await sql`select pg_notify(${CHANNEL}, ${SCOPE})`.execute(db);
}

/** Tells every server that rows changed. It carries no data: each server reads what is newer than it has. */
export class ChangeSignal implements Service {
  readonly #connection: pg.ClientConfig;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #listeners = new Set<() => void>();
  readonly #scopeListeners = new Set<() => void>();
  #client: pg.Client | null = null;
  #cancelLook: Cancel = () => {};
  #cancelReconnect: Cancel = () => {};
  #running = false;

  constructor(connection: pg.ClientConfig, clock: Clock, log: Logger) {
    this.#connection = connection;
    this.#clock = clock;
    this.#log = log;
  }

  /** Calls `listener` after every notice and every second; returns what ends it. */
  onWake(listener: () => void): Cancel {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Calls `listener` after every notice that scopes may differ, and before those of `onWake`; returns what ends it. */
  onScope(listener: () => void): Cancel {
    this.#scopeListeners.add(listener);
    return () => void this.#scopeListeners.delete(listener);
  }

  /** Sends the notice; inside a transaction it goes out with the commit. */
  async announce(db: Executor): Promise<void> {
    await announceChange(db);
  }

  async start(): Promise<void> {
    this.#running = true;
    this.#cancelLook = this.#clock.every(LOOK_MS, () => this.#wake());
    await this.#listen();
  }

  async stop(): Promise<void> {
    this.#running = false;
    this.#cancelLook();
    this.#cancelReconnect();
    const client = this.#client;
    this.#client = null;
    await client?.end();
  }

  #wake(): void {
    for (const listener of this.#listeners) listener();
  }

  async #listen(): Promise<void> {
    const client = new pg.Client({ ...this.#connection, keepAlive: true });
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
    this.#log.warn({ error }, "listening for changes was interrupted; looking every second meanwhile");
    this.#cancelReconnect();
    this.#cancelReconnect = this.#clock.after(RECONNECT_MS, () => void this.#listen());
  }
}
