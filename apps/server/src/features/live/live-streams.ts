import type { LiveEvent } from "@suncrew/contract/live/live.ts";
import { Readable } from "node:stream";
import type { Clock } from "../../platform/clock.ts";
import { inSlices } from "../../platform/in-slices.ts";
import { scopeOf, type Viewer } from "../../platform/sessions.ts";

/** How many bytes besides its snapshot a reader may be behind; one further behind is cut off at the next message. */
const MAX_UNREAD_BYTES = 1_048_576;
/**
 * How many bytes all streams of a server may hold, counting shared events once. Above this, those that hold most are
 * cut off: enough for some 25 snapshots of 20,000 robots, each on its way to a slow reader.
 */
const MAX_HELD_BYTES = 256 * 1_048_576;
/** How much a connection is given at a time; only what it has of one piece is not counted as held. */
const PIECE_BYTES = 32_768;

/** Encoded once for all streams that carry it. */
export interface Message {
  /** Each in memory of its own, so that a waiting one does not retain the others. */
  readonly pieces: readonly Buffer[];
  readonly length: number;
}

/** Rows are the same objects for every scope that sees them, so each is encoded once. */
const encoded = new WeakMap<object, string>();

export function textOf(row: unknown): string {
  if (typeof row !== "object" || row === null) return JSON.stringify(row);
  let text = encoded.get(row);
  if (text === undefined) encoded.set(row, (text = JSON.stringify(row)));
  return text;
}

export async function messageOf(event: LiveEvent): Promise<Message> {
  const fields: string[] = [];
  for (const [name, value] of Object.entries(event)) {
    const rows: string[] = [];
    if (Array.isArray(value)) await inSlices<unknown>(value, (row) => void rows.push(textOf(row)));
    fields.push(`"${name}":${Array.isArray(value) ? `[${rows.join(",")}]` : JSON.stringify(value)}`);
  }
  return messageOfText(`data: {${fields.join(",")}}\n\n`);
}

function messageOfText(text: string): Message {
  const bytes = Buffer.from(text);
  const { length } = bytes;
  if (length <= PIECE_BYTES) return { pieces: [bytes], length };
  const pieces: Buffer[] = [];
  for (let at = 0; at < length; at += PIECE_BYTES) pieces.push(Buffer.from(bytes.subarray(at, at + PIECE_BYTES)));
  return { pieces, length };
}

/** What waits in the outlets of a server: a message counts once, however many hold it. */
class HeldMessages {
  readonly #holders = new Map<Message, number>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  hold(message: Message): void {
    const holders = this.#holders.get(message) ?? 0;
    if (holders === 0) this.#bytes += message.length;
    this.#holders.set(message, holders + 1);
  }

  release(message: Message): void {
    const holders = this.#holders.get(message) ?? 0;
    if (holders > 1) return void this.#holders.set(message, holders - 1);
    if (this.#holders.delete(message)) this.#bytes -= message.length;
  }
}

export interface Line {
  /** Bytes given to it that the network has not accepted. */
  untaken(): number;
  /** Ends it immediately, discarding what it still holds. */
  cut(): void;
}

/** Buffers the events of one stream until its reader accepts them; passes on no more than is accepted. */
class LiveOutlet {
  readonly out: Readable;
  readonly #held: HeldMessages;
  readonly #line: Line;
  #waiting: Message[] = [];
  /** How many pieces of the first waiting message are in transit. */
  #piecesOut = 0;
  #isWanted = false;
  #isEnding = false;
  /** All bytes ever sent, and those of the snapshot. */
  #sent = 0;
  #snapshotLength = 0;
  #waitingBytes = 0;
  /** What had been accepted at the previous check; null if everything had. */
  #takenBefore: number | null = null;

  constructor(held: HeldMessages, line: Line) {
    this.#held = held;
    this.#line = line;
    this.out = new Readable({
      highWaterMark: 1,
      read: () => {
        this.#isWanted = true;
        this.#handOn();
      },
    });
    this.out.once("close", () => this.#drop(0));
  }

  /** Bytes given to the connection and not accepted. */
  get inTransit(): number {
    return this.out.readableLength + this.#line.untaken();
  }

  /** Bytes not accepted in total. */
  get untaken(): number {
    return this.#waitingBytes + this.inTransit;
  }

  /** Bytes not accepted besides the snapshot, which is sent first. */
  get unread(): number {
    return Math.min(this.untaken, this.#sent - this.#snapshotLength);
  }

  begin(snapshot: Message): void {
    this.#snapshotLength = snapshot.length;
    this.send(snapshot);
  }

  send(message: Message): void {
    if (this.out.destroyed || this.#isEnding) return;
    this.#waiting.push(message);
    this.#held.hold(message);
    this.#waitingBytes += message.length;
    this.#sent += message.length;
    if (this.#isWanted) this.#handOn();
  }

  /** Ends with this event; waiting messages that have not begun to go out are dropped. */
  end(last: Message): void {
    this.#drop(this.#piecesOut > 0 ? 1 : 0);
    this.send(last);
    this.#isEnding = true;
    if (this.#isWanted) this.#handOn();
  }

  cut(): void {
    this.#drop(0);
    this.out.destroy();
    this.#line.cut();
  }

  /** Whether nothing was accepted since the last call although something was already waiting then. */
  isStalled(): boolean {
    const untaken = this.untaken;
    const taken = this.#sent - untaken;
    const isStalled = untaken > 0 && taken === this.#takenBefore;
    this.#takenBefore = untaken > 0 ? taken : null;
    return isStalled;
  }

  #handOn(): void {
    while (this.#isWanted) {
      const [message] = this.#waiting;
      const piece = message?.pieces[this.#piecesOut];
      if (message === undefined || piece === undefined) break;
      this.#piecesOut += 1;
      this.#waitingBytes -= piece.length;
      if (this.#piecesOut === message.pieces.length) {
        this.#piecesOut = 0;
        this.#waiting.shift();
        this.#held.release(message);
      }
      this.#isWanted = this.out.push(piece);
    }
    if (this.#isEnding && this.#isWanted && this.#waiting.length === 0) {
      this.#isWanted = false;
      this.out.push(null);
    }
  }

  #drop(keep: number): void {
    for (const message of this.#waiting.splice(keep)) {
      this.#held.release(message);
      this.#waitingBytes -= message.length;
      this.#sent -= message.length;
    }
    if (keep > 0) return;
    this.#waitingBytes = 0;
    this.#piecesOut = 0;
  }
}

/** How long an ending stream may still be read; then its connection is cut, so that nothing is read later. */
const END_GRACE_MS = 500;

const HEARTBEAT = messageOfText(": still here\n\n");

type EndReason = Extract<LiveEvent, { type: "end" }>["reason"];
const endMessage = (reason: EndReason) =>
  messageOfText(`data: ${JSON.stringify({ type: "end", reason } satisfies LiveEvent)}\n\n`);
const END_MESSAGES = { session: endMessage("session"), scope: endMessage("scope"), shutdown: endMessage("shutdown") };

interface LiveStream {
  readonly viewer: Viewer;
  readonly scope: string;
  /** What the user could see when the stream began; another mark ends it. */
  readonly scopeMark: string;
  readonly outlet: LiveOutlet;
}

/** The open streams of this server: sends to them, and keeps each within its limits. */
export class LiveStreams {
  readonly #clock: Pick<Clock, "after">;
  /** The open ones. */
  readonly #byScope = new Map<string, Set<LiveStream>>();
  readonly #held = new HeldMessages();
  #cutCount = 0;

  constructor(clock: Pick<Clock, "after">) {
    this.#clock = clock;
  }

  get count(): number {
    let count = 0;
    for (const streams of this.#byScope.values()) count += streams.size;
    return count;
  }

  /** Streams that were cut off because their readers did not keep up. */
  get cutCount(): number {
    return this.#cutCount;
  }

  /** Bytes waiting for readers. */
  get heldBytes(): number {
    let inTransitBytes = 0;
    for (const { outlet } of this.all()) inTransitBytes += outlet.inTransit;
    return this.#held.bytes + inTransitBytes;
  }

  all(): LiveStream[] {
    return [...this.#byScope.values()].flatMap((streams) => [...streams]);
  }

  /** No scope is without a stream. */
  byScope(): ReadonlyMap<string, ReadonlySet<LiveStream>> {
    return this.#byScope;
  }

  begin(of: { viewer: Viewer; line: Line; scopeMark: string; snapshot: Message; later: Message | null }): Readable {
    const { viewer, line, scopeMark, snapshot, later } = of;
    const outlet = new LiveOutlet(this.#held, line);
    const stream: LiveStream = { viewer, scope: scopeOf(viewer), scopeMark, outlet };
    outlet.out.once("close", () => this.#leave(stream));
    this.#byScope.set(stream.scope, (this.#byScope.get(stream.scope) ?? new Set()).add(stream));
    outlet.begin(snapshot);
    if (later !== null) outlet.send(later);
    return outlet.out;
  }

  /** Sends each scope its message. Streams that have ended get nothing; those with too large a backlog are cut off. */
  async publish(messages: ReadonlyMap<string, Message>): Promise<void> {
    const streams = [...messages.keys()].flatMap((scope) => [...(this.#byScope.get(scope) ?? [])]);
    await this.#sendTo(streams, ({ scope }) => messages.get(scope));
  }

  /** Sends a heartbeat, and cuts off readers that have not accepted a byte since the previous one. */
  async beat(): Promise<void> {
    await this.#sendTo(this.all(), (stream) => {
      if (stream.outlet.isStalled()) this.#cut(stream);
      return HEARTBEAT;
    });
  }

  end(stream: LiveStream, reason: EndReason): void {
    if (!this.#leave(stream)) return;
    stream.outlet.end(END_MESSAGES[reason]);
    this.#clock.after(END_GRACE_MS, () => {
      if (stream.outlet.untaken > 0) stream.outlet.cut();
    });
  }

  /** False if it had left. */
  #leave(stream: LiveStream): boolean {
    const ofScope = this.#byScope.get(stream.scope);
    if (ofScope?.delete(stream) !== true) return false;
    if (ofScope.size === 0) this.#byScope.delete(stream.scope);
    return true;
  }

  async #sendTo(
    streams: readonly LiveStream[],
    messageFor: (stream: LiveStream) => Message | undefined,
  ): Promise<void> {
    await inSlices(streams, (stream) => {
      const message = messageFor(stream);
      if (message === undefined || this.#byScope.get(stream.scope)?.has(stream) !== true) return;
      if (stream.outlet.unread > MAX_UNREAD_BYTES) this.#cut(stream);
      else stream.outlet.send(message);
    });
    this.#keepTotal();
  }

  /** Cuts off those that hold most until the total is within its limit. */
  #keepTotal(): void {
    let heldBytes = this.heldBytes;
    if (heldBytes <= MAX_HELD_BYTES) return;
    const streams = this.all().map((stream) => ({ stream, untaken: stream.outlet.untaken }));
    for (const { stream } of streams.toSorted((one, other) => other.untaken - one.untaken)) {
      if (heldBytes <= MAX_HELD_BYTES) return;
      const before = this.#held.bytes + stream.outlet.inTransit;
      this.#cut(stream);
      heldBytes -= before - this.#held.bytes;
    }
  }

  #cut(stream: LiveStream): void {
    if (!this.#leave(stream)) return;
    this.#cutCount += 1;
    stream.outlet.cut();
  }
}
