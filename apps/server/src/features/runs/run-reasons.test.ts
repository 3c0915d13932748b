import { describe, expect, test } from "vitest";
import { reasonText, type RecordedEnd } from "./run-reasons.ts";

const end = (more: Partial<RecordedEnd>): RecordedEnd => ({
  outcome: "COMPLETED",
  reason: null,
  planned: false,
  stoppedBy: null,
  ...more,
});

describe("decisions, Cleaning runs: why a run ended, in plain words", () => {
  test.each([
    [{ reason: "STOP", stoppedBy: "Anita Rao" }, "Stopped by Anita Rao."],
    [{ reason: "STOP" }, "Stopped by a command."],
    [{ reason: "STOP", planned: true, stoppedBy: "Scheduler" }, "Stopped at its planned end."],
    [{ reason: "STOP", planned: true, outcome: "STOPPED", stoppedBy: "Omkar Jain" }, "Stopped by Omkar Jain."],
    [{ reason: "MAX_DURATION", planned: true }, "Reached its planned end."],
    [{ reason: "MAX_DURATION" }, "Reached the maximum duration of a run."],
    [{ reason: "FINISHED" }, "The robot finished by itself."],
    [{ reason: "FAULT", outcome: "CUT_SHORT" }, "The robot had a fault."],
    [{ reason: "BATTERY", outcome: "CUT_SHORT" }, "The robot's battery was too low."],
    [{ reason: "LINK_LOST", outcome: "CUT_SHORT" }, "The robot lost its connection."],
    [
      { reason: "MAINTENANCE", outcome: "STOPPED", stoppedBy: "Anita Rao" },
      "The robot was put in maintenance by Anita Rao.",
    ],
    [{ reason: "Robot OWN-1 is offline.", outcome: "SKIPPED", planned: true }, "Robot OWN-1 is offline."],
    [{ reason: null, outcome: null }, null],
  ] as const)("%o reads %s", (of, text) => {
    expect(reasonText(end(of))).toBe(text);
  });
});
