import { expect, test } from "vitest";
import { StatusCalls } from "./status-calls.ts";

/** A call that ends when told to. */
function held() {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  return { call: () => promise, resolve, reject };
}

const endless = () => new AbortController().signal;

test("§7 getRobotStatus: at most two calls of a tab are under way, the rest follow in order", async () => {
  const calls = new StatusCalls();
  const started: number[] = [];
  const parts = [0, 1, 2, 3].map(() => held());
  const answers = parts.map((part, index) =>
    calls.run(() => {
      started.push(index);
      return part.call();
    }, endless()),
  );
  expect(started).toEqual([0, 1]);
  parts[1]?.resolve("b");
  expect(await answers[1]).toBe("b");
  expect(started).toEqual([0, 1, 2]);
  expect(calls.running).toBe(2);
  parts[0]?.reject(new Error("away"));
  await expect(answers[0]).rejects.toThrow("away");
  expect(started).toEqual([0, 1, 2, 3]);
});

test("§7 getRobotStatus: calls that wait are aborted when the site is switched, without having run", async () => {
  const calls = new StatusCalls(1);
  const first = held();
  const site = new AbortController();
  let ran = false;
  const running = calls.run(first.call, endless());
  const waiting = calls.run(() => {
    ran = true;
    return Promise.resolve("x");
  }, site.signal);
  site.abort(new Error("switched"));
  await expect(waiting).rejects.toThrow("switched");
  first.resolve("a");
  await running;
  expect(ran).toBe(false);
  expect(calls.running).toBe(0);
  await expect(calls.run(first.call, site.signal)).rejects.toThrow("switched");
});

test("§7 getRobotStatus: a manual refresh goes before the polled ones", async () => {
  const calls = new StatusCalls(1);
  const order: string[] = [];
  const note = (name: string) => () => {
    order.push(name);
    return Promise.resolve(name);
  };
  const answers = [
    calls.run(note("running"), endless()),
    calls.run(note("polled"), endless()),
    calls.run(note("pressed"), endless(), true),
  ];
  await Promise.all(answers);
  expect(order).toEqual(["running", "pressed", "polled"]);
});
