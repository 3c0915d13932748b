import { expect, test } from "vitest";
import {
  presentByReport,
  runLimitText,
  type RunInProgress,
  runOfMany,
  runProgressOf,
  runProgressText,
  shortProgressText,
} from "./run-progress.ts";

const at = (time: string) => new Date(`2026-03-01T${time}Z`);
const clockOf = (instant: Date) => instant.toISOString().slice(11, 16);

function run(began: string, ends: string | null, change: Partial<RunInProgress> = {}): RunInProgress {
  return {
    beganAt: at(began),
    endsAt: ends === null ? null : at(ends),
    isPlanned: true,
    startedBy: "Scheduler",
    ...change,
  };
}
const byHand = (began: string, ends: string | null, startedBy: string | null = "Asha Rathore") =>
  run(began, ends, { isPlanned: false, startedBy });

test.each<[string, string, number | null, RunInProgress, string]>([
  ["18 of 30 min, ends 18:45", "18 of 30 min", 60, run("18:15:00", "18:45:00"), "18:33:10"],
  ["0 of 30 min, ends 18:45", "0 of 30 min", 0, run("18:15:00", "18:45:00"), "18:15:10"],
  // A robot begins a few seconds after its run was due, and a browser's clock may be behind.
  ["0 of 30 min, ends 18:45", "0 of 30 min", 0, run("18:15:04", "18:45:00"), "18:14:50"],
  ["29 of 30 min, ends 18:45", "29 of 30 min", 99, run("18:15:04", "18:45:00"), "18:44:59"],
  // One that began late ends on time.
  ["4 of 22 min, ends 18:45", "4 of 22 min", 18, run("18:23:00", "18:45:00"), "18:27:00"],
  ["8 of 15 min, ends 18:31", "8 of 15 min", 56, run("18:15:20", "18:30:20"), "18:23:50"],
  ["30 of 30 min, ends 18:45", "30 of 30 min", 100, run("18:15:00", "18:45:00"), "18:45:40"],
  ["3 min over its 30 min", "3 min over its 30 min", 100, run("18:15:00", "18:45:00"), "18:48:30"],
  ["0 of 1 min, ends 18:16", "0 of 1 min", 66, run("18:15:30", "18:16:00"), "18:15:50"],
  [
    "Cleaning for 12 min, started by Asha Rathore",
    "Cleaning for 12 min",
    null,
    byHand("12:00:00", "20:00:00"),
    "12:12:59",
  ],
  [
    "Cleaning for 2 h 5 min, started by Asha Rathore",
    "Cleaning for 2 h 5 min",
    null,
    byHand("12:00:00", null),
    "14:05:00",
  ],
  ["Cleaning for 2 h, started at the robot", "Cleaning for 2 h", null, byHand("12:00:00", null, "Robot"), "14:00:00"],
  ["Cleaning for under 1 min", "Cleaning for under 1 min", null, byHand("12:00:00", "20:00:00", null), "11:59:00"],
  // Without an end there is no plan to measure by.
  ["Cleaning for 5 min, started by Scheduler", "Cleaning for 5 min", null, run("12:00:00", null), "12:05:00"],
])("progress: '%s'", (text, short, percent, inProgress, now) => {
  const progress = runProgressOf(inProgress, at(now));
  expect(runProgressText(progress, clockOf)).toBe(text);
  expect(shortProgressText(progress)).toBe(short);
  expect(progress.kind === "planned" ? progress.percent : null).toBe(percent);
});

test("progress: the limit of a run by hand is said apart from its progress, and never too early", () => {
  const limitOf = (inProgress: RunInProgress) => runLimitText(runProgressOf(inProgress, at("12:30:00")), clockOf);
  expect(limitOf(byHand("12:00:20", "20:00:20"))).toBe("Stops by itself at 20:01");
  expect(limitOf(byHand("12:00:00", null))).toBeNull();
  expect(limitOf(run("12:00:00", "13:00:00"))).toBeNull();
});

test("progress: a group's run lasts from the first beginning to the last end", () => {
  const early = run("18:15:02", "18:45:00");
  const late = run("18:21:00", "18:46:00");
  expect(runOfMany([late, early])).toEqual({ ...early, endsAt: late.endsAt });
  // One that somebody started by hand has no plan, and so does not count beside those that have.
  expect(runOfMany([byHand("12:00:00", "20:00:00"), early])).toEqual(early);
  const two = [byHand("12:01:00", "20:01:00"), byHand("12:00:00", "20:00:00")];
  expect(runOfMany(two)).toEqual(byHand("12:00:00", "20:01:00"));
  expect(runOfMany([...two, byHand("12:00:00", null, "Omkar Jain")])).toEqual(byHand("12:00:00", null, null));
  expect(runOfMany([])).toBeNull();
});

test.each([
  ["as told by the browser", "18:20:00", "18:19:40", "18:20:00"],
  ["not before the last report, where the browser's clock is slow", "17:00:00", "18:19:40", "18:19:40"],
  ["not long after it, where the clock is fast", "19:00:00", "18:19:40", "18:21:40"],
  ["as told by the browser without a report", "19:00:00", null, "19:00:00"],
])("progress: the present is %s", (_, now, reportedAt, present) => {
  expect(presentByReport(at(now), reportedAt === null ? null : at(reportedAt))).toEqual(at(present));
});
