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
const after = (ms: number) => () => new Promise((resolve) => setTimeout(resolve, ms));

beforeEach(() => {
  warned = [];
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});

afterEach(() => void vi.useRealTimers());

/** Stops the parts, the last one first; answers how long that took, in milliseconds. */
async function timeToStop(...parts: readonly [name: string, limitMs: number, stop: () => Promise<unknown>][]) {
  const stops = new StopList();
  for (const [name, limitMs, stop] of parts) stops.add(name, limitMs, stop);
  const began = performance.now();
  const stopped = stops.run(log).then(() => performance.now() - began);
  await vi.advanceTimersByTimeAsync(60_000);
  return stopped;
}

test("stack, stopping: a part has the time that those before it left", async () => {
  const database = ["database", 1_000, after(100)] as const;
  const server = ["server", 2_000, after(6_000)] as const;
  const calls = ["calls", 12_000, after(500)] as const;
  expect(await timeToStop([...database], [...server], [...calls])).toBe(6_600);
  expect(warnings()).toEqual([]);
});

test("stack, stopping: parts that hang or fail are named, and together take no longer than their limits", async () => {
  const hangs = () => new Promise(() => {});
  const fails = () => Promise.reject(new Error("No."));
  expect(await timeToStop(["database", 1_000, hangs], ["server", 2_000, fails], ["calls", 12_000, hangs])).toBe(15_000);
  expect(warnings()).toEqual([
    "calls: a component did not stop in time",
    "server: a component failed while stopping",
    "database: a component did not stop in time",
  ]);
});
