import { z } from "zod";
import { optionalDecimalInputSchema } from "../http/values.ts";

/** What the price of a cleaning is for: each run of one robot, or each kWp of the site. */
export const cleaningPricePerSchema = z.enum(["run", "kwp"]);
export type CleaningPricePer = z.output<typeof cleaningPricePerSchema>;

// Servers of older versions omit all of these.
const factSchema = z.number().nullable().default(null);

/** Optional facts of a site, from which the worth of cleaning it is computed. Null is not known, or the default. */
export const energyFactsSchema = z.object({
  dc_capacity_kwp: factSchema,
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
  /** The loss from which the site needs attention. */
  soiling_alert_percent: factSchema,
});
export type EnergyFacts = z.output<typeof energyFactsSchema>;
export type EnergyFact = keyof EnergyFacts;

const CURRENCY = "Currency must be a code of three letters, such as INR";
const currencyInputSchema = z
  .union([z.string().trim().toUpperCase(), z.null()], { error: CURRENCY })
  .transform((code) => code || null)
  .refine((code) => code === null || Intl.supportedValuesOf("currency").includes(code), CURRENCY)
  .optional();

/** A fact in a request: missing means unchanged, or none at creation; null or blank clears it. */
const factInputSchema = (name: string, min: number, max: number) =>
  optionalDecimalInputSchema(name, min, max).optional();

export const energyFactInputs = {
  dc_capacity_kwp: factInputSchema("DC capacity", 0.001, 5_000_000),
  tilt_degrees: factInputSchema("Tilt", 0, 90),
  azimuth_degrees: factInputSchema("Azimuth", 0, 359.99),
  performance_ratio_percent: factInputSchema("Performance ratio", 10, 100),
  tariff_per_kwh: factInputSchema("Tariff", 0, 1_000_000),
  currency: currencyInputSchema,
  cleaning_price: factInputSchema("Cleaning price", 0, 1_000_000_000),
  cleaning_price_per: z
    .union([cleaningPricePerSchema, z.literal("").transform(() => null), z.null()], {
      error: "Price per must be run or kwp",
    })
    .optional(),
  cleaning_effectiveness_percent: factInputSchema("Cleaning effectiveness", 1, 100),
  wet_wash_litres_per_kwp: factInputSchema("Water of a wet wash", 0, 1_000),
  soiling_alert_percent: factInputSchema("Soiling alert", 0.5, 50),
} satisfies Record<EnergyFact, z.ZodType>;
