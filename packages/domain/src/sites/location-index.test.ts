import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LocationIndex } from "./location-index.ts";
import { isSamePlace, type Place } from "./site-place.ts";

describe("§5 Site create: coordinates that are taken", () => {
  test("found are exactly the places that count as the same, also over the date line", () => {
    // Close together, so that many are the same: around the origin of degrees, or around the date line.
    const millionths = fc.integer({ min: -250, max: 250 });
    const place = fc
      .record({ north: millionths, east: millionths, dateLine: fc.boolean() })
      .map(({ north, east, dateLine }): Place => {
        const longitude = dateLine ? (east < 0 ? 180_000_000 + east : -180_000_000 + east) : east;
        return { latitude: north / 1e6, longitude: longitude / 1e6 };
      });
    fc.assert(
      fc.property(fc.array(place, { maxLength: 5 }), place, (taken, asked) => {
        const places = new LocationIndex<Place>();
        for (const each of taken) places.add(each, each);
        const found = places.at(asked);
        expect(found !== null).toBe(taken.some((each) => isSamePlace(each, asked)));
        expect(found === null || isSamePlace(found, asked)).toBe(true);
      }),
    );
  });

  test("who is left out has no place", () => {
    const places = new LocationIndex<number>();
    const here = { latitude: 27.53, longitude: 71.91 };
    places.add(here, 1);
    expect(places.at(here, (id) => id === 1)).toBeNull();
    places.add(here, 2);
    expect(places.at(here, (id) => id === 1)).toBe(2);
  });
});
