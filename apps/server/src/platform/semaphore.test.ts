import { expect, test } from "vitest";
import { Semaphore } from "./semaphore.ts";

const never = new AbortController().signal;

test("reports: limited heavy work runs at a time, in order of arrival, and callers that have left are skipped", async () => {
  const gate = new Semaphore(2);
  const began: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<string>>();
  const turnOfD = Promise.withResolvers<void>();
  const run = (name: string, signal = never) =>
    gate.run(signal, () => {
      began.push(name);
      if (name === "d") turnOfD.resolve();
      const end = Promise.withResolvers<string>();
      ends.set(name, end);
      return end.promise;
    });
  const abort = new AbortController();
  const results = [run("a"), run("b"), run("c", abort.signal), run("d")];
  abort.abort(new Error("left"));
  expect(began).toEqual(["a", "b"]);
  // Immediately, not when its turn comes.
  await expect(results[2]).rejects.toThrow("left");
  ends.get("a")?.resolve("A");
  await turnOfD.promise;
  expect(began).toEqual(["a", "b", "d"]);
  ends.get("b")?.reject(new Error("failed"));
  await expect(results[1]).rejects.toThrow("failed");
  ends.get("d")?.resolve("D");
  expect([await results[0], await results[3]]).toEqual(["A", "D"]);
  const last = run("e");
  ends.get("e")?.resolve("E");
  expect(await last).toBe("E");
});
