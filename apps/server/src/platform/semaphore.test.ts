import { expect, test } from "vitest";
import { Semaphore } from "./semaphore.ts";

const never = new AbortController().signal;

test("reports: so much heavy work runs at a time, in the order of asking, and who has left is passed over", async () => {
  const gate = new Semaphore(2);
  const began: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<string>>();
  const turnOfD = Promise.withResolvers<void>();
  const ask = (name: string, signal = never) =>
    gate.run(signal, () => {
      began.push(name);
      if (name === "d") turnOfD.resolve();
      const end = Promise.withResolvers<string>();
      ends.set(name, end);
      return end.promise;
    });
  const gone = new AbortController();
  const asked = [ask("a"), ask("b"), ask("c", gone.signal), ask("d")];
  gone.abort(new Error("left"));
  expect(began).toEqual(["a", "b"]);
  // At once, not when its turn comes.
  await expect(asked[2]).rejects.toThrow("left");
  ends.get("a")?.resolve("A");
  await turnOfD.promise;
  expect(began).toEqual(["a", "b", "d"]);
  ends.get("b")?.reject(new Error("failed"));
  await expect(asked[1]).rejects.toThrow("failed");
  ends.get("d")?.resolve("D");
  expect([await asked[0], await asked[3]]).toEqual(["A", "D"]);
  const last = ask("e");
  ends.get("e")?.resolve("E");
  expect(await last).toBe("E");
});
