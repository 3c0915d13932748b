import { expect, test } from "vitest";
import { partnersElsewhere, serialChoices } from "./serial-choice.ts";

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

test("§6: to a Super Admin a free one that is allocated to another partner than the site's says whose it is", () => {
  const devices = [
    { serial: "SCR-9", partner: { id: 8, name: "Deccan Care" } },
    { serial: "SCR-10", partner: { id: 8, name: "Deccan Care" } },
    { serial: "SCR-11", partner: { id: 1, name: "In-house" } },
    { serial: "SCR-12", partner: { id: 7, name: "SunCare" } },
  ];
  const elsewhere = partnersElsewhere(devices, 7);
  expect([...elsewhere.keys()]).toEqual(["SCR-9", "SCR-10"]);
  expect([...partnersElsewhere(devices, null).keys()]).toEqual(["SCR-9", "SCR-10", "SCR-12"]);
  expect(serialChoices(numbers, "SCR-9", "", elsewhere)).toEqual([
    { serialNumber: "SCR-9", state: "own" },
    { serialNumber: "SCR-10", state: "elsewhere", partner: "Deccan Care" },
    { serialNumber: "SCR-11", state: "assigned" },
  ]);
});
