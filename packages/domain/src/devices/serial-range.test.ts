import { expect, test } from "vitest";
import { serialRange } from "./serial-range.ts";

test.each([
  ["SCR-1021", "SCR-1023", ["SCR-1021", "SCR-1022", "SCR-1023"]],
  ["SCR-0099", "SCR-0101", ["SCR-0099", "SCR-0100", "SCR-0101"]],
  ["A2B-8", "A2B-9", ["A2B-8", "A2B-9"]],
  ["ROBOT", "ROBOT", ["ROBOT"]],
  ["SCR-99", "SCR-100", null],
  ["SCR-5", "SCR-4", null],
  ["SCR-1", "SCX-3", null],
  ["ROBOT", "ROBOTS", null],
  ["SCR-1000", "SCR-2000", null],
] as const)("devices from %s to %s", (first, last, serials) => {
  expect(serialRange(first, last, 1000)).toEqual(serials);
});
