import { timezoneAt } from "@suncrew/domain/sites/timezone.ts";
import { serialSchema } from "@suncrew/contract/http/values.ts";
import { energyFactInputs } from "@suncrew/contract/sites/site-forms.ts";
import { energyFactErrors, missingFacts, noEnergyFacts } from "@suncrew/domain/sites/site-energy-facts.ts";
import fc from "fast-check";
import { z } from "zod";
import { describe, expect, test } from "vitest";
import { demoDistricts, partnersOfState } from "./demo-districts.ts";
import { demoFleet, demoRobots, demoSerials } from "./demo-fleet.ts";
import { demoParks, maxGeneratedParks } from "./demo-parks.ts";

const LARGEST = { sites: 2_000, robots: 20_000 };
const sizes = fc.record({ sites: fc.integer({ min: 1, max: 2_000 }), robots: fc.integer({ min: 0, max: 20_000 }) });

/** South, north, west and east of each state in degrees, and the first two digits of its PIN codes (India Post). */
const states: Readonly<Record<string, readonly [number, number, number, number, number, number]>> = {
  "Andhra Pradesh": [12.6, 19.2, 76.7, 84.8, 51, 53],
  Assam: [24.1, 28, 89.6, 96.1, 78, 78],
  Bihar: [24.3, 27.6, 83.3, 88.4, 80, 85],
  Chhattisgarh: [17.7, 24.2, 80.2, 84.4, 49, 49],
  Gujarat: [20.1, 24.8, 68.1, 74.5, 36, 39],
  Haryana: [27.6, 31, 74.4, 77.7, 12, 13],
  Jharkhand: [21.9, 25.4, 83.3, 88, 81, 83],
  Karnataka: [11.5, 18.5, 74, 78.6, 56, 59],
  Kerala: [8.2, 12.8, 74.8, 77.5, 67, 69],
  "Madhya Pradesh": [21, 26.9, 74, 82.9, 45, 48],
  Maharashtra: [15.6, 22.1, 72.6, 80.9, 40, 44],
  Odisha: [17.8, 22.6, 81.3, 87.6, 75, 77],
  Punjab: [29.5, 32.6, 73.8, 77, 14, 16],
  Rajasthan: [23, 30.2, 69.4, 78.3, 30, 34],
  "Tamil Nadu": [8, 13.6, 76.2, 80.4, 60, 64],
  Telangana: [15.8, 19.9, 77.2, 81.3, 50, 50],
  "Uttar Pradesh": [23.8, 30.5, 77, 84.7, 20, 28],
  "West Bengal": [21.4, 27.3, 85.8, 89.9, 70, 74],
};

describe("a demo of any size", () => {
  const { parks, robots, serials } = demoFleet(LARGEST);

  test("the parks and robots made by hand come first, unchanged", () => {
    expect(demoFleet({ sites: 6, robots: 14 })).toEqual({ parks: demoParks, robots: demoRobots, serials: demoSerials });
    expect(parks.slice(0, 6)).toEqual(demoParks);
    expect(robots.slice(0, 14)).toEqual(demoRobots);
    expect(serials.slice(0, 20)).toEqual(demoSerials);
  });

  test("creates as many parks and robots as requested, the same each time", () => {
    fc.assert(
      fc.property(sizes, (size) => {
        const fleet = demoFleet(size);
        expect(fleet.parks).toHaveLength(size.sites);
        expect(fleet.robots).toHaveLength(size.robots);
        expect(fleet.parks).toEqual(parks.slice(0, size.sites));
        expect(fleet).toEqual(demoFleet(size));
        for (const { park } of fleet.robots) expect(park).toBeLessThan(size.sites);
      }),
      { numRuns: 8 },
    );
  });

  test("a larger fleet has every robot of a smaller one with all handmade sites", () => {
    fc.assert(
      fc.property(sizes, sizes, (a, b) => {
        const small = { sites: 6 + Math.min(a.sites, b.sites, 1_994), robots: Math.min(a.robots, b.robots) };
        const large = { sites: Math.max(small.sites, a.sites, b.sites), robots: Math.max(a.robots, b.robots) };
        const all = new Set(demoFleet(large).robots.map(({ serial }) => serial));
        expect(demoFleet(small).robots.filter(({ serial }) => !all.has(serial))).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });

  test("no park is without robots, none has more than six times the mean", () => {
    for (const size of [{ sites: 300, robots: 3_000 }, { sites: 40, robots: 60 }, LARGEST]) {
      const perPark = Map.groupBy(demoFleet(size).robots, ({ park }) => park);
      expect(perPark.size).toBe(size.sites);
      const max = Math.max(...[...perPark.values()].map((list) => list.length));
      expect(max).toBeLessThanOrEqual((6 * size.robots) / size.sites);
    }
  });

  test("most parks have energy facts that a person could have entered, a few lack some or all", () => {
    const facts = parks.map((park) => park.facts);
    for (const one of facts) {
      const parsed = z.object(energyFactInputs).parse(one);
      expect(energyFactErrors({ ...noEnergyFacts, ...parsed })).toEqual([]);
    }
    const lacking = facts.map((one) => missingFacts({ ...noEnergyFacts, ...one }).length);
    const complete = lacking.filter((count) => count === 0).length;
    expect(complete / parks.length).toBeGreaterThan(0.8);
    expect(new Set(lacking.slice(0, 6))).toEqual(new Set([0, 4, 7]));
  });

  test("§5 names of sites are unique in any case, trimmed; names of robots are unique at their site", () => {
    const names = parks.map(({ name }) => name.trim().toLowerCase());
    expect(new Set(names).size).toBe(parks.length);
    const robotNames = robots.map(({ park, name }) => `${park}:${name.replaceAll(" ", "").toLowerCase()}`);
    expect(new Set(robotNames).size).toBe(robots.length);
    expect(parks.every(({ name }) => name === name.trim() && name !== "")).toBe(true);
  });

  test("§5 no two sites lie within 0.0001 degrees of each other on both axes", () => {
    const byLatitude = parks.toSorted((a, b) => a.latitude - b.latitude);
    for (const [index, park] of byLatitude.entries()) {
      for (const next of byLatitude.slice(index + 1)) {
        if (next.latitude - park.latitude > 0.0001) break;
        expect(Math.abs(next.longitude - park.longitude)).toBeGreaterThan(0.0001);
      }
    }
  });

  test("every park lies in its state, in India's time, with a PIN code of its state", () => {
    for (const { name, state, latitude, longitude, pin_code } of parks) {
      const [south, north, west, east, firstPin, lastPin] = states[state] ?? [0, 0, 0, 0, 0, 0];
      expect([name, latitude > south && latitude < north, longitude > west && longitude < east]).toEqual([
        name,
        true,
        true,
      ]);
      expect(pin_code).toMatch(/^[1-9]\d{5}$/);
      expect(Number(pin_code.slice(0, 2))).toBeGreaterThanOrEqual(firstPin);
      expect(Number(pin_code.slice(0, 2))).toBeLessThanOrEqual(lastPin);
      expect(timezoneAt(latitude, longitude)).toBe("Asia/Kolkata");
    }
  });

  test("partners share the parks, each has some", () => {
    const shares = Map.groupBy(demoFleet({ sites: 300, robots: 0 }).parks, ({ partner }) => partner);
    expect(new Set(shares.keys())).toEqual(new Set(["deccan", "suncare", "vaigai", "vindhya", null]));
    for (const own of shares.values()) expect(own.length).toBeGreaterThan(20);
    expect(demoDistricts.filter(({ state }) => !(state in partnersOfState))).toEqual([]);
    expect(maxGeneratedParks).toBeGreaterThanOrEqual(2_000);
  });

  test("serial numbers are valid and come once; robots were installed after their park opened", () => {
    expect(new Set(serials).size).toBe(serials.length);
    for (const serial of serials) serialSchema.parse(serial);
    for (const { park, installed, battery, fault } of robots) {
      expect(installed).toMatch(/^20\d\d-\d\d-\d\d$/);
      expect(installed > (parks[park]?.commissioning_date ?? "9999")).toBe(true);
      expect(Number.isInteger(battery) && battery >= 0 && battery <= 100).toBe(true);
      expect(fault === "low-battery:12" ? battery : 12).toBe(12);
    }
  });

  test("most robots are healthy, some are offline, low on battery, worn or jammed", () => {
    const faulty = Map.groupBy(robots, ({ fault }) => fault);
    expect((faulty.get(undefined)?.length ?? 0) / robots.length).toBeGreaterThan(0.9);
    for (const fault of ["away", "low-battery:12", "warning:Brush worn", "jam"] as const)
      expect(faulty.get(fault)?.length).toBeGreaterThan(20);
  });
});
