import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  CallSlots,
  ONE_CONNECTION,
  PreemptedError,
  SIX_CONNECTIONS,
  SLOT_WAIT_MS,
  slotLimitsFor,
} from "./call-slots.ts";
import type { SlotKind } from "./call-slots.ts";
import { NotSentError } from "./errors.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const idsOf = (robots: string | readonly string[]) =>
  (typeof robots === "string" ? [robots] : robots).map((robot) => robot.charCodeAt(0));

/** Slots, and a way to put named calls into them that end on request. */
function setUp(limits = SIX_CONNECTIONS) {
  const slots = new CallSlots(() => limits);
  const sent: string[] = [];
  /** Each letter is a robot, and all are at site 7. */
  function put(kind: SlotKind, robots: string | readonly string[], signal?: AbortSignal) {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const used: AbortSignal[] = [];
    const outcome = slots
      .run({
        kind,
        robotIds: idsOf(robots),
        siteId: 7,
        ...(signal === undefined ? {} : { signal }),
        send: (sending) => {
          used.push(sending);
          sent.push(`${kind} ${String(robots)}`);
          return promise;
        },
      })
      .catch((error: unknown) => error);
    return { outcome, resolve, reject, isCut: () => used[0]?.aborted === true };
  }
  return { slots, sent, put };
}

test("§7 getRobotStatus: at most two calls of a tab are in progress, the rest follow in order", async () => {
  const { slots, sent, put } = setUp();
  const [a, b] = [put("poll", "A"), put("poll", "B"), put("poll", "C"), put("poll", "D")];
  expect(sent).toEqual(["poll A", "poll B"]);
  b.resolve("b");
  expect(await b.outcome).toBe("b");
  await vi.advanceTimersByTimeAsync(0);
  expect(sent).toEqual(["poll A", "poll B", "poll C"]);
  a.reject(new Error("away"));
  expect(await a.outcome).toMatchObject({ message: "away" });
  await vi.advanceTimersByTimeAsync(0);
  expect(sent).toHaveLength(4);
  expect(slots.running).toBe(2);
});

test("§7 getRobotStatus: switching the site ends waiting calls and those in progress", async () => {
  const { slots, sent, put } = setUp();
  const site = new AbortController();
  const calls = ["A", "B", "C"].map((serial) => put("poll", serial, site.signal));
  site.abort(new Error("switched"));
  for (const call of calls) expect(await call.outcome).toMatchObject({ message: "switched" });
  expect(sent).toEqual(["poll A", "poll B"]);
  expect(calls[0]?.isCut()).toBe(true);
  expect(slots.running).toBe(0);
  expect(await put("poll", "D", site.signal).outcome).toMatchObject({ message: "switched" });
});

test("§7 getRobotStatus: a manual refresh goes before the polled ones", async () => {
  const { sent, put } = setUp();
  const running = put("poll", "A");
  put("poll", "B");
  put("poll", "C");
  put("status", "D");
  running.resolve("a");
  await vi.advanceTimersByTimeAsync(0);
  expect(sent).toEqual(["poll A", "poll B", "status D"]);
});

test("§4 Commands: a Start does not wait behind polled status calls: one is aborted at once", async () => {
  const { slots, sent, put } = setUp();
  const polled = [put("poll", "A"), put("poll", "B")];
  put("start", "C");
  expect(polled.map((call) => call.isCut())).toEqual([false, false]);
  put("set", "D");
  expect(sent).toEqual(["poll A", "poll B", "start C", "set D"]);
  expect(polled.map((call) => call.isCut())).toEqual([true, false]);
  expect(await polled[0]?.outcome).toBeInstanceOf(PreemptedError);
  expect(slots.running).toBe(3);
});

test("§4 Commands: a Start that gets no slot for a second is not sent, and says why", async () => {
  const { sent, put } = setUp();
  const starts = ["A", "B", "C", "D"].map((serial) => put("start", serial));
  await vi.advanceTimersByTimeAsync(SLOT_WAIT_MS);
  expect(await starts[3]?.outcome).toEqual(
    new NotSentError("Other commands are still waiting for their robots. Try again in a moment."),
  );
  starts[0]?.resolve("a");
  await vi.advanceTimersByTimeAsync(10_000);
  expect(sent).toEqual(["start A", "start B", "start C"]);
  expect(starts[1]?.isCut()).toBe(false);
});

test("§4 Commands: a Start whose slot comes free within a second is sent, before any status call", async () => {
  const { sent, put } = setUp();
  const calls = [put("status", "A"), put("status", "B"), put("set", "C")] as const;
  put("status", "D");
  put("start", "E");
  await vi.advanceTimersByTimeAsync(SLOT_WAIT_MS - 1);
  expect(calls[0].isCut()).toBe(false);
  calls[0].resolve("a");
  await vi.advanceTimersByTimeAsync(10_000);
  expect(sent).toEqual(["status A", "status B", "set C", "start E"]);
});

test("§4 Commands: Stop ends polling of its robot, and a Start still waiting never follows it", async () => {
  const { slots, sent, put } = setUp();
  const [polled, pressed] = [put("poll", "A"), put("status", "B")];
  slots.preemptForStop({ robotIds: idsOf("A") });
  slots.preemptForStop({ robotIds: idsOf("B") });
  expect(await polled.outcome).toBeInstanceOf(PreemptedError);
  expect(polled.isCut()).toBe(true);
  expect(pressed.isCut()).toBe(false);
  const underWay = put("start", "C");
  put("start", "D");
  const waiting = put("start", "E");
  slots.preemptForStop({ robotIds: idsOf("E") });
  slots.preemptForStop({ robotIds: idsOf("C") });
  expect(await waiting.outcome).toBeInstanceOf(NotSentError);
  expect(underWay.isCut()).toBe(false);
  pressed.resolve("b");
  await vi.advanceTimersByTimeAsync(0);
  expect(sent).toEqual(["poll A", "status B", "start C", "start D"]);
});

test("§4 Group action: a group's Start still waiting never follows a Stop of one of its robots", async () => {
  const { slots, sent, put } = setUp();
  for (const serial of ["A", "B", "C"]) put("start", serial);
  const [group, other] = [put("start", ["D", "E"]), put("start", ["F"])];
  slots.preemptForStop({ robotIds: idsOf(["E", "Z"]) });
  expect(await group.outcome).toEqual(new NotSentError("Stop was pressed before it was sent."));
  await vi.advanceTimersByTimeAsync(SLOT_WAIT_MS);
  expect(await other.outcome).toBeInstanceOf(NotSentError);
  expect(sent).toEqual(["start A", "start B", "start C"]);
});

test("§4 Group action: Stop all robots cancels what waits for robots of its site, whatever the page knows about them", async () => {
  const { slots, sent, put } = setUp();
  for (const serial of ["A", "B", "C"]) put("start", serial);
  const group = put("start", ["D", "E"]);
  slots.preemptForStop({ robotIds: [], siteId: 8 });
  slots.preemptForStop({ robotIds: [], siteId: 7 });
  expect(await group.outcome).toEqual(new NotSentError("Stop was pressed before it was sent."));
  expect(sent).toEqual(["start A", "start B", "start C"]);
});

test("§4 Commands: over HTTP/2 no Start waits for another", async () => {
  const { slots, sent, put } = setUp(ONE_CONNECTION);
  const robots = "ABCDEFGHIJKLMNOPQRSTUVWXYZ".split("");
  for (const robot of robots) put("start", robot);
  for (const robot of robots.slice(0, 10)) put("poll", robot);
  expect(sent).toEqual([
    ...robots.map((robot) => `start ${robot}`),
    ...robots.slice(0, 10).map((robot) => `poll ${robot}`),
  ]);
  expect(slots.running).toBe(36);
  await vi.advanceTimersByTimeAsync(SLOT_WAIT_MS);
  expect(slots.running).toBe(36);
});

test.each([
  ["http/1.1", SIX_CONNECTIONS],
  ["http/1.0", SIX_CONNECTIONS],
  ["h2", ONE_CONNECTION],
  ["h3", ONE_CONNECTION],
  ["", SIX_CONNECTIONS],
])("a server reached by %j gets %o", (protocol, limits) => {
  expect(slotLimitsFor(protocol)).toBe(limits);
});
