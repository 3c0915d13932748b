/**
 * The Kimber model of soiling: a loss that grows by the same amount every day until much rain falls; it knows nothing of
 * particles. A. Kimber et al., "The Effect of Soiling on Large Grid-Connected Photovoltaic Systems in California and
 * the Southwest Region of the United States", IEEE 4th World Conference on Photovoltaic Energy Conversion (2006).
 */

/** Of the energy, a day without rain. */
export const KIMBER_LOSS_PER_DAY = 0.0015;
export const KIMBER_MAX_LOSS = 0.3;
/** More than this within 24 hours cleans. */
export const KIMBER_RAIN_MM = 6;
/** After such rain the ground is damp, and nothing settles. */
export const KIMBER_GRACE_DAYS = 14;

/** The loss, 0 to 1, after this many hours without cleaning rain or a wash. */
export function kimberLoss(lossBefore: number, hours: number): number {
  return Math.min(lossBefore + (KIMBER_LOSS_PER_DAY / 24) * hours, KIMBER_MAX_LOSS);
}
