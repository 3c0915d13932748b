import { z } from "zod";
import { IMPORT_MAX_BODY_BYTES, importBodySchema, importResponseSchema } from "../http/import.ts";
import { defineRoute } from "../http/route.ts";
import { energyFactsSchema } from "./site-energy-facts.ts";

/** The columns of a sites CSV file, in export order; an import accepts any order. */
export const SITE_COLUMNS = [
  "name",
  "address",
  "district",
  "state",
  "pin_code",
  "latitude",
  "longitude",
  "commissioning_date",
  /** The partner's name; empty if the next three columns hold contact, phone and email instead. */
  "maintenance_partner",
  "maintenance_contact_name",
  "maintenance_contact",
  "maintenance_email",
  ...energyFactsSchema.keyof().options,
] as const;
/** Columns that an import may omit. */
export const SITE_OPTIONAL_COLUMNS = [
  "maintenance_partner",
  "maintenance_contact_name",
  "maintenance_contact",
  "maintenance_email",
  ...energyFactsSchema.keyof().options,
] as const satisfies readonly (typeof SITE_COLUMNS)[number][];

export const exportSites = defineRoute({
  summary: "The sites the user can see, as a CSV file that can be re-imported",
  method: "GET",
  path: "/api/sites/export",
  file: "text/csv",
  response: z.string(),
});

export const importSites = defineRoute({
  summary: "Check a CSV file of new sites, or create them all",
  method: "POST",
  path: "/api/sites/import",
  body: importBodySchema,
  maxBodyBytes: IMPORT_MAX_BODY_BYTES,
  response: importResponseSchema,
});
