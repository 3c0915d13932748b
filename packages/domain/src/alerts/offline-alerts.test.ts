import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { decideOfflineAlerts, type FleetConnectivity, type OfflineRobot } from "./offline-alerts.ts";

const now = new Date("2026-03-01T06:00:00Z");
const ago = (minutes: number) => new Date(now.getTime() - minutes * 60_000);

let robots = 0;
const offline = (siteId: number, minutes: number, hasAlert = false): OfflineRobot => ({
  robotId: (robots += 1),
  siteId,
  since: ago(minutes),
  hasAlert,
});
const twenty = (siteId: number, minutes: number) => Array.from({ length: 20 }, () => offline(siteId, minutes));

function decided(fleet: Partial<FleetConnectivity>) {
  const {
    robots: told,
    newOutages,
    recovered,
  } = decideOfflineAlerts({ now, offline: [], recoveredSiteIds: new Set(), outages: [], ...fleet });
  return { told: told.length, dark: newOutages.map(({ siteId }) => siteId), recovered };
}
const nothing = { told: 0, dark: [], recovered: [] };

describe("Alerts: a robot that is offline too long", () => {
  test.each([
    [29.9, 0],
    [30, 1],
    [600, 1],
  ])("for %d minutes, while others of its site are there: %d alerts", (minutes, alerts) => {
    expect(decided({ offline: [offline(1, minutes)], recoveredSiteIds: new Set([1]) })).toEqual({
      ...nothing,
      told: alerts,
    });
  });

  it("is reported once", () => {
    expect(decided({ offline: [offline(1, 90, true)], recoveredSiteIds: new Set([1]) })).toEqual(nothing);
  });

  it("alone at its site is a robot, not a dark site", () => {
    expect(decided({ offline: [offline(1, 6)] })).toEqual(nothing);
    expect(decided({ offline: [offline(1, 31)] })).toEqual({ ...nothing, told: 1 });
  });
});

describe("Alerts: a whole site going dark is one alert", () => {
  test.each([
    [4.9, []],
    [5, [1]],
    [45, [1]],
  ])("twenty robots away for %d minutes: dark sites %j", (minutes, dark) => {
    expect(decided({ offline: twenty(1, minutes) })).toEqual({ ...nothing, dark });
  });

  it("waits for the last robot, and none is reported separately before that", () => {
    expect(decided({ offline: [...twenty(1, 31), offline(1, 2)] })).toEqual(nothing);
  });

  it("even if a robot was offline before, which keeps its own alert", () => {
    expect(decided({ offline: [offline(1, 9_000, true), ...twenty(1, 6)] })).toEqual({ ...nothing, dark: [1] });
    expect(decided({ offline: [offline(1, 9_000, true), offline(1, 31)] })).toEqual({ ...nothing, told: 1 });
  });

  it("stays while nobody is back, and ends with the first that returns", () => {
    const outages = [{ siteId: 1, clearedAt: null }];
    expect(decided({ offline: twenty(1, 90), outages })).toEqual(nothing);
    expect(decided({ offline: twenty(1, 90), outages, recoveredSiteIds: new Set([1]) })).toEqual({
      ...nothing,
      recovered: [1],
    });
    // All of its robots were deleted or put in maintenance.
    expect(decided({ outages })).toEqual({ ...nothing, recovered: [1] });
  });

  it("has been over for five minutes before robots that are still offline get their own alerts", () => {
    const recovered = { offline: twenty(1, 90), recoveredSiteIds: new Set([1]) };
    expect(decided({ ...recovered, outages: [{ siteId: 1, clearedAt: ago(4.9) }] })).toEqual(nothing);
    expect(decided({ ...recovered, outages: [{ siteId: 1, clearedAt: ago(5) }] })).toEqual({ ...nothing, told: 20 });
  });

  it("is raised again if the only robot that was back leaves again", () => {
    expect(
      decided({ offline: [...twenty(1, 90), offline(1, 6)], outages: [{ siteId: 1, clearedAt: ago(8) }] }),
    ).toEqual({
      ...nothing,
      dark: [1],
    });
  });

  it("property: no robot is reported separately at a site that is dark or going dark, and none twice", () => {
    const robot = fc.record({ siteId: fc.integer({ min: 1, max: 4 }), minutes: fc.nat(90), hasAlert: fc.boolean() });
    const fleet = fc.record({
      offline: fc.array(robot, { maxLength: 30 }),
      recovered: fc.uniqueArray(fc.integer({ min: 1, max: 4 })),
      outages: fc.uniqueArray(fc.integer({ min: 1, max: 4 })),
    });
    fc.assert(
      fc.property(fleet, (drawn) => {
        const all = drawn.offline.map(({ siteId, minutes, hasAlert }) => offline(siteId, minutes, hasAlert));
        const outages = drawn.outages.map((siteId) => ({ siteId, clearedAt: null }));
        const recoveredSiteIds = new Set(drawn.recovered);
        const {
          robots: told,
          newOutages,
          recovered,
        } = decideOfflineAlerts({ now, offline: all, recoveredSiteIds, outages });
        const stillDark = new Set([
          ...drawn.outages.filter((siteId) => !recovered.includes(siteId)),
          ...newOutages.map(({ siteId }) => siteId),
        ]);
        expect(told.filter(({ siteId, hasAlert }) => stillDark.has(siteId) || hasAlert)).toEqual([]);
        expect(new Set(told).size).toBe(told.length);
        expect([...stillDark].filter((siteId) => recoveredSiteIds.has(siteId))).toEqual([]);
      }),
    );
  });
});
