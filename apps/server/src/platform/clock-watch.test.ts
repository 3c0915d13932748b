import pino from "pino";
import { beforeEach, describe, expect, test } from "vitest";
import { ClockWatch } from "./clock-watch.ts";
import { SystemClock } from "./clock.ts";
import { logOptions } from "./log.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const NOON_MS = Date.parse("2026-06-15T12:00:00Z");

/** A monotonic clock that the test sets. */
class SettableClock extends SystemClock {
  ms = 5_000;

  override monotonicMs(): number {
    return this.ms;
  }
}

let clock: SettableClock;
let watch: ClockWatch;
/** How far the clocks are ahead of the true time. */
let ahead: { database: number; own: number };
let isUnreachable: boolean;
let takesMs: number;
let trueMs: number;
let upMs: number;
let lines: { msg: string; reason?: string }[];
beforeEach(async () => {
  clock = new SettableClock();
  ahead = { database: 0, own: 0 };
  isUnreachable = false;
  takesMs = 4;
  trueMs = NOON_MS;
  upMs = 77 * HOUR_MS;
  lines = [];
  const log = pino(logOptions("info"), { write: (line) => void lines.push(JSON.parse(line) as { msg: string }) });
  const read = async () => {
    if (isUnreachable) throw new Error("connect ECONNREFUSED");
    pass(takesMs / 2);
    const time = new Date(trueMs + ahead.database);
    pass(takesMs / 2);
    return time;
  };
  watch = new ClockWatch({ clock, log, read, ownMs: () => trueMs + ahead.own, uptimeMs: () => upMs });
  await watch.start();
});

function pass(ms: number): void {
  clock.ms += ms;
  trueMs += ms;
  upMs += ms;
}

/** Advances time by this many seconds, with a check in each. */
async function seconds(count: number): Promise<void> {
  for (let second = 0; second < count; second += 1) {
    pass(SECOND_MS);
    await watch.check();
  }
}

const wrongByMs = () => clock.now().getTime() - trueMs;
/** Within the uncertainty of a reading. */
const expectWrongBy = (ms: number) => expect(Math.abs(wrongByMs() - ms)).toBeLessThanOrEqual(takesMs / 2);

describe("protocol rule 12: a server counts by its monotonic clock from the database's time", () => {
  test("a machine's clock that jumps by an hour has no effect, but is reported until it is right again", async () => {
    await seconds(10);
    ahead.own = HOUR_MS;
    expect(wrongByMs()).toBe(0);
    await seconds(1);
    expect(watch.trouble).toBe("The machine's clock is about 60 minutes ahead of the database's.");
    await seconds(130);
    expect(wrongByMs()).toBe(0);
    expect(watch.trouble).not.toBeNull();
    ahead.own = -20 * SECOND_MS;
    await seconds(1);
    expect(watch.trouble).toBeNull();
    expect(lines.map(({ msg }) => msg)).toEqual([
      "this server's clock does not agree with the database's: it is neither bridge nor scheduler, and starts no robot",
      "this server's clock agrees with the database's again",
    ]);
    expect(lines[0]?.reason).toContain("about 60 minutes ahead");
  });

  test("a database's clock that jumps by ten minutes is not followed while the machine's clock contradicts it", async () => {
    await seconds(3);
    ahead.database = 10 * MINUTE_MS;
    await seconds(600);
    expect(wrongByMs()).toBe(0);
    expect(watch.trouble).toBe(
      "The database's clock is about 10 minutes ahead of the machine's and the time that the server counted.",
    );
    ahead.database = -3 * MINUTE_MS;
    await seconds(1);
    expect(watch.trouble).toContain("about 3 minutes behind");
    ahead.database = 0;
    await seconds(1);
    expect(watch.trouble).toBeNull();
    expect(wrongByMs()).toBe(0);
  });

  test("a jump of both is adopted after two minutes, but not if it is undone before", async () => {
    ahead = { database: HOUR_MS, own: HOUR_MS };
    await seconds(110);
    expect(watch.trouble).toBe(
      "The clocks of the database and the machine are about 60 minutes ahead of the time that the server counted.",
    );
    ahead = { database: 0, own: 0 };
    await seconds(1);
    expect([watch.trouble, wrongByMs()]).toEqual([null, 0]);
    ahead = { database: -HOUR_MS, own: -HOUR_MS };
    await seconds(115);
    expect(wrongByMs()).toBe(0);
    // Another jump, which has to last as long.
    ahead = { database: -HOUR_MS / 2, own: -HOUR_MS / 2 };
    await seconds(120);
    expect(watch.trouble).not.toBeNull();
    await seconds(1);
    expect(watch.trouble).toBeNull();
    expectWrongBy(-HOUR_MS / 2);
  });

  test("small corrections of the database's clock are followed at once", async () => {
    ahead.database = 4 * SECOND_MS;
    await seconds(1);
    expect(watch.trouble).toBeNull();
    expectWrongBy(4 * SECOND_MS);
  });

  test("a slow answer proves nothing: neither that the clocks agree nor that they do not", async () => {
    takesMs = 20 * SECOND_MS;
    ahead.database = 20 * SECOND_MS;
    await seconds(3);
    expect([watch.trouble, wrongByMs()]).toEqual([null, 0]);
    takesMs = 4;
    await seconds(1);
    expect(watch.trouble).toContain("about 20 seconds ahead");
    takesMs = 60 * SECOND_MS;
    await seconds(3);
    expect(watch.trouble).toContain("about 20 seconds ahead");
    expect(wrongByMs()).toBe(0);
  });

  test("a clock that drifts past the limit is reported once, and once more when it is well within it again", async () => {
    for (let ms = 29_000; ms <= 31_000; ms += 10) {
      // Readings jitter.
      ahead.own = ms + (ms % 20) * 30;
      await seconds(1);
    }
    expect(lines).toHaveLength(1);
    for (let ms = 31_000; ms >= 20_000; ms -= 100) {
      ahead.own = ms + (ms % 200);
      await seconds(1);
    }
    expect(watch.trouble).toBeNull();
    expect(lines).toHaveLength(2);
  });

  test("a machine that slept adopts the database's time as soon as it wakes up", async () => {
    await seconds(2);
    // The monotonic clock pauses while the machine sleeps.
    trueMs += 8 * HOUR_MS;
    upMs += 8 * HOUR_MS;
    // When the machine wakes up, the database is unreachable at first and then slow.
    isUnreachable = true;
    await expect(watch.check()).rejects.toThrow();
    isUnreachable = false;
    takesMs = 5 * SECOND_MS;
    await seconds(1);
    takesMs = 4;
    await seconds(1);
    expect(watch.trouble).toBeNull();
    expectWrongBy(0);
  });

  test("a machine whose clock is wrong from the start uses the database's time, and is not relied on", async () => {
    ahead.own = -35 * SECOND_MS;
    await watch.stop();
    await watch.start();
    expect(watch.trouble).toBe("The machine's clock is about 35 seconds behind the database's.");
    expect(wrongByMs()).toBe(0);
    await watch.stop();
  });

  test("while the database is unreachable it goes on counting, and its verdict on the clocks remains", async () => {
    ahead.own = HOUR_MS;
    await seconds(1);
    isUnreachable = true;
    ahead.own = 0;
    pass(HOUR_MS);
    await expect(watch.check()).rejects.toThrow("ECONNREFUSED");
    expect(watch.trouble).not.toBeNull();
    expect(wrongByMs()).toBe(0);
    isUnreachable = false;
    await watch.check();
    expect(watch.trouble).toBeNull();
    await watch.stop();
  });
});
