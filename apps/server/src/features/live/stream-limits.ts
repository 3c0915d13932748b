import type { Clock } from "../../platform/clock.ts";
import { HttpError } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";

/** Limits open live streams, including those being opened. A place is held until its connection ends. */
export interface LiveLimits {
  readonly perSession: number;
  readonly openingsPerMinute: number;
  readonly perAddress: number;
  readonly perServer: number;
}

export const LIVE_LIMITS: LiveLimits = {
  /** A visible tab has one stream, a hidden one none; all screens of a wallboard's link are one session. */
  perSession: 20,
  /** Twenty tabs that lose their server and retry a few times use half of this; a loop does not stop there. */
  openingsPerMinute: 120,
  /** A company, or everybody behind an unknown proxy, may share an address: this only keeps half free for others. */
  perAddress: 3_000,
  /** Twice the limit per address; it bounds the server's connections and open files. */
  perServer: 6_000,
};

const WINDOW_MS = 60_000;

const refusalCodes = {
  session: "STREAMS_OF_SESSION",
  openings: "STREAM_OPENINGS",
  address: "STREAMS_OF_NETWORK",
  server: "STREAMS_OF_SERVER",
} as const;
export type LiveRefusal = keyof typeof refusalCodes;

/** Assigns the places for live streams of this server. It runs no query, so a flood costs next to nothing. */
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

  get count(): number {
    return this.#taken;
  }

  /** Takes a place; the returned function releases it. Throws 429, or 503 if the server is full. */
  take({ sessionId, isWallboard }: Pick<Viewer, "sessionId" | "isWallboard">, address: string): () => void {
    const refusal = this.#refusalOf(sessionId, address);
    if (refusal !== null) {
      add(this.refused, refusal, 1);
      throw this.#errorOf(refusal, isWallboard === true);
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

  #errorOf(refusal: LiveRefusal, isWallboard: boolean): HttpError {
    const { perSession, openingsPerMinute } = this.#limits;
    const texts: Record<LiveRefusal, string> = {
      session: isWallboard
        ? `This link is open on ${perSession} screens, which is the limit. Make another link for this screen.`
        : `You are signed in with ${perSession} live streams open, which is the limit. Close a window that shows Suncrew.`,
      openings: `You opened ${openingsPerMinute} live streams within a minute, which is the limit. Try again in a minute.`,
      address: "Too many live streams are open from your network. Try again later.",
      server: "This server has as many live streams open as it can serve. Try again later.",
    };
    return new HttpError(refusal === "server" ? 503 : 429, refusalCodes[refusal], texts[refusal]);
  }

  #count(sessionId: string, address: string, by: 1 | -1): void {
    this.#taken += by;
    add(this.#bySession, sessionId, by);
    add(this.#byAddress, address, by);
  }
}

/** Counts that have returned to zero are removed. */
function add<K>(counts: Map<K, number>, key: K, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
