import { describe, expect, test } from "vitest";
import { type WorkOwner, FairQueue, type QueueSlot } from "./fair-queue.ts";

const ownerOf = (name: string): WorkOwner => ({ person: name, team: name.slice(0, 1) });
const never = new AbortController().signal;

function queueOf(maxConcurrent: number, maxWaitingPerPerson = 10, maxWaiting = 100) {
  const refusal = (whose: string) => new Error(`full for ${whose}`);
  return new FairQueue({ maxConcurrent, maxWaitingPerPerson, maxWaiting, refusal });
}

/** Queues tasks in this order, ends one after the other, and returns the order in which they ran. */
async function orderOf(queue: FairQueue, names: readonly string[]): Promise<string[]> {
  const order: string[] = [];
  await Promise.all(
    names.map((name) =>
      queue.run(ownerOf(name), never, async () => {
        order.push(name);
        await Promise.resolve();
      }),
    ),
  );
  return order;
}

describe("§6 heavy work is shared out fairly", () => {
  test("teams take turns, and so do the people of a team, however much each has queued", async () => {
    const queued = ["a1", "a1", "a1", "a2", "b1", "c1"];
    expect(await orderOf(queueOf(1), queued)).toEqual(["a1", "b1", "c1", "a2", "a1", "a1"]);
  });

  test("a person who queues again after each turn does not stay ahead of those who wait", async () => {
    const queue = queueOf(1);
    const order: string[] = [];
    const queueTask = (name: string) => queue.run(ownerOf(name), never, async () => void order.push(name));
    const again = async (name: string) => {
      for (let times = 0; times < 20; times += 1) await queueTask(name);
    };
    const waiting = [queueTask("a1"), queueTask("a1"), queueTask("a1")];
    await Promise.all([...waiting, again("b1"), again("c1"), again("d1")]);
    expect(order.lastIndexOf("a1")).toBeLessThan(12);
  });

  test("a person's tasks run one at a time, other people's beside them", async () => {
    const queue = queueOf(3);
    const first = await queue.enter(ownerOf("a1"), never);
    let second: QueueSlot | null = null;
    void queue.enter(ownerOf("a1"), never).then((turn) => (second = turn));
    const other = await queue.enter(ownerOf("a2"), never);
    expect(second).toBeNull();
    first.end();
    await expect.poll(() => second).not.toBeNull();
    other.end();
  });

  test("a task that yields lets others run, but not another of the same person", async () => {
    const queue = queueOf(1);
    const first = await queue.enter(ownerOf("a1"), never);
    let again = false;
    void queue.enter(ownerOf("a1"), never).then(() => (again = true));
    const other = queue.enter(ownerOf("b1"), never);
    first.yield();
    (await other).end();
    expect(again).toBe(false);
    first.end();
    await expect.poll(() => again).toBe(true);
  });

  test("too many tasks of one person, and too many in total, are refused; giving up makes room", async () => {
    const queue = queueOf(1, 2, 3);
    const working = await queue.enter(ownerOf("a1"), never);
    const abort = new AbortController();
    const waiting = queue.enter(ownerOf("a1"), abort.signal);
    void queue.enter(ownerOf("a1"), never);
    await expect(queue.enter(ownerOf("a1"), never)).rejects.toThrow("full for person");
    void queue.enter(ownerOf("b1"), never);
    await expect(queue.enter(ownerOf("c1"), never)).rejects.toThrow("full for all");
    abort.abort(new Error("gave up"));
    await expect(waiting).rejects.toThrow("gave up");
    void queue.enter(ownerOf("c1"), never);
    await expect(queue.enter(ownerOf("d1"), never)).rejects.toThrow("full for all");
    working.end();
  });
});
