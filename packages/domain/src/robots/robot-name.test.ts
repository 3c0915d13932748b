import { expect, test } from "vitest";
import { robotNameKey } from "./robot-name.ts";

test.each([
  ["Row 1", "Row1", true],
  [" R o w 1 ", "Row1", true],
  ["Row 1", "row 1", false],
  ["Row\u00a01", "Row1", true],
])("§5 Robot form: the names %j and %j are compared without spaces, case kept", (one, other, same) => {
  expect(robotNameKey(one) === robotNameKey(other)).toBe(same);
});
