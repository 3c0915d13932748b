import { z } from "zod";
import { IMPORT_MAX_BODY_BYTES, importBodySchema, importResponseSchema } from "../http/import.ts";
import { defineRoute } from "../http/route.ts";
import {
  dateSchema,
  idInputSchema,
  isOrderedRange,
  optionalDecimalInputSchema,
  TO_BEFORE_FROM,
} from "../http/values.ts";

/** The columns of a file of measurements, in export order; an import accepts any order. */
export const MEASUREMENT_COLUMNS = [
  /**
   * Of a whole day `YYYY-MM-DD`; of an hour its beginning: `YYYY-MM-DD HH:MM` by the site's clock, or with `Z` or an
   * offset.
   */
  "start",
  /** What the site's inverters gave. */
  "inverter_energy_kwh",
  /** What its meter counted. */
  "meter_energy_kwh",
  /** What the inverters of its control rows gave, which are left out of cleaning on purpose; part of the site's. */
  "control_energy_kwh",
  /** Of a soiling station: 1 is clean. */
  "soiling_ratio",
  /** Whether the site was told to give less than it could: yes, no, or nothing if it is not known. */
  "curtailed",
] as const;
export type MeasurementColumn = (typeof MEASUREMENT_COLUMNS)[number];

/** Of a file: every hour of a year. */
export const MEASUREMENTS_MAX_ROWS = 8_784;
/** Of a call: every day of a year. */
export const MEASUREMENTS_PER_CALL_MAX = 366;
export const ENERGY_MAX_KWH = 1_000_000_000;
/** A wet station in slanting light measures a little more than clean. */
export const MEASURED_RATIO_MAX = 1.1;

const curtailedInputSchema = z
  .union(
    [
      z.boolean(),
      z.null(),
      z
        .string()
        .trim()
        .toLowerCase()
        .pipe(z.enum(["yes", "no", ""]))
        .transform((text) => (text === "" ? null : text === "yes")),
    ],
    { error: "Curtailed must be yes, no or empty" },
  )
  .optional();

/** One day or hour as it is sent: what is left out, null or blank stays as it was. */
export const measurementInputSchema = z.object({
  start: z.string({ error: "Start is required" }).trim().min(1, "Start is required").max(40),
  inverter_energy_kwh: optionalDecimalInputSchema("Inverter energy", 0, ENERGY_MAX_KWH).optional(),
  meter_energy_kwh: optionalDecimalInputSchema("Meter energy", 0, ENERGY_MAX_KWH).optional(),
  control_energy_kwh: optionalDecimalInputSchema("Control energy", 0, ENERGY_MAX_KWH).optional(),
  soiling_ratio: optionalDecimalInputSchema("Soiling ratio", 0, MEASURED_RATIO_MAX).optional(),
  curtailed: curtailedInputSchema,
});

const siteParams = z.object({ siteId: idInputSchema });

export const storeMeasurements = defineRoute({
  summary: `Store measured energy and soiling ratios of a site, by day or hour, at most ${MEASUREMENTS_PER_CALL_MAX}; a second value of the same time replaces the first`,
  method: "POST",
  path: "/api/measurements/:siteId",
  params: siteParams,
  body: z.object({ values: z.array(measurementInputSchema).min(1).max(MEASUREMENTS_PER_CALL_MAX) }),
  response: z.object({
    message: z.string(),
    added: z.int().min(0),
    replaced: z.int().min(0),
    unchanged: z.int().min(0),
  }),
});

export const importMeasurements = defineRoute({
  summary: "Check a CSV file of measurements of a site, or store them all",
  method: "POST",
  path: "/api/measurements/:siteId/import",
  params: siteParams,
  body: importBodySchema,
  maxBodyBytes: IMPORT_MAX_BODY_BYTES,
  response: importResponseSchema,
});

export const MEASURED_DAYS_MAX = 400;

/** Days by the site's calendar; both count. */
const rangeQuery = z.object({ from: dateSchema, to: dateSchema }).refine(isOrderedRange, TO_BEFORE_FROM);

export const exportMeasurements = defineRoute({
  summary: "The measurements of a site as a CSV file that can be re-imported",
  method: "GET",
  path: "/api/measurements/:siteId/export",
  params: siteParams,
  query: rangeQuery,
  file: "text/csv",
  response: z.string(),
});

/** What is measured of a day: that of the day as such, else the sum of its hours (of a ratio the mean by day). */
export const measuredDaySchema = z.object({
  date: dateSchema,
  inverter_energy_kwh: z.number().nullable(),
  meter_energy_kwh: z.number().nullable(),
  control_energy_kwh: z.number().nullable(),
  soiling_ratio: z.number().nullable(),
  curtailed: z.boolean().nullable(),
  /** The fewest hours that one of its energies, or without any its ratio, is from; 24 for a figure of the day as such. */
  hours: z.int().min(1).max(25),
});
export type MeasuredDay = z.output<typeof measuredDaySchema>;

export const measuredDays = defineRoute({
  summary: `What was measured of a site's days, at most ${MEASURED_DAYS_MAX}, and from when to when there is anything`,
  method: "GET",
  path: "/api/measurements/:siteId",
  params: siteParams,
  query: rangeQuery,
  response: z.object({
    first: dateSchema.nullable(),
    last: dateSchema.nullable(),
    days: z.array(measuredDaySchema).max(MEASURED_DAYS_MAX),
  }),
});

export const deleteMeasurements = defineRoute({
  summary: "Delete the measurements of a site's days, such as a wrong import",
  method: "DELETE",
  path: "/api/measurements/:siteId",
  params: siteParams,
  query: rangeQuery,
  response: z.object({ message: z.string(), deleted: z.int().min(0) }),
});
