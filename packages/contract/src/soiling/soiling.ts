import { z } from "zod";
import { defineRoute } from "../http/route.ts";
import { dateSchema, idInputSchema, idSchema, instantSchema } from "../http/values.ts";
import { weatherSourceSchema } from "../weather/weather.ts";

/** A modelled figure and the band that it lies in if the particles are as wrong as they are known to be. */
export const bandedSchema = z.object({ value: z.number(), low: z.number(), high: z.number() });
export type Banded = z.output<typeof bandedSchema>;

/** `hsu` from particles and rain; `kimber` from rain alone, where particles are unknown. */
export const soilingModelSchema = z.enum(["hsu", "kimber"]);
export type SoilingModel = z.output<typeof soilingModelSchema>;

/** What is not known, so that what depends on it is not said: facts of the site by their field, then inputs. */
export const soilingGapSchema = z.enum([
  "dc_capacity_kwp",
  "tilt_degrees",
  "azimuth_degrees",
  "performance_ratio_percent",
  "tariff_per_kwh",
  "currency",
  "cleaning_price",
  "robots",
  "particles",
  "rain",
  "irradiation",
]);
export type SoilingGap = z.output<typeof soilingGapSchema>;

/** Why the next worthwhile night is that night, or why there is none, with what its sentence is made from. */
export const cleaningReasonSchema = z.discriminatedUnion("reason", [
  z.object({
    reason: z.literal("WORTH_IT").describe("The money lost since the last cleaning reaches a cleaning's price"),
    reason_params: z.object({ lost: z.number(), price: z.number(), currency: z.string() }),
  }),
  z.object({
    reason: z.literal("RAIN_NEAR").describe("It would be worth it, but cleaning rain is near"),
    reason_params: z.object({ rain_mm: z.number(), day: dateSchema }),
  }),
  z.object({
    reason: z.literal("NOT_YET").describe("Tonight the loss is below that from which a cleaning pays"),
    reason_params: z.object({ loss_percent: z.number(), worth_from_percent: z.number() }),
  }),
  z.object({
    reason: z.literal("UNKNOWN").describe("Facts or inputs are missing or stale"),
    reason_params: z.object({}),
  }),
]);
export type CleaningReason = z.output<typeof cleaningReasonSchema>;

/** The facts of a site that a person may correct by what was measured, with one press. */
export const correctedFactSchema = z.enum(["performance_ratio_percent", "soiling_rate_factor"]);
export type CorrectedFact = z.output<typeof correctedFactSchema>;

/** A correction in force: whoever changes the fact otherwise ends it. */
export const appliedCorrectionSchema = z.object({
  fact: correctedFactSchema,
  /** As it was entered, to which taking it back leads; null is the default. */
  from: z.number().nullable(),
  to: z.number(),
  by: z.string(),
  at: instantSchema,
});
export type AppliedCorrection = z.output<typeof appliedCorrectionSchema>;

export const soilingDaySchema = z.object({
  /** By the site's calendar. */
  date: dateSchema,
  is_forecast: z.boolean(),
  /** Soiling ratio, 0 to 1: mean of the site's rows, weighted by irradiation where known; null if no hour is known. */
  ratio: bandedSchema.nullable(),
  /** Of a forecast day: the same if the whole site is cleaned tonight. */
  ratio_if_cleaned: z.number().nullable(),
  rain_mm: z.number().nullable(),
  /** Means of the day in µg/m³. */
  pm2_5: z.number().nullable(),
  pm10: z.number().nullable(),
  /** Energy of clean panels. */
  energy_kwh: z.number().nullable(),
  /** What soiling takes of it. */
  lost_kwh: bandedSchema.nullable(),
  /** Runs that ended on this day and count. */
  runs: z.int().min(0),
  /** Rows that they cleaned, in rows of the site; above 1 if rows were cleaned more than once. */
  cleaned_share: z.number().min(0),
});
export type SoilingDay = z.output<typeof soilingDaySchema>;

export const SOILING_PAST_DAYS = 92;
export const SOILING_FORECAST_DAYS = 5;
/** Inputs that were received longer ago are stale: no forecast is made from them. */
export const SOILING_STALE_HOURS = 12;

export const siteSoilingSchema = z.object({
  site_id: idSchema,
  /** Everything here is modelled; nothing is measured. */
  basis: z.literal("modelled"),
  model: soilingModelSchema.nullable(),
  missing: z.array(soilingGapSchema),
  source: weatherSourceSchema.nullable(),
  /** When the newest inputs were received: of weather and particles the older. */
  received_at: instantSchema.nullable(),
  /** Whether that is more than SOILING_STALE_HOURS ago: then nothing is said of the days ahead. */
  is_stale: z.boolean(),
  /** What the mass that settles is multiplied by in every figure here; 1 is the model as published, and always Kimber's. */
  soiling_rate_factor: z.number(),
  /** What people corrected in the model by what was measured. */
  corrections: z.array(appliedCorrectionSchema),
  /** Whether more lies on some rows than the model was measured for: the true loss may be greater. */
  is_beyond_measured: z.boolean(),
  /** Known hours of the last SOILING_PAST_DAYS days. */
  coverage_percent: z.number().min(0).max(100),
  /** Soiling ratio now, 0 to 1; null without inputs. */
  ratio: bandedSchema.nullable(),
  /** What the other model (Kimber) says, where `model` is hsu. */
  second_opinion: z.number().nullable(),
  /** The last time rain or runs cleaned; null if not within the known hours. */
  last_cleaning: z.object({ at: instantSchema, cause: z.enum(["RUN", "RAIN"]) }).nullable(),
  /** Lost since the last cleaning, else since the first known hour. */
  lost_kwh: bandedSchema.nullable(),
  lost_money: bandedSchema.nullable(),
  /** Of every sum of money here. */
  currency: z.string().nullable(),
  /** Of a cleaning of the whole site. */
  cleaning_price: z.number().nullable(),
  /** What a cleaning tonight gains over the forecast days, until the next rain: what not cleaning costs. */
  tonight_gain_kwh: bandedSchema.nullable(),
  tonight_gain_money: bandedSchema.nullable(),
  next_night: z
    .object({
      /** By the site's calendar; null if none is foreseen or knowable. */
      date: dateSchema.nullable(),
      /** Beyond the forecast, by the mean loss of the last days. */
      is_extrapolated: z.boolean(),
      /** Plain text of the reason. */
      text: z.string(),
    })
    .and(cleaningReasonSchema),
  /** The loss in percent from which a cleaning pays, and the best interval in days, at the present rate. */
  worth_from_percent: z.number().nullable(),
  best_interval_days: z.number().nullable(),
  /** Ended runs of the known days that are not counted: nobody knows how long the row takes. */
  uncounted_runs: z.int().min(0),
  /** The last SOILING_PAST_DAYS days and the forecast, in order; none where no inputs are known. */
  days: z.array(soilingDaySchema),
});
export type SiteSoiling = z.output<typeof siteSoilingSchema>;

export const siteSoiling = defineRoute({
  summary: "Soiling of a site by model, what it costs, and when to clean next; says what is missing",
  method: "GET",
  path: "/api/soiling/:siteId",
  params: z.object({ siteId: idInputSchema }),
  response: siteSoilingSchema,
});

export const AT_RISK_LIMIT = 20;

export const energyAtRisk = defineRoute({
  summary: `What not cleaning tonight costs over the forecast days: the ${AT_RISK_LIMIT} sites with most, and totals of all that the user can see`,
  method: "GET",
  path: "/api/soiling/at-risk",
  response: z.object({
    sites: z
      .array(
        z.object({
          site_id: idSchema,
          site_name: z.string(),
          ratio: bandedSchema,
          gain_kwh: bandedSchema,
          gain_money: bandedSchema.nullable(),
          currency: z.string().nullable(),
          /** As of the site's soiling. */
          soiling_rate_factor: z.number(),
          source: weatherSourceSchema,
          computed_at: instantSchema,
        }),
      )
      .max(AT_RISK_LIMIT),
    total_kwh: bandedSchema.nullable(),
    totals_money: z.array(z.object({ currency: z.string(), money: bandedSchema })),
    /** Sites with a figure, and sites without one. */
    known_sites: z.int(),
    unknown_sites: z.int(),
    /** Of those without: whose facts somebody must enter, and of the others, of which no air and weather came yet. */
    missing_facts_sites: z.int(),
    waiting_sites: z.int(),
    /** Sites whose inputs are stale; they are not in the figures. */
    stale_sites: z.int(),
    /** Sites in the figures whose particles count with a factor other than 1. */
    factor_sites: z.int(),
  }),
});
export type EnergyAtRisk = z.output<typeof energyAtRisk.response>;
