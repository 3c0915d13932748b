import { expect, test } from "vitest";
import { sharesOf } from "./shares.ts";

test.each([
  [0, []],
  [1, [1]],
  [5, [5]],
  [6, [5, 1]],
  [10, [5, 5]],
])("shares: %i robots are divided by 5, in order, and none is lost", (count, sizes) => {
  const robots = Array.from({ length: count }, (_, nth) => nth);
  const shares = sharesOf(robots, 5);
  expect(shares.map(({ length }) => length)).toEqual(sizes);
  expect(shares.flat()).toEqual(robots);
});
