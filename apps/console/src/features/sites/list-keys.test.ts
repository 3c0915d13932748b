import { expect, test } from "vitest";
import { stepFrom } from "./list-keys.ts";

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
