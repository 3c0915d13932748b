import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { INVALIDATION_PAUSE_MS, InvalidationQueue } from "./invalidation-queue.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A client whose answers arrive when the test says so. */
function slowClient() {
  const asked: string[] = [];
  let answer: () => void = () => {};
  return {
    asked,
    answer: () => answer(),
    invalidateQueries: vi.fn(async ({ queryKey }: { queryKey?: readonly unknown[] } = {}) => {
      asked.push(JSON.stringify(queryKey));
      await new Promise<void>((resolve) => {
        const before = answer;
        answer = () => {
          before();
          resolve();
        };
      });
    }),
  };
}

test("Live: what one event names is refetched immediately and once", async () => {
  const client = slowClient();
  const stale = new InvalidationQueue(client);
  stale.note(["groups", { siteId: 1 }]);
  stale.note(["groups", { siteId: 1 }]);
  stale.note(["runs"]);
  await vi.advanceTimersByTimeAsync(0);
  expect(client.asked).toEqual(['["groups",{"siteId":1}]', '["runs"]']);
});

test("Live: continuous changes cancel no answer in transit, and the last one is read", async () => {
  const client = slowClient();
  const stale = new InvalidationQueue(client);
  stale.note(["runs"]);
  await vi.advanceTimersByTimeAsync(0);
  for (let change = 0; change < 20; change += 1) {
    stale.note(["runs"]);
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(client.asked).toHaveLength(1);
  client.answer();
  await vi.advanceTimersByTimeAsync(INVALIDATION_PAUSE_MS - 1);
  expect(client.asked).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(client.asked).toHaveLength(2);
  client.answer();
  await vi.advanceTimersByTimeAsync(INVALIDATION_PAUSE_MS);
  expect(client.asked).toHaveLength(2);
  stale.note(["runs"]);
  await vi.advanceTimersByTimeAsync(0);
  expect(client.asked).toHaveLength(3);
});
