import type { Readable } from "node:stream";
import type { LiveEvent } from "@suncrew/contract/live/live.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { scopeOf } from "./live-opening.ts";
import {
  HeldMessages,
  inSlices,
  type Line,
  LiveOutlet,
  MAX_HELD_BYTES,
  MAX_UNREAD_BYTES,
  type Message,
  messageOfText,
} from "./live-outlet.ts";

/** A stream that ends has this long to be read; then its connection is cut, so that nothing is read later. */
const END_GRACE_MS = 500;

const HEARTBEAT = messageOfText(": still here\n\n");

type EndReason = Extract<LiveEvent, { type: "end" }>["reason"];
const lastWords = (reason: EndReason) =>
  messageOfText(`data: ${JSON.stringify({ type: "end", reason } satisfies LiveEvent)}\n\n`);
const LAST_WORDS = { session: lastWords("session"), scope: lastWords("scope"), shutdown: lastWords("shutdown") };

export interface LiveStream {
  readonly viewer: Viewer;
  readonly scope: string;
  /** What the user could see as the stream began; another mark ends it. */
  readonly scopeMark: string;
  readonly outlet: LiveOutlet;
}

/** The open streams of this server: sends to them, and sees to it that none holds more than it may. */
export class LiveStreams {
  readonly #clock: Pick<Clock, "after">;
  readonly #open = new Set<LiveStream>();
  readonly #held = new HeldMessages();
  #cutCount = 0;

  constructor(clock: Pick<Clock, "after">) {
    this.#clock = clock;
  }

  get count(): number {
    return this.#open.size;
  }

  /** Streams that were cut off because their readers did not take what was sent. */
  get cutCount(): number {
    return this.#cutCount;
  }

  /** What waits for readers to take it, in bytes. */
  get heldBytes(): number {
    let onTheirWay = 0;
    for (const { outlet } of this.#open) onTheirWay += outlet.onItsWay;
    return this.#held.bytes + onTheirWay;
  }

  all(): LiveStream[] {
    return [...this.#open];
  }

  byScope(): Map<string, LiveStream[]> {
    return Map.groupBy(this.#open, ({ scope }) => scope);
  }

  begin(of: { viewer: Viewer; line: Line; scopeMark: string; snapshot: Message; later: Message | null }): Readable {
    const { viewer, line, scopeMark, snapshot, later } = of;
    const outlet = new LiveOutlet(this.#held, line);
    const stream: LiveStream = { viewer, scope: scopeOf(viewer), scopeMark, outlet };
    outlet.out.once("close", () => this.#open.delete(stream));
    this.#open.add(stream);
    outlet.begin(snapshot);
    if (later !== null) outlet.send(later);
    return outlet.out;
  }

  /** Sends each scope its message. A stream that ends meanwhile gets nothing, one that lets too much wait is cut off. */
  async tell(messages: ReadonlyMap<string, Message>): Promise<void> {
    await this.#sendAll(({ scope }) => messages.get(scope));
  }

  /** Sends a sign of life, and cuts off who has not taken a byte since the one before. */
  async beat(): Promise<void> {
    await this.#sendAll((stream) => {
      if (stream.outlet.standsStill()) this.#cut(stream);
      return HEARTBEAT;
    });
  }

  end(stream: LiveStream, reason: EndReason): void {
    if (!this.#open.delete(stream)) return;
    stream.outlet.end(LAST_WORDS[reason]);
    this.#clock.after(END_GRACE_MS, () => {
      if (stream.outlet.untaken > 0) stream.outlet.cut();
    });
  }

  async #sendAll(messageFor: (stream: LiveStream) => Message | undefined): Promise<void> {
    await inSlices(this.all(), (stream) => {
      const message = messageFor(stream);
      if (message === undefined || !this.#open.has(stream)) return;
      if (stream.outlet.unread > MAX_UNREAD_BYTES) this.#cut(stream);
      else stream.outlet.send(message);
    });
    this.#keepTotal();
  }

  /** Cuts off those that hold most until all of them together hold no more than they may. */
  #keepTotal(): void {
    let heldBytes = this.heldBytes;
    if (heldBytes <= MAX_HELD_BYTES) return;
    const streams = this.all().map((stream) => ({ stream, untaken: stream.outlet.untaken }));
    for (const { stream } of streams.toSorted((one, other) => other.untaken - one.untaken)) {
      if (heldBytes <= MAX_HELD_BYTES) return;
      const before = this.#held.bytes + stream.outlet.onItsWay;
      this.#cut(stream);
      heldBytes -= before - this.#held.bytes;
    }
  }

  #cut(stream: LiveStream): void {
    if (!this.#open.delete(stream)) return;
    this.#cutCount += 1;
    stream.outlet.cut();
  }
}
