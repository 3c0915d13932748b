import { LIVE_HEARTBEAT_MS } from "@suncrew/contract/live/live.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import type { Readable } from "node:stream";
import type { ChangeSignal } from "../../platform/change-signal.ts";
import type { Cancel } from "../../platform/clock.ts";
import type { Dependencies, Service } from "../../platform/dependencies.ts";
import { conflict, HttpError, notSignedIn } from "../../platform/http/http-error.ts";
import { KeyedMutex } from "../../platform/keyed-mutex.ts";
import { Semaphore } from "../../platform/semaphore.ts";
import { readChangedSessions, type Scope, scopeOf, type Viewer } from "../../platform/sessions.ts";
import { inSlices } from "../../platform/in-slices.ts";
import { seenAt, type SiteOwner } from "../sites/public.ts";
import { type Line, LiveStreams, type Message, messageOf, textOf } from "./live-streams.ts";
import { type LiveUpdate, readSnapshot, readUpdate } from "./live.queries.ts";
import {
  type ChangedIds,
  type ChangedRow,
  ChangeReader,
  idsOf,
  readOwnedScopes,
  readReached,
  readSiteOwners,
} from "./live.repository.ts";
import { scopeMarkOf, sitesOf, snapshotFor, updateFor } from "./update-for.ts";

/** Changes are read and sent at once, but only this often: what arrives in between is collected. */
const FLUSH_MS = 100;
/**
 * How often sessions and scopes are checked, so that a stream ends within 2 s of its right even if the notification of
 * a changed scope is lost; with the notification it ends immediately.
 */
const RIGHTS_CHECK_MS = 1_000;
/** Nothing new is sent on streams whose sessions were last checked longer ago than this. */
const RIGHTS_HOLD_MS = 1_500;
/**
 * Snapshots are large, so only this many are read at a time: after a restart every console requests one, and updates of
 * open streams need connections and time as well.
 */
const SNAPSHOTS_AT_ONCE = 2;
/**
 * When viewers of more scopes than this wait for a snapshot, everything is read once and divided among all of them: with
 * 1,000 sites of 100 partners that takes as long as eight partners' own.
 */
const SCOPES_READ_ALONE = 8;

/**
 * How long after a site has changed each report of its robots carries it: a list of sites that a client requested
 * before the change may arrive after it. Longer than robots at rest take from one report to the next.
 */
const SITE_REPEATED_MS = 45_000;

const NO_LINE: Line = { untaken: () => 0, cut: () => {} };

/** Sends changes of rows on the open live streams of this server, each scoped to its user. */
export class LiveFeed implements Service {
  readonly #deps: Dependencies;
  readonly #changes: ChangeSignal;
  readonly #reader: ChangeReader;
  readonly streams: LiveStreams;
  readonly #openings = new Set<LiveOpening>();
  #cancels: Cancel[] = [];
  /** While changes are collected, since a flush. */
  #cancelFlush: Cancel | null = null;
  #isFlushDue = false;
  /** What has changed since each snapshot in progress began to be read. */
  readonly #beginning = new Set<ChangedRow[]>();
  /** Pending snapshots by scope, which later requests join. */
  readonly #readings = new Map<string, SnapshotReading>();
  readonly #snapshots = new Semaphore(SNAPSHOTS_AT_ONCE);
  /** Sites as every open stream has been sent them, and since when. */
  readonly #sentSites = new Map<number, { readonly text: string; readonly sinceMs: number }>();
  /** When the last successful check of sessions began. */
  #sessionsSeenMs = Number.NEGATIVE_INFINITY;
  #ended = false;
  /**
   * Flushes, and streams joining them, are serialized under `feed`, so that no stream gets an older value after a newer
   * one. Checks of `sessions` and `scopes` wait for none of these, nor for each other.
   */
  readonly #turns = new KeyedMutex();

  constructor(deps: Dependencies, changes: ChangeSignal) {
    this.#deps = deps;
    this.#changes = changes;
    this.#reader = new ChangeReader(deps.db);
    this.streams = new LiveStreams(deps.clock);
  }

  async start(): Promise<void> {
    await this.#reader.begin();
    const { clock } = this.#deps;
    this.#cancels = [
      this.#changes.onWake(() => this.#planFlush()),
      this.#changes.onScope(() => this.#planScopeLook()),
      clock.every(RIGHTS_CHECK_MS, () => {
        void this.#tried(this.#lookAtSessions());
        this.#planScopeLook();
      }),
      clock.every(LIVE_HEARTBEAT_MS, () => void this.#tried(this.streams.beat())),
    ];
  }

  async stop(): Promise<void> {
    for (const cancel of this.#cancels) cancel();
    this.#cancelFlush?.();
    this.endAll();
    for (const key of ["feed", "sessions", "scopes"]) await this.#turns.run(key, async () => {});
  }

  /** Ends every stream; browsers reconnect once a server is available. */
  endAll(): void {
    this.#ended = true;
    for (const opening of this.#openings) opening.refuse(stopping());
    for (const stream of this.streams.all()) this.streams.end(stream, "shutdown");
  }

  /**
   * Opens a stream that begins with a snapshot of what the viewer may see. Rejects if the database fails, the session
   * ends in the meantime (401), or the client has `disconnected`. The snapshot is read alongside others' updates; what
   * changes in the meantime is read again and follows it.
   */
  async open(viewer: Viewer, disconnected: AbortSignal, line: Line = NO_LINE): Promise<Readable> {
    if (this.#ended) throw stopping();
    disconnected.throwIfAborted();
    const opening = new LiveOpening(viewer, disconnected, line);
    this.#openings.add(opening);
    this.#readingFor(viewer).join(opening);
    try {
      return await opening.begun;
    } finally {
      this.#openings.delete(opening);
    }
  }

  #readingFor(viewer: Viewer): SnapshotReading {
    const scope = scopeOf(viewer);
    const waiting = this.#readings.get(scope);
    if (waiting !== undefined) return waiting;
    const reading = new SnapshotReading(viewer);
    this.#readings.set(scope, reading);
    const leave = () => {
      if (this.#readings.get(scope) === reading) this.#readings.delete(scope);
    };
    reading.unwanted.addEventListener("abort", leave, { once: true });
    const work = async () => {
      // Another one that began before has been read for it, too.
      if (this.#readings.get(scope) !== reading) return;
      const begun = this.#readings.size > SCOPES_READ_ALONE ? [...this.#readings.values()] : [reading];
      for (const { viewer: of } of begun) this.#readings.delete(scopeOf(of));
      await this.#read(begun).catch((error: unknown) => refuse(begun, error));
    };
    this.#snapshots.run(reading.unwanted, work).catch((error: unknown) => refuse([reading], error));
    return reading;
  }

  async #read(readings: readonly SnapshotReading[]): Promise<void> {
    const { db, clock } = this.#deps;
    const missed: ChangedRow[] = [];
    this.#beginning.add(missed);
    const [{ viewer } = { viewer: EVERYTHING }] = readings.length === 1 ? readings : [];
    try {
      const owned = await readOwnedScopes(db);
      throwIfUnwanted(readings);
      const reached = await readReached(db);
      const rows = await readSnapshot(viewer, db, seenAt(this.#deps));
      throwIfUnwanted(readings);
      const owners =
        viewer === EVERYTHING
          ? await readSiteOwners(
              db,
              rows.sites.map(({ id }) => id),
            )
          : null;
      const at = clock.now().toISOString();
      const snapshots = new Map<SnapshotReading, Message>();
      for (const reading of readings) {
        const shown = snapshotFor(reading.viewer, rows, owners);
        snapshots.set(reading, await messageOf({ type: "snapshot", at, reached, ...shown }));
      }
      await this.#turns.run("feed", async () => {
        throwIfUnwanted(readings);
        const viewers = readings.map((reading) => reading.viewer);
        const later =
          missed.length === 0 ? null : await this.#messagesFor(viewers, await this.#readUpdate(idsOf(missed)));
        this.#beginning.delete(missed);
        // No stream begins if its session ended while it waited: this check starts after everything it waited for.
        await this.#lookAtSessions();
        // These streams know what the snapshot shows, which may not have been sent to anybody.
        this.#sentSites.clear();
        for (const [{ viewer: of, openings }, snapshot] of snapshots) {
          const begun = { scopeMark: scopeMarkOf(of, owned), snapshot, later: later?.get(scopeOf(of)) ?? null };
          await inSlices(openings, (opening) => {
            if (opening.signal.aborted) return;
            opening.begin(this.streams.begin({ viewer: opening.viewer, line: opening.line, ...begun }));
          });
        }
      });
    } finally {
      this.#beginning.delete(missed);
    }
  }

  #planFlush(): void {
    this.#isFlushDue = this.#cancelFlush !== null;
    if (this.#isFlushDue) return;
    const { clock } = this.#deps;
    void this.#tried(this.#turns.runShared("feed", () => this.#flush()));
    this.#cancelFlush = clock.after(FLUSH_MS, () => {
      this.#cancelFlush = null;
      if (this.#isFlushDue) this.#planFlush();
    });
  }

  async #flush(): Promise<void> {
    const isWanted = this.streams.count + this.#beginning.size > 0;
    await this.#reader.next(isWanted ? (rows) => this.#publish(rows) : null);
  }

  /** Sends changes to every scope, or to none if they cannot be read: the next poll finds them again. */
  async #publish(rows: readonly ChangedRow[]): Promise<void> {
    for (const missed of this.#beginning) missed.push(...rows);
    const viewers = [...this.streams.byScope().values()].flatMap(([first]) => first?.viewer ?? []);
    const update = await this.#readUpdate(idsOf(rows));
    // What was written itself is sent whatever it says: somebody may wait until the stream has come that far.
    const written = new Set(rows.flatMap(({ kind, id }) => (kind === "site" ? Number(id) : [])));
    const sites = update.sites.filter((site) => written.has(site.id) || this.#isNews(site));
    const messages = await this.#messagesFor(viewers, { ...update, sites });
    // Rejects if the database took too long, or can no longer say which sessions have ended.
    const { clock } = this.#deps;
    if (clock.monotonicMs() - this.#sessionsSeenMs > RIGHTS_HOLD_MS) await this.#lookAtSessions();
    await this.streams.publish(messages);
    for (const site of sites) this.#noteSent(site);
  }

  /** Most reports of a robot change nothing of its site. */
  #isNews(site: Site): boolean {
    const sent = this.#sentSites.get(site.id);
    return sent?.text !== textOf(site) || this.#deps.clock.monotonicMs() - sent.sinceMs < SITE_REPEATED_MS;
  }

  #noteSent(site: Site): void {
    const text = textOf(site);
    if (this.#sentSites.get(site.id)?.text === text) return;
    this.#sentSites.set(site.id, { text, sinceMs: this.#deps.clock.monotonicMs() });
  }

  /** These changes as a Super Admin sees them, who sees everything; to be divided among the scopes. */
  async #readUpdate(changed: ChangedIds): Promise<ReadUpdate> {
    const { db, clock } = this.#deps;
    const at = clock.now().toISOString();
    const update = await readUpdate(EVERYTHING, db, seenAt(this.#deps), changed);
    return { ...update, at, reached: changed.reached, owners: await readSiteOwners(db, sitesOf(update)) };
  }

  /** The messages about these changes, by scope, for those that they affect. */
  async #messagesFor(viewers: readonly Viewer[], read: ReadUpdate): Promise<Map<string, Message>> {
    const { at, reached, owners, ...update } = read;
    const messages = new Map<string, Message>();
    for (const viewer of viewers) {
      const own = updateFor(viewer, update, owners);
      const isAffected = Object.values(own).some((rows) => rows.length > 0);
      if (isAffected) messages.set(scopeOf(viewer), await messageOf({ type: "update", at, reached, ...own }));
    }
    return messages;
  }

  #planScopeLook(): void {
    void this.#tried(this.#turns.runShared("scopes", () => this.#endOfChangedScope()));
  }

  /** Resolves at the end of a check that begins after this call. */
  #lookAtSessions(): Promise<void> {
    return this.#turns.runShared("sessions", () => this.#endOfOverSessions());
  }

  async #endOfOverSessions(): Promise<void> {
    const { db, clock } = this.#deps;
    const beganMs = clock.monotonicMs();
    const openings = [...this.#openings];
    const streams = this.streams.all();
    const viewers = [...openings, ...streams].map(({ viewer }) => viewer);
    const changed = await readChangedSessions(db, clock.now(), viewers);
    for (const opening of openings) {
      const end = endOf(opening.viewer, changed);
      if (end === "session") opening.refuse(notSignedIn());
      if (end === "scope") opening.refuse(conflict("SCOPE_CHANGED", "What you may see has changed. Try again."));
    }
    for (const stream of streams) {
      const end = endOf(stream.viewer, changed);
      if (end !== null) this.streams.end(stream, end);
    }
    this.#sessionsSeenMs = beganMs;
  }

  async #endOfChangedScope(): Promise<void> {
    if (this.streams.count === 0) return;
    const owned = await readOwnedScopes(this.#deps.db);
    for (const streams of this.streams.byScope().values()) {
      const [first] = streams;
      const mark = first && scopeMarkOf(first.viewer, owned);
      for (const stream of streams) if (stream.scopeMark !== mark) this.streams.end(stream, "scope");
    }
  }

  /** The feed's own work: a failure is logged, and the next poll makes up for it. */
  async #tried(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.#deps.log.warn({ error }, "failed to read changes for the live streams; retrying");
    }
  }
}

interface ReadUpdate extends LiveUpdate {
  readonly at: string;
  readonly reached: string;
  readonly owners: ReadonlyMap<number, SiteOwner>;
}

/** Of no person: what it sees goes to nobody before it was divided among the scopes. */
const EVERYTHING: Viewer = { userId: 0, name: "", email: "", role: "SUPER_ADMIN", partnerId: null, sessionId: "" };

function refuse(readings: readonly SnapshotReading[], error: unknown): void {
  for (const { openings } of readings) for (const opening of openings) opening.refuse(error);
}

function throwIfUnwanted(readings: readonly SnapshotReading[]): void {
  if (readings.every(({ unwanted }) => unwanted.aborted)) readings[0]?.unwanted.throwIfAborted();
}

const stopping = () => new HttpError(503, "SERVER_STOPPING", "The server is stopping. Please try again.");

/** Whether the session is over, or continues with another role or partner. */
function endOf(viewer: Viewer, changed: ReadonlyMap<string, Scope | null>): "session" | "scope" | null {
  const now = changed.get(viewer.sessionId);
  if (now === null) return "session";
  return now === undefined || scopeOf({ ...viewer, ...now }) === scopeOf(viewer) ? null : "scope";
}

/** A requested stream that has not begun yet. */
class LiveOpening {
  readonly viewer: Viewer;
  readonly line: Line;
  /** Aborted when the client has disconnected, or with the reason for a refusal. */
  readonly signal: AbortSignal;
  readonly #begun = Promise.withResolvers<Readable>();
  readonly #refused = new AbortController();

  constructor(viewer: Viewer, disconnected: AbortSignal, line: Line) {
    this.viewer = viewer;
    this.line = line;
    this.signal = AbortSignal.any([disconnected, this.#refused.signal]);
    const leave = () => this.#begun.reject(this.signal.reason);
    if (this.signal.aborted) leave();
    else this.signal.addEventListener("abort", leave, { once: true });
  }

  /** Resolves with the stream; rejects immediately if refused or the client has disconnected. */
  get begun(): Promise<Readable> {
    return this.#begun.promise;
  }

  begin(stream: Readable): void {
    this.#begun.resolve(stream);
  }

  refuse(error: unknown): void {
    this.#refused.abort(error);
  }
}

/** One snapshot read, shared by all clients of a scope that requested it before it began. */
class SnapshotReading {
  readonly viewer: Viewer;
  readonly #openings = new Set<LiveOpening>();
  readonly #unwanted = new AbortController();
  /** Aborted once no client waits for it. */
  readonly unwanted = this.#unwanted.signal;

  constructor(viewer: Viewer) {
    this.viewer = viewer;
  }

  get openings(): readonly LiveOpening[] {
    return [...this.#openings];
  }

  join(opening: LiveOpening): void {
    this.#openings.add(opening);
    const leave = () => {
      this.#openings.delete(opening);
      if (this.#openings.size === 0) this.#unwanted.abort(opening.signal.reason);
    };
    opening.signal.addEventListener("abort", leave, { once: true });
  }
}
