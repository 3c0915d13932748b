import type { LiveEvent } from "@suncrew/contract/live/live.ts";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { watchPresses } from "../press.ts";
import { LiveConnection } from "./live-connection.ts";
import { LiveStore } from "./live-store.ts";
import { liveUpdate } from "./test/live-update.ts";

vi.hoisted(() => {
  const claims = { role: "SUPER_ADMIN", exp: Date.now() / 1000 + 86_400 };
  const token = `a.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c`;
  const getItem = (key: string) => (key === "token" ? token : null);
  vi.stubGlobal("localStorage", { getItem, removeItem: () => undefined });
  vi.stubGlobal("location", { replace: () => undefined });
});

const AT = "2026-03-01T10:00:00.000Z";
const snapshot: LiveEvent = { type: "snapshot", at: AT, robots: [], sites: [] };
const update = liveUpdate({ at: AT });

/** A browser tab that can be hidden. */
class Tab extends EventTarget {
  readonly defaultView = new EventTarget();
  hidden = false;
  hide(hidden: boolean): void {
    this.hidden = hidden;
    this.dispatchEvent(new Event("visibilitychange"));
  }
}

/** The server's end of a live stream. */
class Stream {
  readonly response: Response;
  readonly signal: AbortSignal | null;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;

  constructor(signal: AbortSignal | null) {
    this.signal = signal;
    this.response = new Response(
      new ReadableStream<Uint8Array>({ start: (controller) => void (this.#controller = controller) }),
    );
    signal?.addEventListener("abort", () => this.#controller?.error(signal.reason));
  }

  async send(event: unknown): Promise<void> {
    this.#controller?.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`));
    await vi.advanceTimersByTimeAsync(0);
  }

  async end(): Promise<void> {
    this.#controller?.close();
    await vi.advanceTimersByTimeAsync(0);
  }
}

let tab: Tab;
let streams: Stream[];
let answers: (() => Response)[];
let store: LiveStore;
const onEvents = vi.fn<(events: readonly LiveEvent[]) => void>();
const onEnd = vi.fn<(reason: string) => void>();
let connection: LiveConnection;

beforeEach(async () => {
  vi.useFakeTimers();
  tab = new Tab();
  streams = [];
  answers = [];
  store = new LiveStore();
  connection = new LiveConnection({ store, onEvents: onEvents.mockReset(), onEnd: onEnd.mockReset() });
  vi.stubGlobal("document", tab);
  vi.stubGlobal("fetch", async (_: string, init: RequestInit) => {
    const refused = answers.shift();
    if (refused !== undefined) return refused();
    const stream = new Stream(init.signal ?? null);
    streams.push(stream);
    return stream.response;
  });
});
afterEach(() => {
  connection.stop();
  vi.useRealTimers();
});

async function start(): Promise<Stream> {
  connection.start();
  await vi.advanceTimersByTimeAsync(0);
  return latest();
}

function latest(): Stream {
  const stream = streams.at(-1);
  if (stream === undefined) throw new Error("No stream was opened.");
  return stream;
}

test("connecting, then live with the snapshot, which is shown immediately", async () => {
  const stream = await start();
  expect(store.status()).toBe("connecting");
  await stream.send(snapshot);
  expect(store.status()).toBe("live");
  expect(onEvents).toHaveBeenCalledTimes(1);
});

test("updates are collected for 100 ms", async () => {
  const stream = await start();
  await stream.send(snapshot);
  await stream.send(update);
  await vi.advanceTimersByTimeAsync(60);
  await stream.send(update);
  expect(onEvents).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(40);
  expect(onEvents).toHaveBeenCalledTimes(2);
  expect(onEvents).toHaveBeenLastCalledWith([update, update]);
});

test("nothing is shown during a press: what is under the pointer stays there until it is clicked", async () => {
  const page = new EventTarget();
  vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
  const stopWatching = watchPresses();
  const stream = await start();
  await stream.send(snapshot);
  page.dispatchEvent(new Event("pointerdown"));
  await stream.send(update);
  await vi.advanceTimersByTimeAsync(200);
  expect(onEvents).toHaveBeenCalledTimes(1);
  page.dispatchEvent(new Event("pointerup"));
  await vi.advanceTimersByTimeAsync(50);
  expect(onEvents).toHaveBeenCalledTimes(2);
  stopWatching();
});

test("malformed events are skipped and counted; the stream continues", async () => {
  const stream = await start();
  await stream.send({ type: "update", robots: "none" });
  await stream.send({ type: "rumour" });
  await stream.send(snapshot);
  expect(connection.ignoredEvents).toBe(2);
  expect(store.status()).toBe("live");
});

test("a broken stream is lost, is retried with growing pauses, and recovers", async () => {
  answers = [() => Response.error(), () => new Response("", { status: 503 })];
  connection.start();
  await vi.advanceTimersByTimeAsync(0);
  expect(store.status()).toBe("lost");
  await vi.advanceTimersByTimeAsync(500 + 1_000);
  await latest().send(snapshot);
  expect(store.status()).toBe("live");
  await latest().end();
  expect(store.status()).toBe("lost");
  await vi.advanceTimersByTimeAsync(500);
  await latest().send(snapshot);
  expect(store.status()).toBe("live");
});

test.each([429, 503])(
  "§2 Live: a stream refused with %d is lost, retried every few seconds, and live in the end",
  async (status) => {
    const refused = () => new Response('{"message":"Too many."}', { status });
    answers = Array.from({ length: 10 }, () => refused);
    connection.start();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(store.status()).toBe("lost");
    // Not ten within the first seconds: the pauses grow, and leave room for seven at most.
    expect(answers.length).toBeGreaterThanOrEqual(3);
    expect(streams).toEqual([]);
    // The pauses are partly random, and a stream that says nothing is given up after a while.
    for (let second = 0; second < 50 && streams.length === 0; second += 1) await vi.advanceTimersByTimeAsync(1_000);
    await latest().send(snapshot);
    expect(store.status()).toBe("live");
  },
);

test("a stream that is silent for longer than two heartbeats counts as broken", async () => {
  const stream = await start();
  await stream.send(snapshot);
  await vi.advanceTimersByTimeAsync(34_999);
  expect(store.status()).toBe("live");
  await vi.advanceTimersByTimeAsync(1);
  expect(store.status()).toBe("lost");
});

test.each([401, 403])("a %d ends it for good", async (status) => {
  answers = [() => new Response("{}", { status })];
  connection.start();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(store.status()).toBe("stopped");
  expect(streams).toEqual([]);
});

test("a browser that reports being offline has lost the stream immediately, and retries nevertheless", async () => {
  const stream = await start();
  await stream.send(snapshot);
  await stream.send(update);
  tab.defaultView.dispatchEvent(new Event("offline"));
  await vi.advanceTimersByTimeAsync(100);
  expect(store.status()).toBe("lost");
  expect(onEvents).toHaveBeenLastCalledWith([update]);
  await vi.advanceTimersByTimeAsync(400);
  expect(latest()).not.toBe(stream);
  await latest().send(snapshot);
  expect(store.status()).toBe("live");
});

test("an announced end is reported with its reason and is no interruption", async () => {
  const stream = await start();
  await stream.send(snapshot);
  await stream.send({ type: "end", reason: "scope" });
  expect(onEnd).toHaveBeenCalledWith("scope");
  expect(store.status()).toBe("connecting");
  await vi.advanceTimersByTimeAsync(500);
  await latest().send(snapshot);
  expect(store.status()).toBe("live");
  expect(streams).toHaveLength(2);
});

test("a hidden tab closes its stream and catches up when it is shown", async () => {
  const stream = await start();
  await stream.send(snapshot);
  tab.hide(true);
  expect(stream.signal?.aborted).toBe(true);
  expect(store.status()).toBe("stopped");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(streams).toHaveLength(1);
  tab.hide(false);
  await vi.advanceTimersByTimeAsync(0);
  await latest().send(snapshot);
  expect(streams).toHaveLength(2);
  expect(store.status()).toBe("live");
});

test("a tab opened in the background waits until it is shown", async () => {
  tab.hidden = true;
  connection.start();
  await vi.advanceTimersByTimeAsync(0);
  expect(streams).toEqual([]);
  tab.hide(false);
  await vi.advanceTimersByTimeAsync(0);
  expect(streams).toHaveLength(1);
});
