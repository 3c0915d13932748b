import { z } from "zod";

/** What the price of a cleaning is for: each run of one robot, or each kWp of the site. */
export const cleaningPricePerSchema = z.enum(["run", "kwp"]);
export type CleaningPricePer = z.output<typeof cleaningPricePerSchema>;

// Servers of older versions omit all of these.
const factSchema = z.number().nullable().default(null);

/** Optional facts of a site, from which the worth of cleaning it is computed. Null is not known, or the default. */
export const energyFactsSchema = z.object({
  dc_capacity_kwp: factSchema,
  /** Of it, the rows that are left out of cleaning on purpose. */
  control_capacity_kwp: factSchema,
  tilt_degrees: factSchema,
  /** As on a compass: 180 is south. */
  azimuth_degrees: factSchema,
  /** Of clean panels. */
  performance_ratio_percent: factSchema,
  tariff_per_kwh: factSchema,
  /** Of the tariff and of the price of a cleaning; ISO 4217. */
  currency: z.string().nullable().default(null),
  cleaning_price: factSchema,
  cleaning_price_per: cleaningPricePerSchema.nullable().default(null),
  /** The share of the soiling that a cleaning removes. */
  cleaning_effectiveness_percent: factSchema,
  /** Of the wet washes that the robots replace. */
  wet_wash_litres_per_kwp: factSchema,
  /** By how much more dust settles here than the model says. */
  soiling_rate_factor: factSchema,
  /** The loss from which the site needs attention. */
  soiling_alert_percent: factSchema,
});
export type EnergyFacts = z.output<typeof energyFactsSchema>;
export type EnergyFact = keyof EnergyFacts;
