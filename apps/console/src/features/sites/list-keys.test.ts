import { expect, test } from "vitest";
import { rowStepFrom, stepFrom } from "./list-keys.ts";

test.each([
  ["ArrowDown", 0, 2],
  ["ArrowUp", 2, 0],
  ["ArrowRight", 1, 2],
  ["ArrowLeft", 1, 0],
  ["ArrowUp", 1, 1],
  ["ArrowDown", 4, 4],
  ["ArrowRight", 4, 4],
  ["Home", 3, 0],
  ["End", 1, 4],
  ["a", 1, null],
  ["constructor", 1, null],
])("§2 All Sites list: %s from %i of five in two columns leads to %s", (key, from, to) => {
  expect(stepFrom(key, from, 5, 2)).toBe(to);
});

test.each([
  ["ArrowDown", { row: 0, part: 1 }, { row: 1, part: 1 }],
  ["ArrowUp", { row: 0, part: 2 }, { row: 0, part: 2 }],
  ["ArrowRight", { row: 3, part: 0 }, { row: 3, part: 1 }],
  ["ArrowRight", { row: 3, part: 2 }, { row: 3, part: 2 }],
  ["ArrowLeft", { row: 3, part: 2 }, { row: 3, part: 1 }],
  ["End", { row: 1, part: 1 }, { row: 4, part: 1 }],
  ["Enter", { row: 1, part: 1 }, null],
])("§2 Site Management list: %s from %j of five rows with three buttons leads to %j", (key, from, to) => {
  expect(rowStepFrom(key, from, { rows: 5, parts: 3 })).toEqual(to);
});
