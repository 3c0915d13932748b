import pino from "pino";
import { beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "./clock.ts";
import { ThrottledLog } from "./throttle.ts";
import { logOptions } from "./log.ts";
import { BrokerUnavailableError, Outages } from "./outages.ts";
import { PeriodicTask } from "./periodic-task.ts";

const away = () =>
  Object.assign(new AggregateError([new Error("connect ECONNREFUSED ::1:5432")]), { code: "ECONNREFUSED" });

let lines: Record<string, unknown>[];
let clock: ManualClock;
let outages: Outages;
let log: pino.Logger;
let isBack: boolean;
let looked: Promise<void>;
beforeEach(() => {
  lines = [];
  isBack = false;
  clock = new ManualClock(new Date("2026-06-15T06:30:00Z"));
  outages = new Outages();
  const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);
  log = pino(logOptions("info", outages), { write });
  outages.watchDatabase(log, clock, () => (looked = isBack ? Promise.resolve() : Promise.reject(away())));
});

/** Seconds that pass, with a look at the database in each. */
async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    clock.advance(1_000);
    await looked?.catch(() => {});
    await Promise.resolve();
    await Promise.resolve();
  }
}

const said = () => lines.map(({ msg, seconds }) => [msg, seconds]);

describe("set-up: an outage is one thing in the log", () => {
  test("a line as it begins, one a minute and one as it ends, whatever fails meanwhile", async () => {
    const rounds = new PeriodicTask(log, () => Promise.reject(away()));
    await Promise.all([rounds.run(), new PeriodicTask(log, () => Promise.reject(away())).run()]);
    for (let second = 0; second < 130; second += 1) {
      await rounds.run();
      await pass(1);
    }
    isBack = true;
    await pass(10);
    expect(said()).toEqual([
      ["the database is away", undefined],
      ["the database is still away", 60],
      ["the database is still away", 120],
      ["the database is back", 131],
    ]);
    expect(lines[0]).toMatchObject({
      reason: "connect ECONNREFUSED ::1:5432",
      during: "a round of work that was due failed; the next makes up for it",
    });
  });

  test("what comes back and goes again at once is one outage; the next one is another", async () => {
    log.warn({ error: away() }, "first");
    isBack = true;
    await pass(3);
    log.warn({ error: away() }, "again");
    await pass(20);
    log.warn({ error: away() }, "much later");
    expect(said().map(([msg]) => msg)).toEqual([
      "the database is away",
      "the database is back",
      "the database is away",
    ]);
  });

  test("what was gathered during an outage and is told after it begins no other", async () => {
    const gathered = new ThrottledLog(log, clock);
    gathered.error({ error: away() }, "call failed");
    gathered.error({ error: away() }, "call failed");
    isBack = true;
    await pass(70);
    await gathered.stop();
    expect(said().map(([msg]) => msg)).toEqual(["the database is away", "the database is back"]);
  });

  test("what ends the process is told whatever it was", () => {
    log.fatal({ error: away() }, "an unexpected error");
    expect(said().map(([msg]) => msg)).toEqual(["an unexpected error"]);
  });

  test("what has another reason has its own line, and so has what somebody ordered", () => {
    log.warn({ error: away() }, "first");
    log.error({ error: new Error("a fault of its own") }, "a round failed");
    log.error({ reason: away() }, "the result of a command is not known");
    log.warn({ error: new BrokerUnavailableError("The MQTT broker is not connected.") }, "a robot could not be asked");
    expect(said().map(([msg]) => msg)).toEqual([
      "the database is away",
      "a round failed",
      "the result of a command is not known",
    ]);
  });
});

describe("set-up: every error in the log says what it was", () => {
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
