import { expect, test } from "vitest";
import { problemsByField } from "../../../platform/form/entity-form.ts";
import { robotRow } from "../test/robot-rows.ts";
import {
  emptyRobotForm,
  partnersElsewhere,
  ROBOT_FIELDS,
  type RobotForm,
  robotFormOf,
  robotFormProblems,
  robotRules,
  serialChoices,
  typeChoices,
  withSerialNumber,
} from "./robot-form.ts";

const whole: RobotForm = {
  ...emptyRobotForm(1, "2026-11-22"),
  name: "Row 7",
  serialNumber: "SCR-1007",
  installationDate: "2024-02-29",
};
const others = [robotRow({ robot_name: "Row 8" })];

test("§5 Robot form: name, serial number and installation date are required, motor and control type are not", () => {
  expect(robotFormProblems(emptyRobotForm(1, ""), others)).toEqual({
    name: "Robot name is required",
    serialNumber: "Serial number is required",
    installationDate: "Installation date is required",
  });
  expect(robotFormProblems(whole, others)).toEqual({});
  expect(robotFormProblems({ ...whole, name: "  " }, others)).toEqual({ name: "Robot name is required" });
});

test.each([
  ["Row 8", true],
  ["R o w8", true],
  ["row 8", false],
])("§5 Robot form: %s beside Row 8 is a duplicate: %s", (name, isDuplicate) => {
  const problem = robotFormProblems({ ...whole, name }, others).name;
  expect(problem).toBe(isDuplicate ? "Robot name already exists for this site" : undefined);
});

test("§5 Robot form: choosing a serial number also sets the name", () => {
  expect({ ...emptyRobotForm(1, "2026-11-22"), ...withSerialNumber("SCR-1009") }).toMatchObject({
    name: "SCR-1009",
    serialNumber: "SCR-1009",
  });
});

test("the server's message is shown at its field, as a sentence", () => {
  const errors = [
    { field: "serial_number", message: "is not a serial number" },
    { field: "robot_name", message: "Robot name already exists for this site" },
    { field: "version", message: "no field" },
  ];
  expect(problemsByField(errors, robotRules)).toEqual({
    serialNumber: "Serial number is not a serial number",
    name: "Robot name already exists for this site",
  });
});

test("§5 Robot form: invisible characters in a name are reported, and left out of stored names", () => {
  const opened = robotFormOf({ ...robotRow(), robot_name: "Row\u200B 1" });
  expect(opened.name).toBe("Row 1");
  expect(robotFormProblems({ ...opened, name: "Row\u200B 1" }, [])).toEqual({
    name: "Robot name must not have a character that cannot be seen (U+200B)",
  });
});

test("only a difference in what would be stored counts", () => {
  const form = robotFormOf(robotRow());
  const differing = (other: RobotForm) => ROBOT_FIELDS.filter((field) => !robotRules.isSame(form, other, field));
  expect(differing({ ...form, name: `${form.name} ` })).toEqual([]);
  expect(differing({ ...form, motorType: "AC" })).toEqual(["motorType"]);
  expect(robotRules.units.flat()).toEqual(ROBOT_FIELDS);
});

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

test("the search narrows the list, ignoring case", () => {
  expect(serialChoices(numbers, null, " scr-1 ").map(({ serialNumber }) => serialNumber)).toEqual(["SCR-10", "SCR-11"]);
  expect(serialChoices(numbers, null, "none")).toEqual([]);
});

test("§6: a Super Admin sees to which partner a free serial number is allocated, if it is not the site's", () => {
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

test("motor types: those in use come first, then the usual ones that are not among them", () => {
  expect(typeChoices("motorType", ["Servo", "bldc"])).toEqual(["Servo", "bldc", "DC Geared", "Stepper"]);
});
