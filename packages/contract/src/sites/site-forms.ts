import { z } from "zod";
import { defineRoute } from "../http/route.ts";
import { optionalText, requiredText } from "../http/text.ts";
import {
  dayInputSchema,
  degreesInputSchema,
  idInputSchema,
  idSchema,
  optionalDecimalInputSchema,
  optionalEmailSchema,
  versionSchema,
} from "../http/values.ts";
import { cleaningPricePerSchema, type EnergyFact } from "./site-energy-facts.ts";
import { CONTACT_MAX, PHONE_MAX, SITE_ADDRESS_MAX, SITE_NAME_MAX, SITE_PLACE_MAX } from "./sites.ts";

const CURRENCY = "Currency must be a code of three letters, such as INR";
const currencyInputSchema = z
  .union([z.string().trim().toUpperCase(), z.null()], { error: CURRENCY })
  .transform((code) => code || null)
  .refine((code) => code === null || Intl.supportedValuesOf("currency").includes(code), CURRENCY)
  .optional();

/** A fact in a request: missing means unchanged, or none at creation; null or blank clears it. */
const factInputSchema = (name: string, min: number, max: number) =>
  optionalDecimalInputSchema(name, min, max).optional();

/** Beyond these the model is not that of the place. */
export const SOILING_RATE_FACTOR = { least: 0.1, most: 10 };

export const energyFactInputs = {
  dc_capacity_kwp: factInputSchema("DC capacity", 0.001, 5_000_000),
  control_capacity_kwp: factInputSchema("Capacity of control rows", 0.001, 5_000_000),
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
  soiling_rate_factor: factInputSchema("Factor on particles", SOILING_RATE_FACTOR.least, SOILING_RATE_FACTOR.most),
  soiling_alert_percent: factInputSchema("Soiling alert", 0.5, 50),
} satisfies Record<EnergyFact, z.ZodType>;

/** §5 Site create: the form's fields, each with its own error message. */
const siteFields = {
  name: requiredText("Site name is required", SITE_NAME_MAX),
  address: requiredText("Address is required", SITE_ADDRESS_MAX),
  district: requiredText("District is required", SITE_PLACE_MAX),
  state: requiredText("State is required", SITE_PLACE_MAX),
  pin_code: z
    .string({ error: "Pin code is required" })
    .trim()
    .min(1, { error: "Pin code is required", abort: true })
    .regex(/^\d{6}$/, "Pin code must have six digits"),
  commissioning_date: dayInputSchema("Commissioning date"),
  latitude: degreesInputSchema("Latitude", 90),
  longitude: degreesInputSchema("Longitude", 180),
  /** The contact's phone number; stored only for a site without a partner. */
  maintenance_contact: optionalText(PHONE_MAX),
  maintenance_contact_name: optionalText(CONTACT_MAX),
  maintenance_email: optionalEmailSchema,
  ...energyFactInputs,
};

/** An id, or null for none; anything else becomes undefined, which means the default. */
const partnerChoiceSchema = z
  .union([idInputSchema, z.null(), z.unknown().transform(() => undefined)])
  .optional()
  .meta({ description: "The partner's id; null for none. Missing or not an id: the default." });

export const siteBodySchema = z.object({ ...siteFields, maintenance_partner_id: partnerChoiceSchema });

/** The columns stored from the site form: inserted, read, compared and audited; also fields of `Site`. */
export const SITE_FIELDS = siteBodySchema.keyof().options;
export type SiteField = (typeof SITE_FIELDS)[number];

export const createSite = defineRoute({
  summary: "Create a site; without a partner id it belongs to partner 1, In-house",
  method: "POST",
  path: "/api/sites/create",
  body: siteBodySchema,
  status: 201,
  response: z.object({ message: z.string(), siteId: idSchema }),
});

export const updateSite = defineRoute({
  summary: "Change a site; a partner cannot reassign it",
  method: "PUT",
  path: "/api/sites/update/:id",
  params: z.object({ id: idInputSchema }),
  body: siteBodySchema.extend({ version: versionSchema.optional() }),
  response: z.object({ message: z.string() }),
});

export const deleteSite = defineRoute({
  summary: "Delete a site with its robots, groups and schedules; its history is retained",
  method: "DELETE",
  path: "/api/sites/delete/:id",
  params: z.object({ id: idInputSchema }),
  response: z.object({ message: z.string() }),
});
