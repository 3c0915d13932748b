import pino from "pino";
import { beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "./clock.ts";
import { ThrottledLog } from "./throttle.ts";
import { logOptions } from "./log.ts";
import { BrokerUnavailableError, Outages } from "./outages.ts";
import { PeriodicTask } from "./periodic-task.ts";

const unreachable = () =>
  Object.assign(new AggregateError([new Error("connect ECONNREFUSED ::1:5432")]), { code: "ECONNREFUSED" });

let lines: Record<string, unknown>[];
let clock: ManualClock;
let outages: Outages;
let log: pino.Logger;
let isBack: boolean;
let probed: Promise<void>;
beforeEach(() => {
  lines = [];
  isBack = false;
  clock = new ManualClock(new Date("2026-06-15T06:30:00Z"));
  outages = new Outages();
  const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);
  log = pino(logOptions("info", outages), { write });
  outages.watchDatabase(log, clock, () => (probed = isBack ? Promise.resolve() : Promise.reject(unreachable())));
});

/** Advances time by this many seconds, probing the database in each. */
async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    clock.advance(1_000);
    await probed?.catch(() => {});
    await Promise.resolve();
    await Promise.resolve();
  }
}

const logged = () => lines.map(({ msg, seconds }) => [msg, seconds]);

describe("set-up: an outage is logged as one event", () => {
  test("one line when it begins, one a minute and one when it ends, whatever fails in between", async () => {
    const rounds = new PeriodicTask(log, () => Promise.reject(unreachable()));
    await Promise.all([rounds.run(), new PeriodicTask(log, () => Promise.reject(unreachable())).run()]);
    for (let second = 0; second < 130; second += 1) {
      await rounds.run();
      await pass(1);
    }
    isBack = true;
    await pass(10);
    expect(logged()).toEqual([
      ["the database is unreachable", undefined],
      ["the database is still unreachable", 60],
      ["the database is still unreachable", 120],
      ["the database is back", 131],
    ]);
    expect(lines[0]).toMatchObject({
      reason: "connect ECONNREFUSED ::1:5432",
      during: "periodic work failed; the next round makes up for it",
    });
  });

  test("a database that returns and fails again at once has had one outage; a later one is new", async () => {
    log.warn({ error: unreachable() }, "first");
    isBack = true;
    await pass(3);
    log.warn({ error: unreachable() }, "again");
    await pass(20);
    log.warn({ error: unreachable() }, "much later");
    expect(logged().map(([msg]) => msg)).toEqual([
      "the database is unreachable",
      "the database is back",
      "the database is unreachable",
    ]);
  });

  test("what was counted during an outage and is logged after it starts no new one", async () => {
    const throttled = new ThrottledLog(log, clock);
    throttled.error({ error: unreachable() }, "call failed");
    throttled.error({ error: unreachable() }, "call failed");
    isBack = true;
    await pass(70);
    await throttled.stop();
    expect(logged().map(([msg]) => msg)).toEqual(["the database is unreachable", "the database is back"]);
  });

  test("what ends the process is always logged", () => {
    log.fatal({ error: unreachable() }, "unexpected error");
    expect(logged().map(([msg]) => msg)).toEqual(["unexpected error"]);
  });

  test("a failure with another cause gets its own line, and so does the outcome of a person's command", () => {
    log.warn({ error: unreachable() }, "first");
    log.error({ error: new Error("a fault of its own") }, "a round failed");
    log.error({ reason: unreachable() }, "the outcome of a command is unknown");
    log.warn({ error: new BrokerUnavailableError("The MQTT broker is not connected.") }, "a robot could not be asked");
    expect(logged().map(([msg]) => msg)).toEqual([
      "the database is unreachable",
      "a round failed",
      "the outcome of a command is unknown",
    ]);
  });
});

describe("set-up: every logged error says what it was", () => {
  test.each(["error", "err", "reason"])("as `%s`", (key) => {
    const failure = Object.assign(new TypeError("no such column"), { code: "42703", detail: "a person's name" });
    log.error({ [key]: failure }, "failed");
    log.error({ [key]: Object.assign(new AggregateError([]), { code: "E_OTHER" }) }, "failed");
    log.error({ [key]: { some: "thing" } }, "failed");
    log.error({ [key]: "in words" }, "failed");
    expect(lines.map((line) => line[key])).toEqual([
      {
        name: "TypeError",
        message: "no such column",
        code: "42703",
        stack: expect.stringContaining("outages.test.ts"),
      },
      { name: "AggregateError", message: "E_OTHER", code: "E_OTHER", stack: expect.any(String) },
      "not an Error was thrown",
      "in words",
    ]);
  });
});
