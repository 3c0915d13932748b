import { z } from "zod";
import { defineRoute } from "../http/route.ts";
import { idSchema, instantSchema } from "../http/values.ts";

export const partnerSchema = z.object({
  id: idSchema,
  name: z.string(),
  contact_person: z.string().nullable(),
  contact_info: z.string().nullable(),
  email: z.string().nullable(),
  address: z.string().nullable(),
  city: z.string().nullable(),
  state: z.string().nullable(),
  zip_code: z.string().nullable(),
  country: z.string().nullable(),
  tax_id: z.string().nullable(),
  registration: z.string().nullable(),
  /** Comma-separated. */
  certifications: z.string().nullable(),
  status: z.string(),
  created_at: instantSchema,
  username: z.string().nullable(),
  user_id: idSchema.nullable(),
});
export type Partner = z.output<typeof partnerSchema>;

export const partnerDetails = defineRoute({
  summary: "Maintenance partners; a partner sees its own record only",
  method: "GET",
  path: "/api/partner/details",
  response: z.array(partnerSchema),
});
