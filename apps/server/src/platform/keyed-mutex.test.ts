import { expect, test } from "vitest";
import { KeyedMutex } from "./keyed-mutex.ts";

test("those who wait for the same work share one run, which begins after each of them asked, and its result", async () => {
  const mutex = new KeyedMutex();
  let runs = 0;
  const released = Promise.withResolvers<void>();
  const work = async () => {
    runs += 1;
    const run = runs;
    await released.promise;
    return run;
  };
  const first = mutex.runShared("calendar", work);
  await Promise.resolve();
  expect(runs).toBe(1);
  const later = [1, 2, 3].map(() => mutex.runShared("calendar", work));
  const other = mutex.runShared("another calendar", work);
  released.resolve();
  expect(await Promise.all([first, ...later, other])).toEqual([1, 3, 3, 3, 2]);
});

test("work that fails is told to all who share it, and keeps nobody from the next run", async () => {
  const mutex = new KeyedMutex();
  const broken = async () => {
    throw new Error("Broken.");
  };
  const shared = [1, 2].map(() => mutex.runShared("calendar", broken));
  expect((await Promise.allSettled(shared)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await mutex.runShared("calendar", async () => "fine")).toBe("fine");
});
