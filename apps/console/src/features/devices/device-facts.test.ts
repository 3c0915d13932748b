import type { Device } from "@suncrew/contract/devices/devices.ts";
import { expect, test } from "vitest";
import { deviceCounts, deviceNote, devicesFound, partnersOf } from "./device-facts.ts";

const at = "2026-06-15T06:30:00.000Z";
const device = (serial: string, change: Partial<Device> = {}): Device => ({
  serial,
  created_at: at,
  secret_at: at,
  retired_at: null,
  broker_pending: false,
  secret_unsure: false,
  partner: { id: 1, name: "In-house" },
  robot: null,
  sensor_of: null,
  ...change,
});
const robot = { id: 1, name: "Sweeper", site_id: 2, site_name: "Bhadla Park", online: true };
const devices = [
  device("SCR-1001", { robot }),
  device("SCR-1002", { partner: { id: 4, name: "Deccan Care" } }),
  device("SCR-1003", { retired_at: at, robot: { ...robot, name: "Brush" } }),
];

test("protocol rule 9: a retired device is shown as retired even if a robot still has it", () => {
  expect(deviceCounts(devices)).toEqual({ all: 3, free: 1, assigned: 1, retired: 1 });
});

test("a site's weather sensor is assigned, and found by its site", () => {
  const sensor = device("WX-1", { sensor_of: { site_id: 2, site_name: "Bhadla Park" } });
  expect(deviceCounts([sensor])).toMatchObject({ free: 0, assigned: 1 });
  expect(devicesFound([sensor], "assigned", "bhadla")).toEqual([sensor]);
});

test.each([
  [{}, null],
  [{ broker_pending: true }, "broker not updated yet"],
  [{ secret_unsure: true }, "rotate again"],
] as const)("protocol rule 9: a device that is %o says %j", (change, note) => {
  expect(deviceNote(device("SCR-1004", change))).toBe(note);
});

test.each([
  ["all", "", ["SCR-1001", "SCR-1002", "SCR-1003"]],
  ["all", "1002", ["SCR-1002"]],
  ["all", "bhadla SWEEP", ["SCR-1001"]],
  ["all", "deccan", ["SCR-1002"]],
  ["assigned", "", ["SCR-1001"]],
  ["free", "bhadla", []],
  ["retired", " brush ", ["SCR-1003"]],
] as const)("devices that are %s and found by %j", (filter, search, serials) => {
  expect(devicesFound(devices, filter, search).map(({ serial }) => serial)).toEqual(serials);
});

test("each partner that has devices is listed once, by name", () => {
  expect(partnersOf(devices)).toEqual([
    { id: 4, name: "Deccan Care" },
    { id: 1, name: "In-house" },
  ]);
});
