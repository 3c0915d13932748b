import { describe, expect, test } from "vitest";
import { successSentences } from "./group-outcome.ts";

describe("§4 Group action: how many were started or stopped", () => {
  const moved = { outcome: "SUCCESS", pending: false, was_moving: true } as const;
  const stood = { ...moved, was_moving: false };
  const failed = { outcome: "FAILED", pending: true } as const;

  test.each([
    [[moved, moved], "2 of 2 robots stopped."],
    [[moved, stood, stood], "1 of 1 robot stopped. 2 stood already."],
    [[moved, stood, failed], "1 of 2 robots stopped. 1 stood already."],
    [[stood, stood], "2 robots stood already."],
    [[failed], "0 of 1 robot stopped."],
  ])("%j: %s", (results, sentences) => {
    expect(successSentences(results, "stopped")).toBe(sentences);
  });
});
