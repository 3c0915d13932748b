import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isSamePlace, LocationIndex, type Coordinates, siteNameKey } from "./site-duplicates.ts";

describe("§5 Site create: names", () => {
  test.each([
    [" Bhadla Park ", "bhadla park", true],
    ["BHADLA", "Bhadla", true],
    ["É", "é", true],
    ["Bhadla  Park", "Bhadla Park", false],
    ["Bhadla Park", "Bhadla Park 2", false],
  ])("%j and %j", (one, other, same) => {
    expect(siteNameKey(one) === siteNameKey(other)).toBe(same);
  });
});

describe("§5 Site create: coordinates nearer than 0.0001 degrees on both axes, as decimals", () => {
  const at = (latitude: number, longitude: number) => ({ latitude, longitude });
  test.each([
    [at(27.53, 71.91), at(27.53, 71.91), true],
    [at(27.53, 71.91), at(27.530099, 71.909901), true],
    [at(27.53, 71.91), at(27.5301, 71.91), false],
    [at(27.53, 71.91), at(27.53, 71.9101), false],
    // The difference of these two is 0.00009999999999976694 in binary fractions.
    [at(0.3, 0), at(0.3001, 0), false],
    [at(1.1, 0), at(1.1001, 0), false],
    [at(0, 180), at(0, -180), true],
    [at(0, 179.99995), at(0, -179.99999), true],
  ])("%j and %j: %s", (one, other, same) => {
    expect(isSamePlace(one, other)).toBe(same);
    expect(isSamePlace(other, one)).toBe(same);
  });
});

describe("§5 Site create: coordinates that are taken", () => {
  test("finds exactly the locations that count as the same, including across the date line", () => {
    // Close together, so that many are the same: around 0/0 degrees, or around the date line.
    const millionths = fc.integer({ min: -250, max: 250 });
    const place = fc
      .record({ north: millionths, east: millionths, dateLine: fc.boolean() })
      .map(({ north, east, dateLine }): Coordinates => {
        const longitude = dateLine ? (east < 0 ? 180_000_000 + east : -180_000_000 + east) : east;
        return { latitude: north / 1e6, longitude: longitude / 1e6 };
      });
    fc.assert(
      fc.property(fc.array(place, { maxLength: 5 }), place, (taken, asked) => {
        const places = new LocationIndex<Coordinates>();
        for (const each of taken) places.add(each, each);
        const found = places.at(asked);
        expect(found !== null).toBe(taken.some((each) => isSamePlace(each, asked)));
        expect(found === null || isSamePlace(found, asked)).toBe(true);
      }),
    );
  });

  test("the excluded site has no location", () => {
    const places = new LocationIndex<number>();
    const here = { latitude: 27.53, longitude: 71.91 };
    places.add(here, 1);
    expect(places.at(here, (id) => id === 1)).toBeNull();
    places.add(here, 2);
    expect(places.at(here, (id) => id === 1)).toBe(2);
  });
});
