import { Readable } from "node:stream";
import { LIVE_HEARTBEAT_MS, type LiveEvent } from "@suncrew/contract/live/live.ts";
import { AtMost } from "../../platform/at-most.ts";
import type { ChangeSignal } from "../../platform/change-signal.ts";
import type { Cancel } from "../../platform/clock.ts";
import { InTurn } from "../../platform/in-turn.ts";
import type { Parts, Service } from "../../platform/parts.ts";
import { findOpenSessions } from "../../platform/sessions.ts";
import type { Viewer } from "../../platform/viewer.ts";
import { seenAt } from "../sites/public.ts";
import { type ChangedIds, ChangeReader, mergeChanges } from "./change-reader.ts";
import { readScopeMark, readSnapshot, readUpdate } from "./live.queries.ts";

/** Changes are collected for this long before they are read and sent. */
const FLUSH_MS = 100;
/**
 * Sessions and scopes are looked at this often, so that a stream ends within 2 s of its right also where the notice of
 * a changed scope is lost; with the notice it ends at once.
 */
const RIGHTS_CHECK_MS = 1_000;
/**
 * Snapshots are large and read so many at a time: after a restart every console asks for one, and updates of those that
 * are open need connections and time beside them.
 */
const SNAPSHOTS_AT_ONCE = 2;
/** A reader that lets this much pile up is cut off; it connects again and gets a snapshot. */
const MAX_BACKLOG_BYTES = 8 * 1_048_576;

interface Stream {
  readonly viewer: Viewer;
  readonly scope: string;
  /** What the user could see as the stream began; another mark ends it. */
  readonly scopeMark: string;
  readonly out: Readable;
}

function scopeOf(viewer: Viewer): string {
  return `${viewer.role}:${viewer.partnerId ?? ""}`;
}

/** Carries changes of rows to the open live streams of this server, each scoped to its user. */
export class LiveFeed implements Service {
  readonly #parts: Parts;
  readonly #changes: ChangeSignal;
  readonly #reader: ChangeReader;
  readonly #streams = new Set<Stream>();
  #cancels: Cancel[] = [];
  #cancelFlush: Cancel | null = null;
  /** A look at rights waits for its turn: what changes until then is seen by it. */
  #isLookPlanned = false;
  /** Streams whose snapshot is being read, each with what has changed since that began. */
  readonly #beginning = new Set<ChangedIds[]>();
  readonly #snapshots = new AtMost(SNAPSHOTS_AT_ONCE);
  #ended = false;
  /** Flushes, and streams that join them, take turns, so that none gets an older value after a newer one. */
  readonly #turns = new InTurn();

  constructor(parts: Parts, changes: ChangeSignal) {
    this.#parts = parts;
    this.#changes = changes;
    this.#reader = new ChangeReader(parts.db);
  }

  get streamCount(): number {
    return this.#streams.size;
  }

  async start(): Promise<void> {
    await this.#reader.begin();
    const { clock } = this.#parts;
    this.#cancels = [
      this.#changes.onWake(() => this.#planFlush()),
      this.#changes.onScope(() => this.#planRightsCheck()),
      clock.every(RIGHTS_CHECK_MS, () => this.#planRightsCheck()),
      clock.every(LIVE_HEARTBEAT_MS, () => this.#beat()),
    ];
  }

  async stop(): Promise<void> {
    for (const cancel of this.#cancels) cancel();
    this.#cancelFlush?.();
    this.endAll();
    await this.#inTurn(async () => {});
  }

  /** Ends every stream; browsers connect again when a server is there. */
  endAll(): void {
    this.#ended = true;
    for (const stream of this.#streams) this.#end(stream, "shutdown");
  }

  /**
   * Opens a stream that begins with a snapshot of what the viewer may see. Rejects where the database fails, or where
   * `gone` says that nobody waits for it any more. The snapshot is read beside the updates of others; what changes
   * meanwhile follows it, read anew.
   */
  open(viewer: Viewer, gone: AbortSignal): Promise<Readable> {
    return this.#snapshots.run(gone, async () => {
      const { db, clock } = this.#parts;
      const missed: ChangedIds[] = [];
      this.#beginning.add(missed);
      try {
        const scopeMark = await readScopeMark(viewer, db);
        const { robots, sites } = await readSnapshot(viewer, db, seenAt(this.#parts));
        const at = clock.now().toISOString();
        return await this.#turns.run("feed", async () => {
          const changes = mergeChanges(missed);
          const later = missed.length > 0 ? await readUpdate(viewer, db, seenAt(this.#parts), changes) : null;
          this.#beginning.delete(missed);
          const out = new Readable({ read() {} });
          const stream: Stream = { viewer, scope: scopeOf(viewer), scopeMark, out };
          out.once("close", () => this.#streams.delete(stream));
          this.#streams.add(stream);
          this.#send(stream, { type: "snapshot", at, robots, sites });
          if (later) this.#send(stream, { type: "update", at: clock.now().toISOString(), ...later });
          if (this.#ended) this.#end(stream, "shutdown");
          return out;
        });
      } finally {
        this.#beginning.delete(missed);
      }
    });
  }

  #planRightsCheck(): void {
    if (this.#isLookPlanned) return;
    this.#isLookPlanned = true;
    void this.#inTurn(async () => {
      this.#isLookPlanned = false;
      await this.#checkRights();
    });
  }

  #planFlush(): void {
    if (this.#cancelFlush !== null) return;
    this.#cancelFlush = this.#parts.clock.after(FLUSH_MS, () => {
      this.#cancelFlush = null;
      void this.#inTurn(() => this.#flush());
    });
  }

  async #flush(): Promise<void> {
    const isWanted = this.#streams.size + this.#beginning.size > 0;
    await this.#reader.next(isWanted ? (changed) => this.#tell(changed) : null);
  }

  /** Sends what changed to all, or to nobody where it cannot be read: then the next look finds it again. */
  async #tell(changed: ChangedIds): Promise<void> {
    const at = this.#parts.clock.now().toISOString();
    const told: { readonly streams: readonly Stream[]; readonly event: LiveEvent }[] = [];
    for (const missed of this.#beginning) missed.push(changed);
    for (const streams of this.#byScope().values()) {
      const [first] = streams;
      if (first === undefined) continue;
      const update = await readUpdate(first.viewer, this.#parts.db, seenAt(this.#parts), changed);
      const lists: readonly (readonly unknown[])[] = Object.values(update);
      if (lists.some((rows) => rows.length > 0)) told.push({ streams, event: { type: "update", at, ...update } });
    }
    for (const { streams, event } of told) for (const stream of streams) this.#send(stream, event);
  }

  async #checkRights(): Promise<void> {
    if (this.#streams.size === 0) return;
    const { db, clock } = this.#parts;
    const open = await findOpenSessions(
      db,
      [...this.#streams].map((stream) => stream.viewer.sessionId),
      clock.now(),
    );
    for (const stream of this.#streams) {
      if (!open.has(stream.viewer.sessionId)) this.#end(stream, "session");
    }
    for (const streams of this.#byScope().values()) {
      const [first] = streams;
      if (first === undefined) continue;
      const mark = await readScopeMark(first.viewer, db);
      for (const stream of streams) if (stream.scopeMark !== mark) this.#end(stream, "scope");
    }
  }

  #byScope(): Map<string, Stream[]> {
    return Map.groupBy(this.#streams, (stream) => stream.scope);
  }

  #send(stream: Stream, event: LiveEvent): void {
    if (stream.out.readableLength > MAX_BACKLOG_BYTES) {
      stream.out.destroy();
      return;
    }
    stream.out.push(`data: ${JSON.stringify(event)}\n\n`);
  }

  #end(stream: Stream, reason: "session" | "scope" | "shutdown"): void {
    if (!this.#streams.delete(stream)) return;
    this.#send(stream, { type: "end", reason });
    stream.out.push(null);
  }

  #beat(): void {
    for (const stream of this.#streams) stream.out.push(": still here\n\n");
  }

  /** Work of the feed itself: a failure is logged, and the next look makes up for it. */
  async #inTurn(work: () => Promise<void>): Promise<void> {
    try {
      await this.#turns.run("feed", work);
    } catch (error) {
      this.#parts.log.warn({ error }, "reading changes for the live streams failed; trying again");
    }
  }
}
