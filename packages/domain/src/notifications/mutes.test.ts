import { MUTE_MAX_DAYS } from "@suncrew/contract/notifications/mutes.ts";
import { expect, test } from "vitest";
import { muteUntilProblem } from "./mutes.ts";

const now = new Date("2026-11-27T00:00:00Z");
const LONGEST_MS = MUTE_MAX_DAYS * 86_400_000;

test.each([
  ["a moment ahead", 1, null],
  ["at the longest", LONGEST_MS, null],
  ["longer than that", LONGEST_MS + 1, "A mute must end within 90 days"],
  ["at once", 0, "A mute must end in the future"],
  ["in the past", -60_000, "A mute must end in the future"],
])("mutes: an end %s", (_, aheadMs, problem) => {
  expect(muteUntilProblem(new Date(now.getTime() + aheadMs), now)).toBe(problem);
});
