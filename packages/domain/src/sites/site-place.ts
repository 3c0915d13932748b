/** A place in decimal degrees. */
export interface Place {
  readonly latitude: number;
  readonly longitude: number;
}

/** §9 Duplicate-site coordinate tolerance, in millionths of a degree: 0.0001 degrees. */
const TOLERANCE = 100;
const WHOLE_TURN = 360_000_000;

/**
 * §5 Site create: true where two places are nearer than 0.0001 degrees on both axes. Compared in whole millionths,
 * because 27.53 and 27.5301 are less than 0.0001 apart for a computer's fractions.
 */
export function isSamePlace(one: Place, other: Place): boolean {
  const apart = (a: number, b: number) => Math.abs(Math.round(a * 1e6) - Math.round(b * 1e6));
  const around = apart(one.longitude, other.longitude) % WHOLE_TURN;
  return apart(one.latitude, other.latitude) < TOLERANCE && Math.min(around, WHOLE_TURN - around) < TOLERANCE;
}

/** §5: title and sentence of a place that is taken. */
export const duplicateLocation = {
  title: "Duplicate Location",
  message: "A site with these coordinates already exists. Please choose a different location.",
} as const;
