import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { NO_NOTES, RobotStatusStore } from "./robot-status-store.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("§4 Robot live status: a card hears of its own robot at once, the figures of all in one round", () => {
  const store = new RobotStatusStore();
  const card = vi.fn<() => void>();
  const other = vi.fn<() => void>();
  const figures = vi.fn<() => void>();
  store.subscribe(1, card);
  const leave = store.subscribe(2, other);
  store.subscribe(null, figures);
  for (let times = 0; times < 5; times += 1) store.updateCalls(1, { refresh: times % 2 === 0 ? "polled" : null });
  expect(card).toHaveBeenCalledTimes(5);
  expect(other).not.toHaveBeenCalled();
  expect(figures).not.toHaveBeenCalled();
  vi.advanceTimersByTime(100);
  expect(figures).toHaveBeenCalledTimes(1);
  expect(store.version()).toBe(1);
  leave();
  store.updateCalls(2, { sending: "STOP" });
  expect(other).not.toHaveBeenCalled();
  expect(store.notes(2).calls).toEqual({ sending: "STOP", refresh: null });
});

test("§4 Button enabling: what a command came to is told to the figures of all at once, and not again", () => {
  const store = new RobotStatusStore();
  const figures = vi.fn<() => void>();
  store.subscribe(null, figures);
  store.updateCalls(1, { sending: "START" });
  store.tellAll();
  expect(figures).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(100);
  expect(figures).toHaveBeenCalledTimes(1);
});

test("§4 Session: after sign-out nothing of it is left for the next user", () => {
  const store = new RobotStatusStore();
  store.updateCalls(1, { sending: "START" });
  store.clear();
  expect(store.notes(1)).toEqual(NO_NOTES);
});
