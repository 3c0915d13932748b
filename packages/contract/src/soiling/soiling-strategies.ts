import { z } from "zod";
import { defineRoute } from "../http/route.ts";
import { dateSchema, idInputSchema, idSchema } from "../http/values.ts";
import { weatherSourceSchema } from "../weather/weather.ts";
import { bandedSchema, soilingGapSchema, soilingModelSchema } from "./soiling.ts";

export const STRATEGY_DAYS = 365;

export const siteStrategiesSchema = z.object({
  site_id: idSchema,
  /** Everything here is modelled; nothing is measured. */
  basis: z.literal("modelled"),
  /** Facts and inputs without which nothing is compared. */
  missing: z.array(soilingGapSchema),
  source: weatherSourceSchema.nullable(),
  model: soilingModelSchema.nullable(),
  /** By the site's calendar, both included. */
  from: dateSchema,
  to: dateSchema,
  days: z.int(),
  /** Days of which every hour of particles, rain and irradiation is stored; the others count as clean, dry and dark. */
  known_days: z.int(),
  /** Of cleaning by need: those of the site's schedule "when worth it", or the default. */
  least_days: z.int(),
  most_days: z.int(),
  /** When all rows are cleaned: the time of that schedule, of another one, or 20:00. */
  local_time: z.string(),
  rows: z.int(),
  currency: z.string().nullable(),
  /** None if something is missing or no day is known. */
  strategies: z.array(
    z.object({
      kind: z.enum(["BY_NEED", "DAILY", "WEEKLY", "NEVER"]),
      /** Of the whole site: how often each row is cleaned. */
      cleanings: z.int(),
      runs: z.int(),
      loss_percent: z.number(),
      lost_kwh: bandedSchema,
      lost_money: bandedSchema,
      cleaning_cost: z.number(),
      /** Cleaning and lost energy. */
      cost: bandedSchema,
    }),
  ),
});
export type SiteStrategies = z.output<typeof siteStrategiesSchema>;

export const siteStrategies = defineRoute({
  summary:
    "What cleaning by need would have cost at a site in the last year against daily and weekly, by the stored weather",
  method: "GET",
  path: "/api/soiling/:siteId/strategies",
  params: z.object({ siteId: idInputSchema }),
  response: siteStrategiesSchema,
});
