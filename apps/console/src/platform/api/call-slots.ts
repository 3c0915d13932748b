import { NotSentError } from "./errors.ts";

/** How many of the calls that wait for a robot a browser tab may have in progress. */
export interface SlotLimits {
  readonly calls: number;
  /** At most this many of them are status calls. */
  readonly status: number;
}

/**
 * Over HTTP/1.1 browsers allow six connections to a host: with the live stream, two stay free, so that a Stop (which
 * takes no slot) and the other calls never wait.
 */
export const SIX_CONNECTIONS: SlotLimits = { calls: 3, status: 2 };
/** Over HTTP/2 one connection carries them all: servers allow a hundred or more requests on it. */
export const ONE_CONNECTION: SlotLimits = { calls: 60, status: 20 };

/** By the protocol of the latest answer for which the browser reports it; six connections until then. */
let limits = SIX_CONNECTIONS;

function noteProtocols(list: PerformanceObserverEntryList): void {
  for (const entry of list.getEntries()) {
    const isCall = entry instanceof PerformanceResourceTiming && new URL(entry.name).pathname.startsWith("/api/");
    if (isCall && entry.nextHopProtocol !== "") limits = slotLimitsFor(entry.nextHopProtocol);
  }
}

/** `protocol` is its ALPN id, such as `http/1.1`, `h2` or `h3`. */
export function slotLimitsFor(protocol: string): SlotLimits {
  return /^h[23]/.test(protocol) ? ONE_CONNECTION : SIX_CONNECTIONS;
}

new PerformanceObserver(noteProtocols).observe({ type: "resource", buffered: true });

/**
 * A command that gets no slot within this time, in milliseconds, is not sent: a late Start surprises people near the
 * robot.
 */
export const SLOT_WAIT_MS = 1000;

export type SlotKind = "start" | "set" | "status" | "poll";

export interface SlotCall<T> {
  /** "status" is a status call that a person requested, "poll" an automatic one. */
  readonly kind: SlotKind;
  /** The robot or, for a group, the robots it is for; a Stop of any of them cancels a Start that is still waiting. */
  readonly robotIds: readonly number[];
  /** Their site, if a Stop of the whole site should cancel it: even for robots that the page does not know. */
  readonly siteId?: number;
  /** Ends the call wherever it is. */
  readonly signal?: AbortSignal;
  /** Sends it, once it has a slot. */
  readonly send: (signal: AbortSignal) => Promise<T>;
}

/**
 * A polled status call that was aborted in favour of a command. Nothing failed: the robot is polled again at its next
 * turn.
 */
export class PreemptedError extends Error {
  override readonly name = "GaveWayError";
}

interface Entry {
  readonly kind: SlotKind;
  readonly robotIds: readonly number[];
  readonly siteId: number | undefined;
  /** Releases the slot or the place in the queue, once. */
  readonly end: (reason: unknown) => void;
  readonly start: () => void;
}

const isCommand = ({ kind }: Entry) => kind === "start" || kind === "set";
const turns: readonly SlotKind[][] = [["start", "set"], ["status"], ["poll"]];

export class CallSlots {
  readonly #running = new Set<Entry>();
  readonly #waiting = new Set<Entry>();
  readonly #limits: () => SlotLimits;

  constructor(slotLimits: () => SlotLimits = () => limits) {
    this.#limits = slotLimits;
  }

  get running(): number {
    return this.#running.size;
  }

  /**
   * Sends a call when it is its turn: commands first, then what a person requested, then polling.
   * @throws NotSentError if a command got no slot in time, GaveWayError if a polled call was preempted, the
   * signal's reason if it was aborted, otherwise what `send` throws
   */
  run<T>({ kind, robotIds, siteId, signal, send }: SlotCall<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const sending = new AbortController();
      const since = performance.now();
      const isLate = () => performance.now() - since > SLOT_WAIT_MS;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const leave = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
        this.#running.delete(entry);
        this.#waiting.delete(entry);
      };
      const entry: Entry = {
        kind,
        robotIds,
        siteId,
        end: (reason) => {
          leave();
          reject(reason);
          sending.abort(reason);
          this.#next();
        },
        start: () => {
          clearTimeout(timer);
          // One signal ends many calls: those notified last must not start in the slots that the first ones free.
          if (signal?.aborted) {
            entry.end(signal.reason);
            return;
          }
          // Timers of a background tab fire late.
          if (isCommand(entry) && isLate()) {
            entry.end(waitedTooLong());
            return;
          }
          this.#waiting.delete(entry);
          this.#running.add(entry);
          void send(sending.signal)
            .then(resolve, reject)
            .finally(() => {
              leave();
              this.#next();
            });
        },
      };
      const onAbort = () => entry.end(signal?.reason);
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#waiting.add(entry);
      if (isCommand(entry)) {
        timer = setTimeout(() => entry.end(waitedTooLong()), SLOT_WAIT_MS);
        if (this.#running.size >= this.#limits().calls) first(this.#running, ["poll"])?.end(new PreemptedError());
      }
      this.#next();
    });
  }

  /**
   * A Stop of these robots, or of a whole site, was pressed: polling of them ends, and a Start that is still waiting
   * never follows the Stop, nor does one of a whole group with such a robot.
   */
  preemptForStop({ robotIds, siteId }: { readonly robotIds: readonly number[]; readonly siteId?: number }): void {
    const isMeant = (entry: Entry) =>
      (siteId !== undefined && entry.siteId === siteId) || entry.robotIds.some((id) => robotIds.includes(id));
    const former = [...this.#waiting, ...this.#running].filter(isMeant);
    for (const entry of former) {
      if (entry.kind === "poll") entry.end(new PreemptedError());
      if (entry.kind === "start" && this.#waiting.has(entry)) {
        entry.end(new NotSentError("Stop was pressed before it was sent."));
      }
    }
  }

  #next(): void {
    for (const kinds of turns) {
      const entry = first(this.#waiting, kinds);
      if (entry === undefined) continue;
      if (this.#running.size >= this.#limits().calls) return;
      const asking = [...this.#running].filter((one) => !isCommand(one)).length;
      if (!isCommand(entry) && asking >= this.#limits().status) return;
      entry.start();
      this.#next();
      return;
    }
  }
}

function first(entries: ReadonlySet<Entry>, kinds: readonly SlotKind[]): Entry | undefined {
  return [...entries].find(({ kind }) => kinds.includes(kind));
}

function waitedTooLong(): NotSentError {
  return new NotSentError("Other commands are still waiting for their robots. Try again in a moment.");
}

/** The slots of this tab. */
export const callSlots = new CallSlots();
