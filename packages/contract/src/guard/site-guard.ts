import { z } from "zod";
import { defineRoute } from "../http/route.ts";
import { idInputSchema, idSchema, instantSchema, serialSchema } from "../http/values.ts";
import { weatherSourceSchema } from "../weather/weather.ts";
import { guardStateSchema } from "./guard-state.ts";

/** By field, the smallest and largest limit that a site may have. */
export const GUARD_RANGES = {
  max_gust_kmh: [10, 200],
  max_rain_mm: [0, 100],
  min_temperature_c: [-40, 60],
  max_temperature_c: [-40, 60],
} as const;
export type GuardField = keyof typeof GUARD_RANGES;

function limitOf(field: GuardField) {
  const [min, max] = GUARD_RANGES[field];
  const message = `must be a number from ${min} to ${max}`;
  return z
    .number(message)
    .min(min, message)
    .max(max, message)
    .transform((limit) => Math.round(limit * 10) / 10)
    .nullable();
}

const limitFields = {
  /** Gusts above this, in kilometres per hour; null is no limit. */
  max_gust_kmh: limitOf("max_gust_kmh"),
  /** Rain above this within an hour, in millimetres; 0 is any rain. */
  max_rain_mm: limitOf("max_rain_mm"),
  /** Degrees Celsius below which, and above which, no robot runs. */
  min_temperature_c: limitOf("min_temperature_c"),
  max_temperature_c: limitOf("max_temperature_c"),
};

/** The columns stored from the form, also compared and audited. */
export const GUARD_FIELDS = z.object(limitFields).keyof().options;

/**
 * What a site's limits mean without a fresh reading of its weather sensor: STOP, as bad as a limit that is passed; FORECAST,
 * the forecast alone decides.
 */
export const withoutSensorSchema = z.enum(["STOP", "FORECAST"]);
export type WithoutSensor = z.output<typeof withoutSensorSchema>;

/** How often the limits were changed; 0 before the first time. Sent back with an edit, as that of other entries. */
const guardVersionSchema = z.int().min(0);

const limit = z.number().nullable();

export const siteGuard = defineRoute({
  summary: "Weather limits of a site, and whether its robots may run now",
  method: "GET",
  path: "/api/sites/guard/:siteId",
  params: z.object({ siteId: idInputSchema }),
  response: z.object({
    site_id: idSchema,
    max_gust_kmh: limit,
    max_rain_mm: limit,
    min_temperature_c: limit,
    max_temperature_c: limit,
    without_sensor: withoutSensorSchema,
    version: guardVersionSchema,
    /** Null without any limit: the weather stops nobody. */
    state: guardStateSchema.nullable(),
    /** Since when a limit has been passed; null while none is. */
    passed_since: instantSchema.nullable(),
    /**
     * While a limit counts as passed: since when the weather has been within all of them again, without a break; null
     * while it is not. After ten minutes of it robots can start.
     */
    within_since: instantSchema.nullable(),
    /** When the weather was last compared with the limits. */
    judged_at: instantSchema.nullable(),
    /** When the forecast was received that it was compared with; null without one. */
    forecast_at: instantSchema.nullable(),
    /** The site's weather sensor; null without one. */
    sensor: z
      .object({
        serial: z.string(),
        assigned_at: instantSchema,
        /** Its newest reading, by the server's clock; null before the first. */
        received_at: instantSchema.nullable(),
        /** The age of that reading in seconds. */
        age_s: z.int().min(0).nullable(),
        /** Whether it counts: not older than 90 s, and by a clock that is right. */
        fresh: z.boolean(),
        gust_kmh: z.number().nullable(),
        rain_mm_h: z.number().nullable(),
        temperature_c: z.number().nullable(),
      })
      .nullable(),
    /** Whose forecast that is; null without one. */
    forecast_source: weatherSourceSchema.nullable(),
    /** What is forecast for the present hour and the next; both count. Null where it is not known. */
    hours: z.array(
      z.object({
        /** The end of the hour. */
        at: instantSchema,
        gust_kmh: z.number().nullable(),
        rain_mm: z.number().nullable(),
        temperature_c: z.number().nullable(),
      }),
    ),
  }),
});

export const updateSiteGuard = defineRoute({
  summary: "Change the weather limits of a site; without any, the weather stops nobody",
  method: "PUT",
  path: "/api/sites/guard/:siteId",
  params: z.object({ siteId: idInputSchema }),
  body: z
    .object({
      ...limitFields,
      /** Missing is unchanged; FORECAST for a site that never had limits. */
      without_sensor: withoutSensorSchema.optional(),
      version: guardVersionSchema.optional(),
    })
    .refine(({ min_temperature_c: min, max_temperature_c: max }) => min === null || max === null || min < max, {
      message: "must be above the lowest temperature",
      path: ["max_temperature_c"],
    }),
  response: z.object({ message: z.string() }),
});

export const assignSensor = defineRoute({
  summary: "Make a free device the weather sensor of a site, in place of the one that it has",
  method: "PUT",
  path: "/api/sites/guard/sensor/:siteId",
  params: z.object({ siteId: idInputSchema }),
  body: z.object({ serial_number: serialSchema }),
  response: z.object({ message: z.string() }),
});

export const removeSensor = defineRoute({
  summary: "Take a site's weather sensor away; its device is free then",
  method: "DELETE",
  path: "/api/sites/guard/sensor/:siteId",
  params: z.object({ siteId: idInputSchema }),
  response: z.object({ message: z.string() }),
});
