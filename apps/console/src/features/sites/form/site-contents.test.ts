import { expect, test } from "vitest";
import { contentsText, movingSentence } from "./site-contents.ts";

test.each([
  [{ robots: 4, groups: 2, schedules: 1 }, "4 robots, 2 groups and 1 schedule"],
  [{ robots: 1, groups: 1, schedules: 0 }, "1 robot and 1 group"],
  [{ robots: 2, groups: 0, schedules: 0 }, "2 robots"],
  [{ robots: 0, groups: 0, schedules: 0 }, null],
])("Delete Site lists what is deleted with it: %j is %j", (contents, text) => {
  expect(contentsText(contents)).toBe(text);
});

test.each([
  [["SCR-1001"], /^SCR-1001 is cleaning\. Stop it first/],
  [["A", "B", "C", "D", "E"], /^A, B, C and 2 more are cleaning\. Stop them first/],
])("Delete Site is refused while robots move: %j", (moving, sentence) => {
  expect(movingSentence(moving)).toMatch(sentence);
});

test("protocol rule 13: Delete Site says that a robot that was lost while cleaning may be moving", () => {
  expect(movingSentence(["SCR-1001"], true)).toMatch(/^SCR-1001 is cleaning or may be moving\. Stop it first/);
});

test("Delete Site is not refused while all robots are stopped", () => {
  expect(movingSentence([])).toBeNull();
});
