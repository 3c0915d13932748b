import { z } from "zod";
import { defineRoute } from "../http/route.ts";
import { dateSchema, idInputSchema, idSchema } from "../http/values.ts";
import { correctedFactSchema } from "../soiling/soiling.ts";

/** Why a measured day does not count when it is compared with the model; of several the first. */
export const dayNotCountedSchema = z.enum([
  /** The day is not over, or hours are missing. */
  "INCOMPLETE",
  "CURTAILED",
  /** The model knows nothing of this day. */
  "NOT_MODELLED",
  "NO_IRRADIATION",
  "RAIN",
  /** Clearly less sun than on the days around it. */
  "CLOUDY",
]);
export type DayNotCounted = z.output<typeof dayNotCountedSchema>;

export const energySourceSchema = z.enum(["meter", "inverter"]);
export type EnergySource = z.output<typeof energySourceSchema>;

/** With the interval in which the true one lies in 95 of 100 cases. */
export const intervalSchema = z.object({ value: z.number(), low: z.number(), high: z.number() });
export type Interval = z.output<typeof intervalSchema>;

export const comparedDaySchema = z.object({
  date: dateSchema,
  /** By the source that is used. */
  measured_kwh: z.number().nullable(),
  /** Of clean panels, by the model. */
  clean_kwh: z.number().nullable(),
  /** Performance index: measured by clean. */
  index: z.number().nullable(),
  /** What the model expects the index to be, 0 to 1. */
  modelled_ratio: z.number().nullable(),
  /** Of the soiling station. */
  station_ratio: z.number().nullable(),
  /** By how much more cleaned rows gave for each kWp than control rows, as a share. */
  control_gain: z.number().nullable(),
  /** Null if the day counts. */
  not_counted: dayNotCountedSchema.nullable(),
});
export type ComparedDay = z.output<typeof comparedDaySchema>;

/** Days that must count before anything is said of the model. */
export const BIAS_DAYS = 10;

export const modelBiasSchema = z.object({
  /** Days that count; the model's bias is known from BIAS_DAYS on. */
  days: z.int().min(0),
  /**
   * Median of measured by modelled: of energy above 1 where the site gives more than the model says, of a station above 1
   * where it loses more.
   */
  bias: intervalSchema.nullable(),
});
export type ModelBias = z.output<typeof modelBiasSchema>;

/**
 * What would take a bias out of the model: of energy by the site's performance ratio of clean panels, in percent, of a
 * station by the factor on what settles.
 */
export const modelCorrectionSchema = z.object({ fact: correctedFactSchema, from: z.number(), to: z.number() });
export type ModelCorrection = z.output<typeof modelCorrectionSchema>;

/** Rows that were left out of cleaning on purpose against those that were cleaned. */
export const controlRowsSchema = z.object({
  /** Facts of the site without which they cannot be compared. */
  missing: z.array(z.enum(["dc_capacity_kwp", "control_capacity_kwp"])),
  /** Days that count and have the energy of both. */
  days: z.int().min(0),
  /** By how much more cleaned rows gave for each kWp, as a share; null with too few days. */
  gain: intervalSchema.nullable(),
  /** The least gain that these days could show; null with too few. */
  detectable: z.number().nullable(),
  verdict: z.enum(["VERIFIED", "NOT_MEASURABLE"]),
});
export type ControlRows = z.output<typeof controlRowsSchema>;

export const measuredCleaningSchema = z.object({
  /** The day on which its runs ended, by the site's calendar. */
  date: dateSchema,
  runs: z.int().min(1),
  /** Rows that they cleaned, in rows of the site. */
  cleaned_share: z.number().min(0),
  /** Days that count before and after it, up to another cleaning. */
  days_before: z.int().min(0),
  days_after: z.int().min(0),
  verdict: z.enum(["VERIFIED", "NOT_MEASURABLE"]),
  /** By how much the days after are better, as a share; null with too few days. */
  gain: intervalSchema.nullable(),
  /** The least gain that these days could show; null with too few. */
  detectable: z.number().nullable(),
});
export type MeasuredCleaning = z.output<typeof measuredCleaningSchema>;

export const siteComparisonSchema = z.object({
  site_id: idSchema,
  /** Of anything measured at the site, whether the model reaches it or not; null if nothing is. */
  first: dateSchema.nullable(),
  last: dateSchema.nullable(),
  /** Whose energy is used; null if none is measured. */
  source: energySourceSchema.nullable(),
  /** The measured days that the model's days reach, in order. */
  days: z.array(comparedDaySchema),
  /** A factor on the performance ratio. */
  energy: modelBiasSchema,
  /** A factor on the loss. */
  station: modelBiasSchema,
  /** Where a bias is known, its interval is without 1, and the fact would still be one that a site may have. */
  proposed: z.array(modelCorrectionSchema),
  /** Null where no energy of control rows is measured. */
  control: controlRowsSchema.nullable(),
  /** Newest first. */
  cleanings: z.array(measuredCleaningSchema),
});
export type SiteComparison = z.output<typeof siteComparisonSchema>;

export const measuredComparison = defineRoute({
  summary:
    "Measured days of a site against its soiling model: performance index, bias with its interval, and which cleanings the data can verify",
  method: "GET",
  path: "/api/measurements/:siteId/comparison",
  params: z.object({ siteId: idInputSchema }),
  response: siteComparisonSchema,
});

export const correctModel = defineRoute({
  summary:
    "Correct the soiling model of a site by what was measured: sets the performance ratio, or the factor on particles, that its comparison proposes, if it still does",
  method: "PUT",
  path: "/api/measurements/:siteId/correction",
  params: z.object({ siteId: idInputSchema }),
  /** As the comparison showed it. */
  body: modelCorrectionSchema,
  response: z.object({ message: z.string() }),
});

export const takeCorrectionBack = defineRoute({
  summary: "Take a correction of the soiling model back: the fact is again as it was entered",
  method: "DELETE",
  path: "/api/measurements/:siteId/correction",
  params: z.object({ siteId: idInputSchema }),
  query: z.object({ fact: correctedFactSchema }),
  response: z.object({ message: z.string() }),
});
