import pino from "pino";
import { beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "./clock.ts";
import { MAX_THROTTLED_KEYS, type Repeats, Throttle, THROTTLE_WINDOW_MS, ThrottledLog } from "./throttle.ts";

let clock: ManualClock;
let lines: string[];
let log: ThrottledLog;
beforeEach(() => {
  clock = new ManualClock(new Date("2026-06-15T06:30:00Z"));
  lines = [];
  log = new ThrottledLog(pino({ level: "info" }, { write: (line: string) => void lines.push(line) }), clock);
});

const logged = () => lines.map((line) => JSON.parse(line) as { msg: string; times?: number; client?: string });

describe("protocol rule 10: messages that can be repeated at will do not fill a log", () => {
  test("protocol rule 10: the first is logged immediately, those of the following minute as a number", () => {
    for (let each = 0; each < 1_639; each += 1) log.warn({ client: "C-1" }, "refused a sign-in", "C-1");
    log.warn({ client: "C-2" }, "refused a sign-in", "C-2");
    expect(logged().map(({ msg, client }) => [msg, client])).toEqual([
      ["refused a sign-in", "C-1"],
      ["refused a sign-in", "C-2"],
    ]);
    clock.advance(THROTTLE_WINDOW_MS);
    expect(logged().slice(2)).toMatchObject([
      { level: 40, client: "C-1", times: 1_638, msg: "refused a sign-in: 1,638 more times in the last minute" },
    ]);
  });

  test("protocol rule 10: a continuing flood is a line a minute, and one that ended is forgotten", () => {
    for (let minute = 0; minute < 3; minute += 1) {
      log.error({}, "failed");
      log.error({}, "failed");
      clock.advance(THROTTLE_WINDOW_MS);
    }
    expect(logged().map(({ msg }) => msg)).toEqual([
      "failed",
      "failed: 1 more time in the last minute",
      "failed: 2 more times in the last minute",
      "failed: 2 more times in the last minute",
    ]);
    clock.advance(THROTTLE_WINDOW_MS);
    log.error({}, "failed");
    expect(logged().at(-1)?.msg).toBe("failed");
  });

  test("protocol rule 10: inventing new kinds gains neither unlimited lines nor memory", () => {
    for (let each = 0; each < 10_000; each += 1) log.warn({ client: `C-${each}` }, "refused a sign-in", `C-${each}`);
    expect(lines).toHaveLength(MAX_THROTTLED_KEYS + 1);
    clock.advance(THROTTLE_WINDOW_MS);
    expect(lines).toHaveLength(MAX_THROTTLED_KEYS + 2);
    expect(logged().at(-1)).toMatchObject({ times: 10_000 - MAX_THROTTLED_KEYS - 1 });
    expect(logged().at(-1)).not.toHaveProperty("client");
  });

  test("protocol rule 10: what was counted is logged on stop", async () => {
    for (let each = 0; each < 3; each += 1) log.warn({}, "refused");
    await log.stop();
    expect(logged().at(-1)?.times).toBe(2);
    clock.advance(THROTTLE_WINDOW_MS);
    expect(lines).toHaveLength(2);
  });

  test("protocol rule 10: what could not be emitted is counted with the next minute", async () => {
    const emitted: Repeats<string>[] = [];
    let fails = true;
    const throttle = new Throttle<string>(clock, async (minute) => {
      if (fails) throw new Error("failed");
      emitted.push(minute);
    });
    for (let each = 0; each < 4; each += 1) throttle.add("sign-in", "owner");
    clock.advance(THROTTLE_WINDOW_MS);
    await Promise.resolve();
    fails = false;
    await throttle.stop();
    expect(emitted).toEqual([{ last: "owner", times: 3, isMixed: false }]);
  });
});
