import { describe, expect, test } from "vitest";
import { type WorkOwner, FairQueue, type QueueSlot } from "./fair-queue.ts";

const asker = (name: string): WorkOwner => ({ person: name, team: name.slice(0, 1) });
const never = new AbortController().signal;

function queueOf(atOnce: number, waitingPerPerson = 10, waiting = 100) {
  const refusal = (whose: string) => new Error(`full for ${whose}`);
  return new FairQueue({ atOnce, waitingPerPerson, waiting, refusal });
}

/** Asks in this order, ends one after the other, and answers the order in which they had their turn. */
async function orderOf(queue: FairQueue, names: readonly string[]): Promise<string[]> {
  const order: string[] = [];
  await Promise.all(
    names.map((name) =>
      queue.run(asker(name), never, async () => {
        order.push(name);
        await Promise.resolve();
      }),
    ),
  );
  return order;
}

describe("§6 heavy work is shared out fairly", () => {
  test("teams take turns, and the people of a team do, however much each has asked for", async () => {
    const asked = ["a1", "a1", "a1", "a2", "b1", "c1"];
    expect(await orderOf(queueOf(1), asked)).toEqual(["a1", "b1", "c1", "a2", "a1", "a1"]);
  });

  test("who asks again after each turn does not stay before those who wait", async () => {
    const queue = queueOf(1);
    const order: string[] = [];
    const ask = (name: string) => queue.run(asker(name), never, async () => void order.push(name));
    const again = async (name: string) => {
      for (let times = 0; times < 20; times += 1) await ask(name);
    };
    const waiting = [ask("a1"), ask("a1"), ask("a1")];
    await Promise.all([...waiting, again("b1"), again("c1"), again("d1")]);
    expect(order.lastIndexOf("a1")).toBeLessThan(12);
  });

  test("a person works on one thing at a time, others beside", async () => {
    const queue = queueOf(3);
    const first = await queue.enter(asker("a1"), never);
    let second: QueueSlot | null = null;
    void queue.enter(asker("a1"), never).then((turn) => (second = turn));
    const other = await queue.enter(asker("a2"), never);
    expect(second).toBeNull();
    first.end();
    await expect.poll(() => second).not.toBeNull();
    other.end();
  });

  test("who yields lets others work, and is still one at a time", async () => {
    const queue = queueOf(1);
    const first = await queue.enter(asker("a1"), never);
    let again = false;
    void queue.enter(asker("a1"), never).then(() => (again = true));
    const other = queue.enter(asker("b1"), never);
    first.yield();
    (await other).end();
    expect(again).toBe(false);
    first.end();
    await expect.poll(() => again).toBe(true);
  });

  test("too many of one person, and too many of all, are refused; who gives up makes room", async () => {
    const queue = queueOf(1, 2, 3);
    const working = await queue.enter(asker("a1"), never);
    const gone = new AbortController();
    const waiting = queue.enter(asker("a1"), gone.signal);
    void queue.enter(asker("a1"), never);
    await expect(queue.enter(asker("a1"), never)).rejects.toThrow("full for person");
    void queue.enter(asker("b1"), never);
    await expect(queue.enter(asker("c1"), never)).rejects.toThrow("full for all");
    gone.abort(new Error("gone"));
    await expect(waiting).rejects.toThrow("gone");
    void queue.enter(asker("c1"), never);
    await expect(queue.enter(asker("d1"), never)).rejects.toThrow("full for all");
    working.end();
  });
});
