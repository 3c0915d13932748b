import erf from "@stdlib/math-base-special-erf";

/**
 * The HSU model of soiling: particles of the air settle on panels, and their mass takes light. M. Coello, L. Boyle,
 * "Simple Model for Predicting Time Series Soiling of Photovoltaic Panels", IEEE J. Photovoltaics 9 (2019).
 */

/** How fast particles settle, in m/s: up to 2.5 µm, and from there to 10 µm. */
export interface SettlingSpeeds {
  readonly fine: number;
  readonly coarse: number;
}
const SETTLING: SettlingSpeeds = { fine: 0.0009, coarse: 0.004 };

/** The mass in g/m² up to which the loss was measured; beyond it, it is that of this mass. */
export const MEASURED_TO_G_PER_M2 = 10;

const GRAMS_PER_MICROGRAM = 1e-6;

/**
 * The mass in g/m² that settles in this many seconds on panels at this tilt, from the concentrations of all particles up
 * to 2.5 µm and up to 10 µm, in µg/m³.
 */
export function depositedMass(
  air: { readonly pm2_5: number; readonly pm10: number },
  seconds: number,
  tiltDegrees: number,
  settling = SETTLING,
): number {
  const fine = Math.max(air.pm2_5, 0) * settling.fine;
  const coarse = Math.max(air.pm10 - Math.max(air.pm2_5, 0), 0) * settling.coarse;
  return (fine + coarse) * GRAMS_PER_MICROGRAM * seconds * Math.max(Math.cos((tiltDegrees * Math.PI) / 180), 0);
}

/** The share of their energy that panels with this mass on them, in g/m², still give: 1 if clean, 0.687 at least. */
export function hsuRatio(mass: number): number {
  return 1 - 0.3437 * erf(0.17 * Math.min(mass, MEASURED_TO_G_PER_M2) ** 0.8473);
}

/** Whether the mass in g/m² is more than the model was measured for, so that the loss may be greater than it says. */
export function isBeyondMeasured(mass: number): boolean {
  return mass > MEASURED_TO_G_PER_M2;
}
