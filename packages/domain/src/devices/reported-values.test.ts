import { expect, test } from "vitest";
import { reportedTime } from "./reported-values.ts";

const receivedAt = new Date("2026-11-21T06:30:00Z");
const before = new Date("2026-11-21T05:00:00Z");
const after = new Date("2026-11-21T06:30:01Z");

test.each([
  ["a clock that is right is trusted", before, 1_000, before],
  ["so is one that was never seen", before, null, before],
  ["one that is fast is not", before, 30_001, receivedAt],
  ["nor one that is slow", before, -30_001, receivedAt],
  ["nothing is reported before it happened", after, 0, receivedAt],
])("protocol rule 12: %s", (_words, at, clockSkewMs, expected) => {
  expect(reportedTime({ at, receivedAt, clockSkewMs })).toEqual(expected);
});
