import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { StatusPolling, type PolledRobot, type StatusPollingOptions } from "./status-polling.ts";

beforeEach(() => vi.useFakeTimers({ now: new Date("2026-03-01T12:00:00Z") }));
afterEach(() => vi.useRealTimers());

const seconds = (count: number) => vi.advanceTimersByTime(count * 1000);

/** A site of two robots, one idle and one offline, whose queries are answered immediately. */
function site(change: Partial<StatusPollingOptions> = {}) {
  const asked: string[] = [];
  const robots = new Map<number, PolledRobot>([
    [1, { id: 1, status: "idle", lastQueriedAt: null, isRequested: false }],
    [2, { id: 2, status: "offline", lastQueriedAt: null, isRequested: false }],
  ]);
  const start = Date.now();
  const polling = new StatusPolling({
    robots: () => [...robots.values()],
    request: (robotId) => {
      asked.push(`${(Date.now() - start) / 1000}s:${robotId}`);
      const robot = robots.get(robotId);
      if (robot !== undefined) robots.set(robotId, { ...robot, lastQueriedAt: new Date() });
    },
    now: () => new Date(),
    isHidden: () => false,
    isFirstLoad: false,
    ...change,
  });
  polling.start();
  return { asked, robots, polling };
}

test("§9 Status polling: queried after 1 s, a second time after 2 s at first load only", () => {
  const first = site({ isFirstLoad: true });
  const later = site();
  seconds(30);
  expect(first.asked).toEqual(["1s:1", "1s:2", "2s:1", "2s:2"]);
  expect(later.asked).toEqual(["1s:1", "1s:2"]);
  first.polling.stop();
  later.polling.stop();
});

test("§9 Status polling: a check every 60 s; idle or normal robots again after 5 minutes, others after 1", () => {
  const { asked, polling } = site();
  seconds(6 * 60);
  expect(asked).toEqual(["1s:1", "1s:2", "120s:2", "180s:2", "240s:2", "300s:2", "360s:1", "360s:2"]);
  polling.stop();
});

test("§9 Status polling: nothing is queried while hidden, after leaving the site, or twice at once", () => {
  let hidden = true;
  const { asked, robots, polling } = site({ isHidden: () => hidden });
  seconds(90);
  expect(asked).toEqual([]);
  hidden = false;
  robots.set(2, { id: 2, status: "offline", lastQueriedAt: null, isRequested: true });
  polling.check();
  expect(asked).toEqual(["90s:1"]);
  polling.stop();
  seconds(600);
  expect(asked).toEqual(["90s:1"]);
});
