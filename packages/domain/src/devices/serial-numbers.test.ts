import { describe, expect, test } from "vitest";
import { IN_HOUSE_PARTNER_ID, serialBlockedReason, serialRange, type SerialUse } from "./serial-numbers.ts";

const [OWN, OTHER] = [7, 8];
const device = (partnerId: number, isRetired = false) => ({ partnerId, isRetired });
const at = (sitePartnerId: number | null) => ({ sitePartnerId });
const use = (change: Partial<SerialUse>): SerialUse => ({
  askingPartnerId: OWN,
  sitePartnerId: OWN,
  device: device(OWN),
  otherRobot: null,
  ...change,
});

describe("§6 PARTNER: a serial number that is not allocated to the partner seems not to exist", () => {
  test.each([
    ["its own free one", {}, null],
    ["its own retired one", { device: device(OWN, true) }, "retired"],
    ["one of its own robots'", { otherRobot: at(OWN) }, "taken"],
    ["none at all", { device: null }, "unknown"],
    ["another's free one", { device: device(OTHER) }, "unknown"],
    ["another's retired one", { device: device(OTHER, true) }, "unknown"],
    ["one of another's robots'", { device: device(OTHER), otherRobot: at(OTHER) }, "unknown"],
    ["its own, which a robot at another's site has", { otherRobot: at(OTHER) }, "unknown"],
    ["the operator's", { device: device(IN_HOUSE_PARTNER_ID) }, "unknown"],
    ["one at a site without a partner", { otherRobot: at(null) }, "unknown"],
  ] as const)("%s", (_words, change, blockedReason) => {
    expect(serialBlockedReason(use(change))).toBe(blockedReason);
  });
});

describe("§6 SUPER_ADMIN: a machine that is allocated to a partner cannot be used at another partner's site", () => {
  test.each([
    ["the operator's, at a partner's site", { device: device(IN_HOUSE_PARTNER_ID) }, null],
    ["the operator's, at a site without a partner", { device: device(IN_HOUSE_PARTNER_ID), sitePartnerId: null }, null],
    ["a partner's, at its own site", {}, null],
    ["a partner's, at another's site", { device: device(OTHER) }, "another partner's"],
    ["a partner's, at a site of the operator", { sitePartnerId: IN_HOUSE_PARTNER_ID }, "another partner's"],
    ["a partner's, at a site without a partner", { sitePartnerId: null }, "another partner's"],
    ["a retired one", { device: device(OTHER, true) }, "retired"],
    ["one of any robot's", { device: device(OTHER), otherRobot: at(OTHER) }, "taken"],
    ["none at all", { device: null }, "unknown"],
  ] as const)("%s", (_words, change, blockedReason) => {
    expect(serialBlockedReason(use({ ...change, askingPartnerId: null }))).toBe(blockedReason);
  });
});

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
