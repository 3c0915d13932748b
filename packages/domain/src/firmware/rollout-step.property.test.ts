import fc from "fast-check";
import { describe, expect, inject, it, test } from "vitest";
import { reportOutcome } from "./report-outcome.ts";
import { type RolloutProgress, type RolloutStep, rolloutStep } from "./rollout-step.ts";

type Robot = "WAITING" | "OPEN" | "DONE" | "FAILED" | "SKIPPED";

interface Rollout {
  state: RolloutProgress["state"];
  readonly robots: { state: Robot; canary: boolean; isNews: boolean }[];
  readonly batchSize: number;
  readonly threshold: number;
}

function progressOf({ state, robots, batchSize, threshold }: Rollout): RolloutProgress {
  const count = (wanted: Robot) => robots.filter((robot) => robot.state === wanted).length;
  const news = robots.filter((robot) => robot.state === "FAILED" && robot.isNews);
  return {
    state,
    batchSize,
    failureThresholdPercent: threshold,
    waiting: count("WAITING"),
    open: count("OPEN"),
    done: count("DONE"),
    failed: count("FAILED"),
    newFailures: news.length,
    canaryFailed: news.some(({ canary }) => canary),
  };
}

/** What happens to a rollout from outside, in the order drawn. */
const happening = fc.record({
  what: fc.constantFrom("done", "failed", "refused", "skipped", "pause", "resume", "cancel", "look", "look", "look"),
  which: fc.nat({ max: 1_000 }),
});
const rollouts = fc.record({
  robots: fc.integer({ min: 1, max: 40 }),
  batchSize: fc.integer({ min: 1, max: 12 }),
  threshold: fc.integer({ min: 0, max: 100 }),
  happenings: fc.array(happening, { maxLength: 300 }),
});

function happen(rollout: Rollout, what: string, which: number): void {
  const pick = (state: Robot) => {
    const found = rollout.robots.filter((robot) => robot.state === state);
    return found[which % Math.max(1, found.length)];
  };
  const open = pick("OPEN");
  if (what === "done" && open) open.state = "DONE";
  if (what === "failed" && open) Object.assign(open, { state: "FAILED", isNews: true });
  if (what === "refused" && open) Object.assign(open, { state: "WAITING", canary: false });
  const waiting = pick("WAITING");
  if (what === "skipped" && waiting) waiting.state = "SKIPPED";
  if (what === "pause" && rollout.state === "RUNNING") rollout.state = "PAUSED";
  if (what === "resume" && rollout.state === "PAUSED") {
    rollout.state = "RUNNING";
    for (const robot of rollout.robots) robot.isNews = false;
  }
  if (what === "cancel" && (rollout.state === "RUNNING" || rollout.state === "PAUSED")) {
    rollout.state = "CANCELLED";
    for (const robot of rollout.robots) if (robot.state === "WAITING") robot.state = "SKIPPED";
  }
}

/** What is wrong with a step, according to the rules. */
function problemOf(before: RolloutProgress, step: RolloutStep): string | null {
  const isRunning = before.state === "RUNNING";
  switch (step.kind) {
    case "nothing":
      return null;
    case "end":
      return before.open > 0 || (before.state !== "CANCELLED" && before.waiting > 0) ? "ends too early" : null;
    case "pause":
      return isRunning && before.waiting > 0 ? null : "pauses for nothing";
    case "offer": {
      const isOver = before.failed * 100 > before.failureThresholdPercent * (before.failed + before.done);
      if (!isRunning || before.open > 0) return "begins a batch beside another";
      if (before.canaryFailed || (before.newFailures > 0 && isOver)) return "goes on past failures";
      const isRight =
        step.maxRobots === (before.done === 0 ? 1 : before.batchSize) && step.canary === (before.done === 0);
      return isRight ? null : "offers it to too many or too few";
    }
  }
}

/** Takes the next step; returns whether the rollout has ended. */
function takeStep(rollout: Rollout, problems: string[]): boolean {
  const before = progressOf(rollout);
  const step = rolloutStep(before);
  const problem = problemOf(before, step);
  if (problem !== null) problems.push(problem);
  if (step.kind === "pause") rollout.state = "PAUSED";
  if (step.kind === "offer") {
    const offered = rollout.robots.filter(({ state }) => state === "WAITING").slice(0, step.maxRobots);
    for (const robot of offered) Object.assign(robot, { state: "OPEN", canary: step.canary });
  }
  return step.kind === "end";
}

describe("protocol rule 13: how a rollout proceeds", () => {
  it("whatever happens, starts with one canary, keeps batches separate, pauses above the threshold, and ends", () => {
    fc.assert(
      fc.property(rollouts, ({ robots, batchSize, threshold, happenings }) => {
        const rollout: Rollout = {
          state: "RUNNING",
          robots: Array.from({ length: robots }, () => ({ state: "WAITING", canary: false, isNews: false })),
          batchSize,
          threshold,
        };
        const problems: string[] = [];
        let ended = false;
        for (const { what, which } of happenings) {
          if (what === "look") ended ||= takeStep(rollout, problems);
          else if (!ended) happen(rollout, what, which);
          expect(rollout.robots.filter(({ state }) => state === "OPEN").length).toBeLessThanOrEqual(batchSize);
        }
        // If people let it continue and robots accept the firmware, it ends.
        for (let turn = 0; !ended && turn < 4 * robots + 4; turn += 1) {
          happen(rollout, "resume", 0);
          ended = takeStep(rollout, problems);
          while (rollout.robots.some(({ state }) => state === "OPEN")) happen(rollout, "done", 0);
        }
        expect([ended, problems]).toEqual([true, []]);
      }),
      { numRuns: 200 * inject("soak").factor },
    );
  });

  const stand: RolloutProgress = {
    state: "RUNNING",
    batchSize: 10,
    failureThresholdPercent: 20,
    waiting: 50,
    open: 0,
    done: 8,
    failed: 2,
    newFailures: 2,
    canaryFailed: false,
  };
  test.each<[string, Partial<RolloutProgress>, string]>([
    ["continues if exactly the threshold failed", {}, "offer"],
    ["pauses if more failed", { failed: 3, done: 8, newFailures: 3 }, "pause"],
    [
      "pauses at once if more will have failed whatever happens",
      { open: 1, failed: 3, done: 7, newFailures: 3 },
      "pause",
    ],
    ["waits while those in progress may still compensate", { open: 9, failed: 3, done: 8, newFailures: 3 }, "nothing"],
    ["continues if a person knew of all failures", { failed: 9, done: 1, newFailures: 0 }, "offer"],
    ["ends if nobody waits, however many failed", { waiting: 0, failed: 10, done: 0 }, "end"],
    ["ends while paused, too, if nobody waits", { waiting: 0, state: "PAUSED" }, "end"],
    ["starts nothing while it is paused", { state: "PAUSED" }, "nothing"],
    ["waits for the batch in progress if it was cancelled", { state: "CANCELLED", waiting: 0, open: 1 }, "nothing"],
  ])("%s", (_words, change, kind) => {
    expect(rolloutStep({ ...stand, ...change }).kind).toBe(kind);
  });
});

describe("protocol rule 13: the effect of a robot's report", () => {
  it("never completes an update, and lets a robot wait that refused for a temporary reason", () => {
    const of = (
      phase: Parameters<typeof reportOutcome>[0]["phase"],
      code: Parameters<typeof reportOutcome>[0]["code"],
    ) => reportOutcome({ phase, code, percent: 30 });
    expect(of("INSTALLED", null)).toEqual({ state: "INSTALLING", percent: 30 });
    expect(of("REJECTED", "BUSY")).toEqual({ state: "WAITING", code: "BUSY" });
    expect(of("REJECTED", "INVALID")).toEqual({ state: "FAILED", code: "INVALID" });
    expect(of("REJECTED", null)).toEqual({ state: "FAILED", code: "REFUSED" });
    // What it accepted it does not accept again by itself.
    expect(of("FAILED", "BATTERY_LOW")).toEqual({ state: "FAILED", code: "BATTERY_LOW" });
  });
});
