import { expect, test } from "vitest";
import { serialChoices } from "./serial-choice.ts";

const numbers = [
  { serial_number: "SCR-9", assigned: true },
  { serial_number: "SCR-10", assigned: false },
  { serial_number: "SCR-11", assigned: true },
];

test("§3 Assignable serial numbers: assigned ones are shown, but the robot's own can be chosen", () => {
  expect(serialChoices(numbers, "SCR-9", "")).toEqual([
    { serialNumber: "SCR-9", state: "own" },
    { serialNumber: "SCR-10", state: "free" },
    { serialNumber: "SCR-11", state: "assigned" },
  ]);
});

test("the words narrow the list in any case", () => {
  expect(serialChoices(numbers, null, " scr-1 ").map(({ serialNumber }) => serialNumber)).toEqual(["SCR-10", "SCR-11"]);
  expect(serialChoices(numbers, null, "none")).toEqual([]);
});
