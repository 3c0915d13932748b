import { z } from "zod";
import { credentialsSchema } from "../partners/partners.ts";
import { defineRoute } from "../http/route.ts";
import { requiredText } from "../http/text.ts";
import { idInputSchema, idSchema, instantSchema, optionalEmailSchema } from "../http/values.ts";

/** A Super Admin, as other Super Admins see them. */
export const adminSchema = z.object({
  id: idSchema,
  username: z.string(),
  name: z.string(),
  email: z.string(),
  created_at: instantSchema,
  /** When the generated password expires; null once the person has chosen one. */
  password_until: instantSchema.nullable(),
  /** When the newest open session began; null if there is none. */
  signed_in_at: instantSchema.nullable(),
});
export type Admin = z.output<typeof adminSchema>;

export const adminList = defineRoute({
  summary: "The Super Admins",
  method: "GET",
  path: "/api/admins",
  response: z.array(adminSchema),
});

/** The fields of a new Super Admin, here and on the server's command line. */
export const newAdminSchema = z.object({
  username: requiredText("Username is required", 60).regex(/^\S*$/, "A username has no spaces"),
  name: requiredText("Name is required", 200),
  email: optionalEmailSchema,
});

/** Changes of Super Admins are re-authenticated, so that an unattended console cannot make them. */
const ownPasswordSchema = z
  .string({ error: "Your password is required" })
  .min(1, "Your password is required")
  .max(1000)
  .describe("The caller's own password");

export const createAdmin = defineRoute({
  summary: "Create another Super Admin, with a generated password",
  method: "POST",
  path: "/api/admins",
  maxBodyBytes: 16_384,
  body: newAdminSchema.extend({ password: ownPasswordSchema }),
  status: 201,
  response: z.object({ message: z.string(), adminId: idSchema, credentials: credentialsSchema }),
});

const adminParams = z.object({ id: idInputSchema });
const confirmed = z.object({ password: ownPasswordSchema });

export const resetAdminPassword = defineRoute({
  summary: "Give another Super Admin a new generated password and end their sessions",
  method: "POST",
  path: "/api/admins/:id/reset-password",
  maxBodyBytes: 16_384,
  params: adminParams,
  body: confirmed,
  response: z.object({ message: z.string(), credentials: credentialsSchema }),
});

export const removeAdmin = defineRoute({
  summary: "Remove another Super Admin and end their sessions",
  method: "POST",
  path: "/api/admins/:id/remove",
  maxBodyBytes: 16_384,
  params: adminParams,
  body: confirmed,
  response: z.object({ message: z.string() }),
});
