import type { Db } from "../../platform/database/database.ts";
import { isDatabaseUnreachable } from "../../platform/database/database-errors.ts";
import { CachedSnapshot } from "../../platform/cached-snapshot.ts";
import type { Dependencies, Service } from "../../platform/dependencies.ts";
import { readAllSessions, readSession, type Viewer } from "../../platform/sessions.ts";

/** A Stop does not wait longer than this for the database to say who presses it. */
const STOP_WAITS_MS = 100;

const OVER_KNOWN_MS = 60_000;
const OVER_AT_MOST = 10_000;

/** Whose session it is; for a Stop, whose it was when the database last said so. */
export interface ReadForStop {
  readonly viewer: Viewer | null;
  /** What the database says itself, where it has not yet: whatever is no Stop must wait for it. */
  readonly confirmed: Promise<Viewer | null> | null;
}

/** Reads sessions, and remembers those that are open for the one order that must not wait for the database: Stop. */
export class SessionReader implements Service {
  readonly #deps: Pick<Dependencies, "db" | "clock">;
  /** Whoever may be stopping a robot does not wait for the connections of others. */
  readonly #reservedDb: Db;
  /** Sessions that were found to be over, until when that need not be asked again. */
  readonly #over = new Map<string, number>();
  readonly #known: CachedSnapshot<Map<string, Viewer>>;

  constructor(deps: Pick<Dependencies, "db" | "reservedDb" | "clock" | "log">) {
    this.#deps = deps;
    const db = deps.reservedDb ?? deps.db;
    this.#reservedDb = db;
    this.#known = new CachedSnapshot(deps, () => readAllSessions(db, deps.clock.now()));
  }

  async start(): Promise<void> {
    await this.#known.start();
  }

  async stop(): Promise<void> {
    await this.#known.stop();
  }

  /** Null where the session is over. Read anew every time, so that its end shows at once. */
  async read(sessionId: string, db = this.#deps.db): Promise<Viewer | null> {
    const viewer = await readSession(db, sessionId, this.#deps.clock.now());
    if (viewer === null) this.#noteOver(sessionId);
    else this.#known.value?.set(sessionId, viewer);
    return viewer;
  }

  /** True where it was over a moment ago: a session that is over stays so, and a flood of its token costs nothing. */
  isOver(sessionId: string): boolean {
    return (this.#over.get(sessionId) ?? 0) > this.#deps.clock.monotonicMs();
  }

  /** Whose it was a moment ago, without a query where that is remembered: for what is refused anyway. */
  async ownerOf(sessionId: string): Promise<Viewer | null> {
    return this.#known.value?.get(sessionId) ?? (await this.read(sessionId));
  }

  #noteOver(sessionId: string): void {
    this.#known.value?.delete(sessionId);
    if (this.#over.size >= OVER_AT_MOST) this.#over.clear();
    this.#over.set(sessionId, this.#deps.clock.monotonicMs() + OVER_KNOWN_MS);
  }

  /** The same, but from memory where the database is away or takes its time. */
  async readForStop(sessionId: string): Promise<ReadForStop> {
    const confirmed = this.read(sessionId, this.#reservedDb);
    const { promise: waited, resolve } = Promise.withResolvers<"waited">();
    const cancel = this.#deps.clock.after(STOP_WAITS_MS, () => resolve("waited"));
    const answer = await Promise.race([confirmed, waited]).catch((error: unknown) => {
      if (!isDatabaseUnreachable(error)) throw error;
      return "waited" as const;
    });
    cancel();
    if (answer !== "waited") return { viewer: answer, confirmed: null };
    const remembered = this.#known.value?.get(sessionId);
    if (remembered === undefined) return { viewer: await confirmed, confirmed: null };
    // Whoever needs it awaits it; a Stop does not.
    confirmed.catch(() => {});
    return { viewer: remembered, confirmed };
  }
}
