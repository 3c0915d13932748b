import { NotSentError } from "./errors.ts";

/** What a browser tab may have under way of the calls that wait for a robot. */
export interface SlotLimits {
  readonly calls: number;
  /** Of these, at most so many ask for a status. */
  readonly status: number;
}

/**
 * Over HTTP/1.1 browsers allow six connections to a host: with the live stream, two stay free, so that a Stop (which
 * takes no slot) and the other calls never wait.
 */
export const SIX_CONNECTIONS: SlotLimits = { calls: 3, status: 2 };
/** Over HTTP/2 one connection carries them all: servers allow a hundred requests on it or more. */
export const ONE_CONNECTION: SlotLimits = { calls: 60, status: 20 };

/** By the protocol of the newest answer that the browser says it of; six connections until it does. */
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

/** A command that found no slot for so long, in milliseconds, is not sent: a late Start surprises whoever is near. */
export const SLOT_WAIT_MS = 1000;

export type SlotKind = "start" | "set" | "status" | "poll";

export interface SlotCall<T> {
  /** "status" is a status call that a person pressed, "poll" one that nobody did. */
  readonly kind: SlotKind;
  /** The robot or, for a group, the robots that it is for; a Stop of any of them cancels a Start that still waits. */
  readonly robotIds: readonly number[];
  /** Where they are, where a Stop of the whole site is to cancel it: also of robots that the page knows nothing of. */
  readonly siteId?: number;
  /** Ends the call wherever it is. */
  readonly signal?: AbortSignal;
  /** Sends it, once it has a slot. */
  readonly send: (signal: AbortSignal) => Promise<T>;
}

/** A polled status call that gave way to a command. Nothing failed: the robot is asked again at its next turn. */
export class PreemptedError extends Error {
  override readonly name = "GaveWayError";
}

interface Entry {
  readonly kind: SlotKind;
  readonly robotIds: readonly number[];
  readonly siteId: number | undefined;
  /** Gives the slot or the place in the queue back, once. */
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
   * Sends a call when it is its turn: commands first, then what a person pressed, then what is polled.
   * @throws NotSentError where a command found no slot in time, GaveWayError where a polled call gave way, the
   * signal's reason where it was aborted, else what `send` throws
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
          // One signal ends many calls: those told last must not start in the gaps that the first ones leave.
          if (signal?.aborted) {
            entry.end(signal.reason);
            return;
          }
          // A tab in the background is given its timers late.
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
   * A Stop of these robots was pressed, or of a whole site: what is polled of them ends, and a Start that still waits
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
