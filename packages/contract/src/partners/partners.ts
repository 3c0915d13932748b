import { z } from "zod";
import { defineRoute } from "../http/route.ts";
import { optionalText, requiredText } from "../http/text.ts";
import { idInputSchema, idSchema, instantSchema, versionSchema } from "../http/values.ts";

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
  /**
   * The generated password in plain text, for Super Admins, until the partner chooses its own. Null afterwards, or if the
   * server's key has changed since. Absent for a partner.
   */
  enc_password: z.string().nullable().optional(),
  /** In-house: has no user and cannot be deleted. */
  built_in: z.boolean(),
  version: versionSchema,
});
export type Partner = z.output<typeof partnerSchema>;

export const partnerDetails = defineRoute({
  summary: "Maintenance partners; a partner sees its own record only",
  method: "GET",
  path: "/api/partner/details",
  response: z.array(partnerSchema),
});

export const PARTNER_NAME_MAX = 120;
export const PARTNER_PHONE_MAX = 40;

/** §5 Partner add/edit; older clients may omit country and tax id. */
export const partnerBodySchema = z.object({
  name: requiredText("Company name is required", PARTNER_NAME_MAX),
  contact_person: requiredText("Contact person is required", 120),
  email: z
    .string({ error: "Email is required" })
    .trim()
    .min(1, "Email is required")
    .max(254, "must have at most 254 characters")
    .pipe(z.email("Email is not an email address")),
  /** The phone number. */
  contact_info: requiredText("Phone is required", PARTNER_PHONE_MAX),
  address: requiredText("Address is required", 300),
  city: requiredText("City is required", 100),
  state: requiredText("State is required", 100),
  zip_code: requiredText("Zip code is required", 20),
  country: optionalText(100),
  registration: optionalText(100),
  tax_id: optionalText(100),
  /** Comma-separated. */
  certifications: optionalText(1000),
  status: z
    .string()
    .transform((text) => text.toUpperCase())
    .pipe(z.literal("ACTIVE"))
    .default("ACTIVE"),
});

export const credentialsSchema = z.object({ username: z.string(), password: z.string() });

export const createPartner = defineRoute({
  summary: "Create a partner and its user, with a generated password",
  method: "POST",
  path: "/api/partner/create",
  body: partnerBodySchema,
  status: 201,
  response: z.object({
    message: z.string(),
    partnerId: idSchema,
    userId: idSchema,
    credentials: credentialsSchema,
  }),
});

export const updatePartner = defineRoute({
  summary: "Change a partner's record",
  method: "PUT",
  path: "/api/partner/update/:id",
  params: z.object({ id: idInputSchema }),
  body: partnerBodySchema.extend({
    // Omitted, these keep their value.
    country: optionalText(100).optional(),
    registration: optionalText(100).optional(),
    tax_id: optionalText(100).optional(),
    certifications: optionalText(1000).optional(),
    version: versionSchema.optional(),
  }),
  response: z.object({ message: z.string() }),
});

export const deletePartner = defineRoute({
  summary: "Delete a partner and its user; refused while sites are assigned to it",
  method: "DELETE",
  path: "/api/partner/deletePartner/:id",
  params: z.object({ id: idInputSchema }),
  response: z.object({ message: z.string() }),
});

export const resetPartnerPassword = defineRoute({
  summary: "Give a partner's user a new generated password and end its sessions",
  method: "PUT",
  path: "/api/partner/resetPassword/:id",
  params: z.object({ id: idInputSchema }),
  response: z.object({ message: z.string(), newPassword: z.string() }),
});
