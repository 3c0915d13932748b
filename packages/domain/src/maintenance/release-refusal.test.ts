import { describe, expect, test } from "vitest";
import { type ReleaseCandidate, releaseRefusal } from "./release-refusal.ts";

const now = new Date("2026-03-01T10:00:00Z");
const locked: ReleaseCandidate = {
  deviceRetired: false,
  online: true,
  operatingMode: "maintenance",
  deviceMode: "MAINTENANCE",
  liveStateAt: now,
  hasUnsettledMaintenanceOn: false,
  hasUnsettledMaintenanceOff: false,
};

describe("protocol rule 8: who may be released", () => {
  test.each([
    ["a robot that keeps its lock", {}, null],
    ["one that was locked at the robot itself", { operatingMode: "auto" }, null],
    ["one that lost its lock while the server still has it", { deviceMode: "AUTO" }, null],
    ["one that is not locked", { operatingMode: "auto", deviceMode: "AUTO" }, "not-locked"],
    ["one whose device was retired, rather than offline for ever", { deviceRetired: true, online: false }, "retired"],
    ["one that is away", { online: false }, "away"],
    ["one without a live state", { liveStateAt: null }, "away"],
    ["one that has not confirmed the lock", { hasUnsettledMaintenanceOn: true }, "lock-unconfirmed"],
    ["one whose release is in progress", { hasUnsettledMaintenanceOff: true }, "release-open"],
    ["one that has been silent", { liveStateAt: new Date(now.getTime() - 45_001) }, "stale"],
  ] as const)("%s", (_, change, expected) => {
    expect(releaseRefusal({ ...locked, ...change }, now)).toBe(expected);
  });
});
