import { expect, test } from "vitest";
import { robotNameKey, robotWithSerial } from "./robot-name.ts";

test.each([
  ["Row 1", "Row1", true],
  [" R o w 1 ", "Row1", true],
  ["Row 1", "row 1", false],
  ["Row\u00a01", "Row1", true],
])("§5 Robot form: the names %j and %j are compared without spaces, case kept", (one, other, same) => {
  expect(robotNameKey(one) === robotNameKey(other)).toBe(same);
});

test.each([
  ["Row 1", "SCR-1003", "Row 1 (SCR-1003)"],
  ["SCR-1003", "SCR-1003", "SCR-1003"],
  ["Row 1", null, "Row 1"],
  [null, "SCR-1003", "SCR-1003"],
  [null, null, null],
])("a robot of the name %j and the serial number %j is called %j", (name, serial, called) => {
  expect(robotWithSerial(name, serial)).toBe(called);
});
