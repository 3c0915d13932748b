import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { isKnownDeviceStatus, mapDeviceStatus, robotStatusOf } from "./status-mapping.ts";

describe("§4 Robot live status", () => {
  test.each([
    ["start", "normal"],
    ["stop", "idle"],
    ["warning", "warning"],
    ["offline", "offline"],
    ["fault", "critical"],
    ["error", "critical"],
    ["dancing", "normal"],
    ["", "normal"],
    ["constructor", "normal"],
  ])("device text %j is shown as %s, in any case", (text, status) => {
    expect(mapDeviceStatus(text)).toBe(status);
    expect(mapDeviceStatus(text.toUpperCase())).toBe(status);
  });

  it("knows exactly the six texts of the device protocol", () => {
    for (const text of ["start", "Stop", "WARNING", "offline", "fault", "error"])
      expect(isKnownDeviceStatus(text)).toBe(true);
    for (const text of ["", "run", "normal", "toString", "__proto__"]) expect(isKnownDeviceStatus(text)).toBe(false);
  });

  it("returns a status for any text at all", () => {
    fc.assert(
      fc.property(fc.string(), (text) =>
        ["normal", "idle", "warning", "offline", "critical"].includes(mapDeviceStatus(text)),
      ),
    );
  });

  it("shows a robot as offline while disconnected, unreported or in maintenance, whatever the device says", () => {
    const there = { online: true, operatingMode: "auto", deviceStatus: "start" } as const;
    expect(robotStatusOf(there)).toBe("normal");
    expect(robotStatusOf({ ...there, online: false })).toBe("offline");
    expect(robotStatusOf({ ...there, deviceStatus: null })).toBe("offline");
    expect(robotStatusOf({ ...there, operatingMode: "maintenance" })).toBe("offline");
  });
});
