import { notifyManager, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { queryClient } from "./api/query-client.ts";
import { afterPress, watchPresses } from "./press.ts";

const page = new EventTarget();
const done: string[] = [];
let stopWatching: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
  stopWatching = watchPresses();
  done.length = 0;
});
afterEach(async () => {
  await vi.runAllTimersAsync();
  stopWatching();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const pointer = (what: "down" | "up" | "cancel") => void page.dispatchEvent(new Event(`pointer${what}`));

test("what arrives during a press is shown after its click, in the order it came; without a press at once", async () => {
  afterPress(() => done.push("at once"));
  expect(done).toEqual(["at once"]);
  pointer("down");
  afterPress(() => done.push("first"));
  afterPress(() => done.push("second"));
  await vi.advanceTimersByTimeAsync(100);
  pointer("up");
  expect(done).toEqual(["at once"]);
  await vi.advanceTimersByTimeAsync(50);
  expect(done).toEqual(["at once", "first", "second"]);
});

test("a hold, a drag or a press that never ends delays what arrives by at most half a second; a scroll ends it", async () => {
  pointer("down");
  afterPress(() => done.push("held"));
  await vi.advanceTimersByTimeAsync(500);
  expect(done).toEqual(["held"]);
  pointer("down");
  pointer("cancel");
  afterPress(() => done.push("scrolled"));
  await vi.advanceTimersByTimeAsync(50);
  expect(done).toEqual(["held", "scrolled"]);
});

test("presses that follow each other at once delay what arrives by at most half a second, too: who hammers on Stop sees what happens", async () => {
  for (let press = 0; press < 5; press += 1) {
    pointer("down");
    if (press === 0) afterPress(() => done.push("stopped"));
    await vi.advanceTimersByTimeAsync(70);
    pointer("up");
    await vi.advanceTimersByTimeAsync(30);
  }
  expect(done).toEqual(["stopped"]);
});

test("answers of the server wait for the end of a press, too", async () => {
  const observer = new QueryObserver(queryClient, { queryKey: ["press"], queryFn: async () => "answer" });
  // As its hooks subscribe.
  const show = notifyManager.batchCalls(() => {
    const { data } = observer.getCurrentResult();
    if (data !== undefined) done.push(data);
  });
  const unsubscribe = observer.subscribe(show);
  pointer("down");
  await vi.advanceTimersByTimeAsync(100);
  expect(done).toEqual([]);
  pointer("up");
  await vi.advanceTimersByTimeAsync(50);
  expect(done).toContain("answer");
  unsubscribe();
});
