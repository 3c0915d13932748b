import { expect, it, test } from "vitest";
import { isPollDue } from "./polling.ts";

const queried = new Date("2026-03-01T06:00:00Z");
const after = (ms: number) => new Date(queried.getTime() + ms);

test.each([
  ["normal", 299_999, false],
  ["normal", 300_000, true],
  ["idle", 299_999, false],
  ["idle", 300_000, true],
  ["offline", 59_999, false],
  ["offline", 60_000, true],
  ["critical", 60_000, true],
  ["warning", 60_000, true],
] as const)("§9 Status polling: %s, %d ms after the last query: due %s", (status, ms, due) => {
  expect(isPollDue(status, queried, after(ms))).toBe(due);
});

it("§9 Status polling: a robot that was never polled is due", () => {
  expect(isPollDue("normal", null, queried)).toBe(true);
});
