import type { Clock } from "../../platform/clock.ts";
import { HttpError } from "../../platform/http/http-error.ts";

/** Limits open live streams, including those being opened. A place is held until its connection ends. */
export interface LiveLimits {
  readonly perSession: number;
  readonly openingsPerMinute: number;
  readonly perAddress: number;
  readonly perServer: number;
}

export const LIVE_LIMITS: LiveLimits = {
  /** A tab has one stream while it is shown, and none while it is hidden: more than a wall of screens. */
  perSession: 20,
  /** Twenty tabs that lose their server and try again some times are half of this; a loop is not. */
  openingsPerMinute: 120,
  /** A whole company may share an address, or all people where the proxy is not named: it only keeps half for others. */
  perAddress: 2_000,
  /** Twice what one address may have; it bounds the connections and open files that streams take of a server. */
  perServer: 4_000,
};

const WINDOW_MS = 60_000;

export type LiveRefusal = "session" | "openings" | "address" | "server";

/** Gives out the places for live streams of this server. It costs no query, so that a flood costs next to nothing. */
export class StreamLimits {
  readonly #limits: LiveLimits;
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #bySession = new Map<string, number>();
  readonly #byAddress = new Map<string, number>();
  #taken = 0;
  /** Places taken per session in the current minute. */
  readonly #openings = new Map<string, number>();
  #minuteBeganMs = 0;
  readonly refused = new Map<LiveRefusal, number>();

  constructor(clock: Pick<Clock, "monotonicMs">, limits: LiveLimits = LIVE_LIMITS) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Places that are taken. */
  get count(): number {
    return this.#taken;
  }

  /** Takes a place; the returned function releases it. Throws 429, or 503 if the server is full. */
  take(sessionId: string, address: string): () => void {
    const refusal = this.#refusalOf(sessionId, address);
    if (refusal !== null) {
      add(this.refused, refusal, 1);
      throw this.#errorOf(refusal);
    }
    add(this.#openings, sessionId, 1);
    this.#count(sessionId, address, 1);
    let isHeld = true;
    return () => {
      if (isHeld) this.#count(sessionId, address, -1);
      isHeld = false;
    };
  }

  #refusalOf(sessionId: string, address: string): LiveRefusal | null {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#minuteBeganMs >= WINDOW_MS) {
      this.#openings.clear();
      this.#minuteBeganMs = nowMs;
    }
    const { perSession, openingsPerMinute, perAddress, perServer } = this.#limits;
    if ((this.#bySession.get(sessionId) ?? 0) >= perSession) return "session";
    if ((this.#openings.get(sessionId) ?? 0) >= openingsPerMinute) return "openings";
    if ((this.#byAddress.get(address) ?? 0) >= perAddress) return "address";
    return this.#taken >= perServer ? "server" : null;
  }

  #errorOf(refusal: LiveRefusal): HttpError {
    const { perSession, openingsPerMinute } = this.#limits;
    switch (refusal) {
      case "session":
        return new HttpError(
          429,
          "STREAMS_OF_SESSION",
          `You are signed in with ${perSession} live streams open, which is the most. Close a window that shows Suncrew.`,
        );
      case "openings":
        return new HttpError(
          429,
          "STREAM_OPENINGS",
          `You opened ${openingsPerMinute} live streams within a minute, which is the most. Try again in a minute.`,
        );
      case "address":
        return new HttpError(
          429,
          "STREAMS_OF_NETWORK",
          "Too many live streams are open from your network. Try again later.",
        );
      case "server":
        return new HttpError(
          503,
          "STREAMS_OF_SERVER",
          "This server has as many live streams open as it can serve. Try again later.",
        );
    }
  }

  #count(sessionId: string, address: string, by: 1 | -1): void {
    this.#taken += by;
    add(this.#bySession, sessionId, by);
    add(this.#byAddress, address, by);
  }
}

/** What has come to nothing is forgotten. */
function add<K>(counts: Map<K, number>, key: K, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
