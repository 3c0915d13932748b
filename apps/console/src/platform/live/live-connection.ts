import { live, LIVE_HEARTBEAT_MS, liveEventSchema, type LiveEvent } from "@suncrew/contract/live/live.ts";
import { send } from "../api/call.ts";
import { ApiError } from "../api/errors.ts";
import { afterPress } from "../press.ts";
import { readEventStream } from "./event-stream.ts";
import type { LiveStore } from "./live-store.ts";

/** Events are collected for this long, so that a busy fleet renders at most ten times a second. */
const FLUSH_MS = 100;
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 5_000;
/** No byte for slightly more than two heartbeats: the connection is dead although nothing closed it. */
const SILENCE_MS = LIVE_HEARTBEAT_MS * 2 + 5_000;

type EndReason = Extract<LiveEvent, { type: "end" }>["reason"];

export interface LiveConnectionParts {
  readonly store: LiveStore;
  /** Called after each flush, with the events in it. */
  readonly onEvents: (events: readonly LiveEvent[]) => void;
  readonly onEnd: (reason: EndReason) => void;
}

/**
 * Keeps one live stream open while it is wanted and the tab is visible; reconnects by itself. A hidden
 * tab closes its stream and gets a new snapshot when it is shown.
 */
export class LiveConnection {
  readonly #parts: LiveConnectionParts;
  #wanted = false;
  #attempt: AbortController | null = null;
  #failures = 0;
  #gathered: LiveEvent[] = [];
  #flushTimer: ReturnType<typeof setTimeout> | undefined;
  /** Events that did not have the contract's shape. */
  #ignored = 0;
  #refusal: string | null = null;

  constructor(parts: LiveConnectionParts) {
    this.#parts = parts;
  }

  get ignoredEvents(): number {
    return this.#ignored;
  }

  /** Why the server opens no further stream, such as too many of them; null while it does, or cannot be reached. */
  get refusal(): string | null {
    return this.#refusal;
  }

  start(): void {
    if (this.#wanted) return;
    this.#wanted = true;
    this.#failures = 0;
    document.addEventListener("visibilitychange", this.#followVisibility);
    this.#followVisibility();
  }

  stop(): void {
    if (!this.#wanted) return;
    this.#wanted = false;
    document.removeEventListener("visibilitychange", this.#followVisibility);
    this.#disconnect();
  }

  readonly #followVisibility = (): void => {
    if (document.hidden) this.#disconnect();
    else if (this.#attempt === null) void this.#run();
  };

  #disconnect(): void {
    this.#attempt?.abort();
    this.#attempt = null;
    clearTimeout(this.#flushTimer);
    this.#flushTimer = undefined;
    this.#gathered = [];
    this.#failures = 0;
    this.#parts.store.setStatus("stopped");
  }

  async #run(): Promise<void> {
    const attempt = new AbortController();
    this.#attempt = attempt;
    if (this.#failures === 0) this.#parts.store.setStatus("connecting");
    while (this.#attempt === attempt) {
      const end = await this.#readOnce(attempt.signal);
      if (this.#attempt !== attempt) return;
      if (end === "refused") return this.stop();
      // What came before the end is older than it: reported later, it would pass for live.
      this.#flush();
      this.#parts.store.setStatus(end === "said" ? "connecting" : "lost");
      await pause(retryDelayMs(this.#failures), attempt.signal);
      this.#failures += 1;
    }
  }

  /**
   * One stream from its opening to its end: `refused` if the server no longer accepts this user,
   * `said` if it announced the end, otherwise `broken`.
   */
  async #readOnce(signal: AbortSignal): Promise<"refused" | "said" | "broken"> {
    const silence = new AbortController();
    const either = AbortSignal.any([signal, silence.signal]);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const heard = () => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
    };
    // The browser reports that it is offline: that is known at once then, and retried in case it is wrong.
    const page = document.defaultView;
    const cut = () => silence.abort();
    page?.addEventListener("offline", cut);
    try {
      const headers = { Accept: "text/event-stream" };
      this.#parts.store.noteOpening();
      const response = await send(live, {}, { signal: either, headers });
      this.#refusal = null;
      if (response.body === null) return "broken";
      heard();
      for await (const data of readEventStream(response.body, heard)) {
        if (signal.aborted) return "broken";
        if (this.#take(data) === "ended") return "said";
      }
      return "broken";
    } catch (error) {
      this.#refusal = error instanceof ApiError && error.status === 429 ? error.message : null;
      const refused = error instanceof ApiError && (error.status === 401 || error.status === 403);
      return refused ? "refused" : "broken";
    } finally {
      clearTimeout(timer);
      page?.removeEventListener("offline", cut);
    }
  }

  #take(data: string): "goes on" | "ended" {
    const event = parseEvent(data);
    if (event === null) {
      this.#ignored += 1;
      return "goes on";
    }
    if (event.type === "end") {
      this.#flush();
      this.#parts.onEnd(event.reason);
      return "ended";
    }
    this.#gathered.push(event);
    // The snapshot is shown at once; what follows is collected.
    if (event.type === "snapshot") afterPress(() => this.#flush());
    else this.#flushTimer ??= setTimeout(() => afterPress(() => this.#flush()), FLUSH_MS);
    return "goes on";
  }

  #flush(): void {
    clearTimeout(this.#flushTimer);
    this.#flushTimer = undefined;
    if (this.#gathered.length === 0) return;
    const events = this.#gathered;
    this.#gathered = [];
    this.#failures = 0;
    this.#parts.store.apply(events);
    this.#parts.store.setStatus("live");
    this.#parts.onEvents(events);
  }
}

function parseEvent(data: string): LiveEvent | null {
  try {
    return liveEventSchema.safeParse(JSON.parse(data)).data ?? null;
  } catch {
    return null;
  }
}

/** Doubles up to the maximum; half of it is random, so that a thousand consoles do not reconnect at once. */
function retryDelayMs(failures: number): number {
  const maxDelayMs = Math.min(FIRST_RETRY_MS * 2 ** failures, LONGEST_RETRY_MS);
  return maxDelayMs / 2 + (Math.random() * maxDelayMs) / 2;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener("abort", end, { once: true });
  });
}
