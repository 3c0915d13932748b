import { z } from "zod";
import { defineRoute } from "../http/route.ts";
import { requiredText, typedText } from "../http/text.ts";
import { instantSchema, versionSchema } from "../http/values.ts";

/** TLS: from the first byte. STARTTLS: before anything else is said. NONE: only to this machine itself. */
export const mailEncryptionSchema = z.enum(["TLS", "STARTTLS", "NONE"]);
export type MailEncryption = z.output<typeof mailEncryptionSchema>;

const shownFields = {
  host: z.string(),
  port: z.int(),
  encryption: mailEncryptionSchema,
  user: z.string().nullable(),
  has_password: z.boolean(),
  from_name: z.string(),
  from_address: z.string(),
};

export const mailServer = defineRoute({
  summary: "The mail server that is used, without its password",
  method: "GET",
  path: "/api/mail-server",
  response: z.object({
    /**
     * ENVIRONMENT: SMTP_URL and MAIL_FROM, which win and cannot be changed here. DEMO: the demo's own mailbox, until one is
     * set up. NONE: nothing is sent by email.
     */
    source: z.enum(["ENVIRONMENT", "CONSOLE", "DEMO", "NONE"]),
    server: z.object(shownFields).nullable(),
    /** Of what was entered here; null for others. */
    changed: z.object({ at: instantSchema, by: z.string(), version: versionSchema }).nullable(),
  }),
});

export const updateMailServer = defineRoute({
  summary: "Set up the mail server; every server uses it at once",
  method: "PUT",
  path: "/api/mail-server",
  body: z.object({
    host: requiredText("Host is required", 253).regex(
      /^[A-Za-z0-9._:-]+$/,
      "must be a name or an IP address, such as smtp.example.org",
    ),
    port: z.int().min(1).max(65_535),
    encryption: mailEncryptionSchema,
    user: typedText(z.string()).max(254).nullable(),
    /** Missing: as before, as long as host, port and user are. */
    password: typedText(z.string()).min(1).max(1_000).optional(),
    from_name: typedText(z.string())
      .max(100)
      .regex(/^[^<>"]*$/, 'must not have <, > or "'),
    from_address: z.email("is not an email address").max(254),
    version: versionSchema.optional(),
  }),
  response: z.object({ message: z.string() }),
});

export const deleteMailServer = defineRoute({
  summary: "Forget the mail server that was set up here, and its password",
  method: "DELETE",
  path: "/api/mail-server",
  response: z.object({ message: z.string() }),
});

export const testMailServer = defineRoute({
  summary: "Send a mail by the mail server that is used, and answer what it answered",
  method: "POST",
  path: "/api/mail-server/test",
  body: z.object({ to: z.email("is not an email address").max(254) }),
  response: z.object({ delivered: z.boolean(), message: z.string() }),
});
