import { withTimeout } from "../../platform/clock.ts";
import type { Db } from "../../platform/database/database.ts";
import { isDatabaseUnreachable } from "../../platform/database/database-errors.ts";
import { CachedSnapshot } from "../../platform/periodic-task.ts";
import type { Dependencies, Service } from "../../platform/dependencies.ts";
import { readOpenSessions, readSession, type Viewer } from "../../platform/sessions.ts";

/** How long a Stop waits at most for the database to say whose session it is. */
const STOP_WAITS_MS = 100;

const ENDED_REMEMBERED_MS = 60_000;
const MAX_ENDED = 10_000;

/** Whose session it is or, if the database does not answer in time, whose it was. */
export interface ReadForStop {
  readonly viewer: Viewer | null;
  /** The database's own answer, if it is still pending: everything but a Stop must wait for it. */
  readonly confirmed: Promise<Viewer | null> | null;
}

/** Reads sessions, and remembers the open ones for the one command that must not wait for the database: Stop. */
export class SessionReader implements Service {
  readonly #deps: Pick<Dependencies, "db" | "clock">;
  /** A possible Stop does not queue for a connection. */
  readonly #reservedDb: Db;
  /** Ended sessions by id, with the monotonic time until which they are remembered. */
  readonly #ended = new Map<string, number>();
  readonly #open: CachedSnapshot<Map<string, Viewer>>;

  constructor(deps: Pick<Dependencies, "db" | "reservedDb" | "clock" | "log">) {
    this.#deps = deps;
    const db = deps.reservedDb ?? deps.db;
    this.#reservedDb = db;
    this.#open = new CachedSnapshot(deps, () => readOpenSessions(db, deps.clock.now()));
  }

  async start(): Promise<void> {
    await this.#open.start();
  }

  async stop(): Promise<void> {
    await this.#open.stop();
  }

  /** Null if the session has ended. Queried every time, so that its end takes effect immediately. */
  async read(sessionId: string, db = this.#deps.db): Promise<Viewer | null> {
    const viewer = await readSession(db, sessionId, this.#deps.clock.now());
    if (viewer === null) this.rememberEnded(sessionId);
    else this.#open.value?.set(sessionId, viewer);
    return viewer;
  }

  /** Whether it was found ended a moment ago: it stays so, and a flood with its token costs no queries. */
  hasEnded(sessionId: string): boolean {
    return (this.#ended.get(sessionId) ?? 0) > this.#deps.clock.monotonicMs();
  }

  /** Whose it was a moment ago, without a query if that is remembered: for calls that are refused anyway. */
  async ownerOf(sessionId: string): Promise<Viewer | null> {
    return this.#open.value?.get(sessionId) ?? (await this.read(sessionId));
  }

  /** For a session that this server has ended or found ended. */
  rememberEnded(sessionId: string): void {
    this.#open.value?.delete(sessionId);
    if (this.#ended.size >= MAX_ENDED) this.#ended.clear();
    this.#ended.set(sessionId, this.#deps.clock.monotonicMs() + ENDED_REMEMBERED_MS);
  }

  /** Like `read`, but from memory if the database is unreachable or slow. */
  async readForStop(sessionId: string): Promise<ReadForStop> {
    const confirmed = this.read(sessionId, this.#reservedDb);
    const read = confirmed.then((viewer) => ({ viewer, confirmed: null }));
    const answer = await withTimeout(this.#deps.clock, read, STOP_WAITS_MS).catch((error: unknown) => {
      if (!isDatabaseUnreachable(error)) throw error;
      return null;
    });
    if (answer !== null) return answer;
    const remembered = this.#open.value?.get(sessionId);
    if (remembered === undefined) return { viewer: await confirmed, confirmed: null };
    // A Stop never awaits it, so its failure must not go unhandled.
    confirmed.catch(() => {});
    return { viewer: remembered, confirmed };
  }
}
