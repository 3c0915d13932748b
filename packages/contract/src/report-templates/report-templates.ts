import { z } from "zod";
import { defineRoute } from "../http/route.ts";
import { optionalText, requiredText } from "../http/text.ts";
import { idInputSchema, idSchema, instantSchema, versionSchema } from "../http/values.ts";

/** §3 Report template: the kinds of sections, each at most once in a template. */
export const sectionTypeSchema = z.enum(["performance", "activities", "robot_health", "maintenance", "alerts"]);
export type SectionType = z.output<typeof sectionTypeSchema>;

export const fieldDataTypeSchema = z.enum(["number", "text", "chart", "date"]);

export const templateFieldSchema = z.object({
  id: z.string(),
  /** The figure's key, such as `uptime`; the labels are those of §3. */
  name: z.string(),
  label: z.string(),
  dataType: fieldDataTypeSchema,
  enabled: z.boolean(),
  required: z.boolean(),
});
export type TemplateField = z.output<typeof templateFieldSchema>;

export const templateSectionSchema = z.object({
  id: z.string(),
  name: z.string(),
  type: sectionTypeSchema,
  fields: z.array(templateFieldSchema),
  enabled: z.boolean(),
  /** Print position, from 1. */
  order: z.int().min(1),
});
export type TemplateSection = z.output<typeof templateSectionSchema>;

export const reportTemplateSchema = z.object({
  id: idSchema,
  name: z.string(),
  description: z.string(),
  /** All five, enabled or not, in print order. */
  sections: z.array(templateSectionSchema),
  createdBy: z.string(),
  createdAt: instantSchema,
  updatedAt: instantSchema,
  isActive: z.boolean(),
  /** Edit count, sent back with an edit. */
  version: versionSchema,
});
export type ReportTemplate = z.output<typeof reportTemplateSchema>;

/** Omitted sections and fields are off; a required field of an enabled section must be on. */
export const reportTemplateBodySchema = z.object({
  name: requiredText("Name is required", 120),
  description: optionalText(500, "several lines"),
  sections: z
    .array(
      z.object({
        type: sectionTypeSchema,
        enabled: z.boolean(),
        order: z.int().min(1).max(5),
        fields: z.array(z.object({ name: z.string().max(60), enabled: z.boolean() })).max(20),
      }),
    )
    .max(5),
  isActive: z.boolean().default(true),
  version: versionSchema.optional(),
});

const templateParams = z.object({ templateId: idInputSchema });

export const reportTemplates = defineRoute({
  summary: "Report templates; a PARTNER sees only active ones",
  method: "GET",
  path: "/api/report-templates",
  response: z.array(reportTemplateSchema),
});

export const createReportTemplate = defineRoute({
  summary: "Add a report template",
  method: "POST",
  path: "/api/report-templates",
  body: reportTemplateBodySchema,
  status: 201,
  response: z.object({ message: z.string(), templateId: idSchema }),
});

export const updateReportTemplate = defineRoute({
  summary: "Change a report template, or turn it on or off",
  method: "PUT",
  path: "/api/report-templates/:templateId",
  params: templateParams,
  body: reportTemplateBodySchema,
  response: z.object({ message: z.string() }),
});

export const deleteReportTemplate = defineRoute({
  summary: "Delete a report template; reports made with it are retained",
  method: "DELETE",
  path: "/api/report-templates/:templateId",
  params: templateParams,
  response: z.object({ message: z.string() }),
});

export const reportSettingsFields = z.object({
  /** Generate every site's report of last month on the first of each month, in the site's time zone. */
  auto_generate_monthly: z.boolean(),
  /** Send each of them by email. */
  email_notifications: z.boolean(),
  /** The template of the monthly reports; null: every section. */
  template_id: idSchema.nullable(),
  /** Recipients of the reports of all sites. */
  recipients: z.array(z.email("is not an email address").max(254)).max(50),
  /** Also send to the site's maintenance partner. */
  send_to_partners: z.boolean(),
});

/** What is larger is for print, and slows every report down. */
export const LOGO_MAX_BYTES = 300_000;
export const LOGO_MAX_PIXELS = 1_000_000;

export const logoMediaTypeSchema = z.enum(["image/png", "image/jpeg"]);
export type LogoMediaType = z.output<typeof logoMediaTypeSchema>;

/** On the first page of every site report, as it is stored: without transparency or what a camera adds. */
export const reportLogoSchema = z.object({
  media_type: logoMediaTypeSchema,
  /** Pixels. */
  width: z.int(),
  height: z.int(),
  base64: z.base64(),
});

export const reportSettings = defineRoute({
  summary: "Whether monthly reports are generated and mailed automatically",
  method: "GET",
  path: "/api/report-settings",
  response: reportSettingsFields.extend({
    /** False: no mail can be sent, because no SMTP server is configured. */
    email_configured: z.boolean(),
    /** Null: none. */
    logo: reportLogoSchema.nullable(),
    version: versionSchema,
  }),
});

export const updateReportSettings = defineRoute({
  summary: "Change whether monthly reports are generated and mailed automatically",
  method: "PUT",
  path: "/api/report-settings",
  body: reportSettingsFields.partial().extend({ version: versionSchema.optional() }),
  response: z.object({ message: z.string() }),
});

export const updateReportLogo = defineRoute({
  summary: "Set the logo of site reports; the body is a PNG or JPEG file",
  method: "PUT",
  path: "/api/report-settings/logo",
  upload: "application/octet-stream",
  maxBodyBytes: LOGO_MAX_BYTES,
  response: z.object({ message: z.string() }),
});

export const deleteReportLogo = defineRoute({
  summary: "Remove the logo of site reports",
  method: "DELETE",
  path: "/api/report-settings/logo",
  response: z.object({ message: z.string() }),
});
