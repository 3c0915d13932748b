import { describe, expect, test } from "vitest";
import { siteNameKey } from "./site-name.ts";
import { isSamePlace } from "./site-place.ts";

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
