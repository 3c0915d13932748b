import { pino } from "pino";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { StopList } from "./stop-list.ts";

let warned: string[];
const log = pino({ level: "warn" }, { write: (line: string) => void warned.push(line) });
const warnings = () =>
  warned.map((line) => {
    const { part, msg } = JSON.parse(line) as { part: string; msg: string };
    return `${part}: ${msg}`;
  });

beforeEach(() => {
  warned = [];
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});

afterEach(() => void vi.useRealTimers());

/** What stops in reverse order of these limits, in milliseconds; each part hangs until the test ends its stop. */
function stopList(limits: Readonly<Record<string, number>>) {
  const stops = new StopList();
  const parts = new Map<string, PromiseWithResolvers<void>>();
  for (const [name, limitMs] of Object.entries(limits)) {
    const stop = Promise.withResolvers<void>();
    parts.set(name, stop);
    stops.add(name, limitMs, () => stop.promise);
  }
  const began = performance.now();
  return {
    tookMs: stops.run(log).then(() => performance.now() - began),
    ended: (name: string) => parts.get(name)?.resolve(),
    failed: (name: string) => parts.get(name)?.reject(new Error("No.")),
  };
}

test("stack, stopping: a part has the time that those before it left", async () => {
  const { tookMs, ended } = stopList({ database: 1_000, server: 2_000, calls: 12_000 });
  await vi.advanceTimersByTimeAsync(500);
  ended("calls");
  await vi.advanceTimersByTimeAsync(6_000);
  ended("server");
  await vi.advanceTimersByTimeAsync(100);
  ended("database");
  expect(await tookMs).toBe(6_600);
  expect(warnings()).toEqual([]);
});

test("stack, stopping: parts that hang or fail are named, and together take no longer than their limits", async () => {
  const { tookMs, failed } = stopList({ database: 1_000, server: 2_000, calls: 12_000 });
  await vi.advanceTimersByTimeAsync(12_500);
  failed("server");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await tookMs).toBe(15_000);
  expect(warnings()).toEqual([
    "calls: a component did not stop in time",
    "server: a component failed while stopping",
    "database: a component did not stop in time",
  ]);
});
