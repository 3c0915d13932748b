import { describe, expect, it, test } from "vitest";
import { type OfferCandidate, offerRefusal } from "./offer-refusal.ts";

const now = new Date("2026-03-01T06:00:00Z");
const ready: OfferCandidate = {
  deleted: false,
  replaced: false,
  deviceRetired: false,
  firmware: "1.0.0",
  operatingMode: "auto",
  deviceMode: "AUTO",
  online: true,
  liveStateAt: new Date("2026-03-01T05:59:50Z"),
  clockSkewMs: 0,
  motion: "STOPPED",
  status: "idle",
  hasOpenCommand: false,
  stillInstalling: false,
  batteryPercent: 50,
  waitUntil: null,
};

describe("protocol rule 13: new firmware only for a stopped robot", () => {
  it("is offered to one that is online, idle, and has half of its battery", () => {
    expect(offerRefusal(ready, "2.0.0", now)).toBeNull();
    expect(offerRefusal({ ...ready, firmware: null, waitUntil: now, deviceMode: "MANUAL" }, "2.0.0", now)).toBeNull();
  });

  test.each<[string, Partial<OfferCandidate>, string]>([
    ["is in maintenance", { operatingMode: "maintenance" }, "maintenance"],
    ["keeps a lock", { deviceMode: "MAINTENANCE" }, "maintenance"],
    ["is away", { online: false }, "away"],
    ["has sent no live state", { liveStateAt: null }, "away"],
    ["was last heard 45.001 s ago", { liveStateAt: new Date(now.getTime() - 45_001) }, "stale"],
    ["has a wrong clock", { clockSkewMs: -30_001 }, "clock"],
    ["moves", { motion: "MOVING", status: "normal" }, "moving"],
    ["never showed whether it moves", { motion: null }, "moving"],
    ["has a command in progress", { hasOpenCommand: true }, "commanded"],
    ["may be installing what it did not show in time", { stillInstalling: true }, "installing"],
    ["shows a warning", { status: "warning" }, "not-idle"],
    ["has 49.9 % battery", { batteryPercent: 49.9 }, "battery"],
    ["has 12 % battery and warns of it", { batteryPercent: 12, status: "warning" }, "battery"],
    ["never reported its battery", { batteryPercent: null }, "battery"],
    ["refused a moment ago", { waitUntil: new Date(now.getTime() + 1) }, "refused"],
  ])("waits where it %s", (_words, change, why) => {
    expect(offerRefusal({ ...ready, ...change }, "2.0.0", now)).toEqual({ kind: "wait", why });
  });

  test.each<[string, Partial<OfferCandidate>, string]>([
    ["was deleted", { deleted: true }, "deleted"],
    ["has been given another device", { replaced: true }, "replaced"],
    ["has a retired device", { deviceRetired: true }, "retired"],
    ["runs it already", { firmware: "2.0.0" }, "has-it"],
  ])("is left out where it %s, also while it is away", (_words, change, why) => {
    expect(offerRefusal({ ...ready, online: false, ...change }, "2.0.0", now)).toEqual({ kind: "skip", why });
  });
});
