import { describe, expect, it, test } from "vitest";
import { type StartCandidate, type StartRefusal, startRefusal } from "./command-refusals.ts";

const now = new Date("2026-03-01T06:00:00Z");
const ready: StartCandidate = {
  deviceRetired: false,
  online: true,
  motion: "STOPPED",
  operatingMode: "auto",
  deviceMode: "AUTO",
  liveStateAt: new Date("2026-03-01T05:59:50Z"),
  clockSkewMs: 120,
  installing: false,
  weather: null,
  hasOpenStart: false,
  hasUnsettledStop: false,
  hasUnsettledMaintenanceOn: false,
};

describe("protocol rule 2: START only to a robot that is connected", () => {
  it("is sent to a robot that is online, fresh and stopped", () => {
    expect(startRefusal(ready, now)).toBeNull();
  });

  test.each<[string, Partial<StartCandidate>, StartRefusal]>([
    ["is away", { online: false }, "away"],
    ["has sent no live state in this session", { liveStateAt: null }, "away"],
    ["was last heard 45.001 s ago", { liveStateAt: new Date(now.getTime() - 45_001) }, "stale"],
    [
      "was heard in the future, before the clock was set back",
      { liveStateAt: new Date(now.getTime() + 45_001) },
      "stale",
    ],
    ["moves", { motion: "MOVING" }, "moving"],
    ["has a START under way", { hasOpenStart: true }, "start-open"],
    ["has a STOP that is not settled", { hasUnsettledStop: true }, "stop-unsettled"],
    ["is locked on the server", { operatingMode: "maintenance" }, "maintenance"],
    ["is locked at the robot", { deviceMode: "MAINTENANCE" }, "maintenance"],
    ["has a lock on its way", { hasUnsettledMaintenanceOn: true }, "maintenance"],
    ["installs new firmware (rule 13)", { installing: true }, "installing"],
    ["restarts with new firmware (rule 13)", { installing: true, online: false, liveStateAt: null }, "installing"],
    ["has a clock 30.001 s ahead (rule 12)", { clockSkewMs: 30_001 }, "clock"],
    ["has a clock 30.001 s behind (rule 12)", { clockSkewMs: -30_001 }, "clock"],
    ["is where a weather limit is passed", { weather: { verdict: "PASSED", judgedAt: now } }, "weather-limit"],
    [
      "is away where a weather limit is passed: it is not waited for",
      { weather: { verdict: "PASSED", judgedAt: now }, online: false },
      "weather-limit",
    ],
    ["is where nobody knows the weather", { weather: { verdict: "UNKNOWN", judgedAt: now } }, "weather-unknown"],
    ["is where nobody has judged the weather", { weather: { verdict: null, judgedAt: null } }, "weather-unknown"],
    [
      "is where the weather was judged 20.001 s ago, whatever the verdict",
      { weather: { verdict: "CLEAR", judgedAt: new Date(now.getTime() - 20_001) } },
      "weather-unknown",
    ],
    [
      "is where the weather was judged in the future, before the clock was set back",
      { weather: { verdict: "CLEAR", judgedAt: new Date(now.getTime() + 20_001) } },
      "weather-unknown",
    ],
  ])("is refused to a robot that %s", (_words, change, refusal) => {
    expect(startRefusal({ ...ready, ...change }, now)).toBe(refusal);
  });

  it("still accepts values exactly at the limits", () => {
    const edge = {
      ...ready,
      liveStateAt: new Date(now.getTime() - 45_000),
      clockSkewMs: 30_000,
      weather: { verdict: "CLEAR", judgedAt: new Date(now.getTime() - 20_000) },
    } as const;
    expect(startRefusal(edge, now)).toBeNull();
  });

  it("names a retired device (rule 9), then the lock, before anything else", () => {
    expect(startRefusal({ ...ready, deviceRetired: true, operatingMode: "maintenance" }, now)).toBe("retired");
    expect(startRefusal({ ...ready, online: false, operatingMode: "maintenance" }, now)).toBe("maintenance");
  });
});
