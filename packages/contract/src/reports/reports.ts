import { z } from "zod";
import { limitSchema } from "../http/page.ts";
import { defineRoute } from "../http/route.ts";
import { idInputSchema, idSchema, instantSchema } from "../http/values.ts";
import { CONTACT_POINTS_PER_OWNER, mailLanguageSchema, siteRoleSchema } from "../notifications/contact-points.ts";
import { deliveryStatusSchema } from "../notifications/deliveries.ts";

/** Far enough in the future, and far enough below year 9999 that date arithmetic stays within four digits. */
const FIRST_DAY_TOO_LATE = "3000-01-01";

/** `YYYY-MM-DD HH:MM:SS`, local time at the site. */
const localTimeSchema = (name: string) => {
  const message = `${name} must be a local time, YYYY-MM-DD HH:MM:SS`;
  return z
    .string({ error: message })
    .regex(/^\d{4}-\d{2}-\d{2} ([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/, message)
    .refine((text) => z.iso.date().safeParse(text.slice(0, 10)).success && text >= "1970", message)
    .refine((text) => text < FIRST_DAY_TOO_LATE, `${name} must be before the year 3000`);
};

/** A PDF prints only this many of the newest activity rows; the CSV has all of them. */
export const REPORT_ACTIVITY_ROWS = 2_000;
/** The longest range of a report, in the site's calendar days. */
export const REPORT_MAX_DAYS = 400;

export const reportBodySchema = z.object({
  site_id: idInputSchema,
  /** Used in the file name only; the report shows the stored name. */
  site_name: z.string().max(200).optional(),
  from: localTimeSchema("from"),
  to: localTimeSchema("to"),
  /** What the PDF shows; default: every section. */
  template_id: idInputSchema.nullish(),
});
export type ReportBody = z.output<typeof reportBodySchema>;

export const reportPdf = defineRoute({
  summary: "The report of a site over a range, as PDF; 404 if the range has no activity",
  method: "POST",
  path: "/api/site/robot/reportpdf",
  body: reportBodySchema,
  file: "application/pdf",
  response: z.string(),
});

export const reportCsv = defineRoute({
  summary: "All activity of a site over a range, as CSV; 404 if there is none",
  method: "POST",
  path: "/api/site/robot/reportcsv",
  body: reportBodySchema.omit({ template_id: true }),
  file: "text/csv",
  response: z.string(),
});

/** EMPTY: the month had no activity, so there is no file. FAILED reports are retried. */
export const monthlyReportStatusSchema = z.enum(["PENDING", "READY", "EMPTY", "FAILED"]);
export type MonthlyReportStatus = z.output<typeof monthlyReportStatusSchema>;

/** NONE: no recipients. UNCONFIGURED: no mail server is set up. */
export const mailStatusSchema = z.enum(["NONE", "PENDING", "SENT", "FAILED", "UNCONFIGURED"]);
export type MailStatus = z.output<typeof mailStatusSchema>;

/** A monthly report that was generated automatically. */
export const monthlyReportSchema = z.object({
  id: idSchema,
  site_id: idSchema,
  site_name: z.string(),
  /** `YYYY-MM`, in the site's time zone. */
  month: z.string(),
  /** Null: every section. */
  template_name: z.string().nullable(),
  status: monthlyReportStatusSchema,
  /** Plain text: why it failed or is empty. */
  reason: z.string().nullable(),
  bytes: z.int().nullable(),
  created_at: instantSchema,
  mail_status: mailStatusSchema,
  mail_reason: z.string().nullable(),
});
export type MonthlyReport = z.output<typeof monthlyReportSchema>;

export const MONTHLY_REPORTS_DEFAULT_LIMIT = 100;
export const MONTHLY_REPORTS_MAX_LIMIT = 500;

export const monthlyReports = defineRoute({
  summary: "Automatically generated monthly reports, newest first",
  method: "GET",
  path: "/api/reports",
  query: z.object({
    site_id: idInputSchema.optional(),
    limit: limitSchema(MONTHLY_REPORTS_MAX_LIMIT).optional(),
    cursor: z
      .string()
      .regex(/^\d{1,10}$/, "is not a cursor")
      .optional(),
  }),
  response: z.object({ reports: z.array(monthlyReportSchema), next_cursor: z.string().nullable() }),
});

export const makeMonthlyReport = defineRoute({
  summary: "Generate the report of a site's past month, to be kept; nobody is sent it by itself",
  method: "POST",
  path: "/api/reports",
  body: z.object({
    site_id: idInputSchema,
    /** In the site's time zone. */
    month: z.string().regex(/^(19[7-9]\d|2\d{3})-(0[1-9]|1[0-2])$/, "is not a month, YYYY-MM"),
  }),
  status: 201,
  response: z.object({ message: z.string(), reportId: idSchema }),
});

export const monthlyReportFile = defineRoute({
  summary: "The PDF of a monthly report",
  method: "GET",
  path: "/api/reports/:reportId/file",
  params: z.object({ reportId: idInputSchema }),
  file: "application/pdf",
  response: z.string(),
});

/** What the mail of a monthly report tells of the month. */
export const reportMailFiguresSchema = z.object({
  runs: z.int(),
  runs_done: z.int(),
  minutes_cleaned: z.int().nullable(),
  /** Of the time known; null if nothing is known. */
  reachable_percent: z.number().nullable(),
});
export type ReportMailFigures = z.output<typeof reportMailFiguresSchema>;

/** Whom a monthly report can be sent to. */
export const reportRecipientSchema = z.object({
  /** Null: an address of the report settings, or the partner's. */
  contact_point_id: idSchema.nullable(),
  name: z.string(),
  address: z.string(),
  role: siteRoleSchema.nullable(),
  language: mailLanguageSchema,
  /** By itself, each month. */
  gets_reports: z.boolean(),
  /** PAUSED and UNSUBSCRIBED: nothing is sent there. */
  state: z.enum(["READY", "PAUSED", "UNSUBSCRIBED"]),
});
export type ReportRecipient = z.output<typeof reportRecipientSchema>;

/** A monthly report on its way to one address, or what became of that. */
export const reportDeliverySchema = z.object({
  id: idSchema,
  name: z.string(),
  address: z.string(),
  language: mailLanguageSchema,
  /** Null: Suncrew, by itself. */
  sent_by: z.string().nullable(),
  created_at: instantSchema,
  status: deliveryStatusSchema,
  reason: z.string().nullable(),
  tries: z.int(),
  tried_at: instantSchema.nullable(),
});
export type ReportDelivery = z.output<typeof reportDeliverySchema>;

const reportParams = z.object({ reportId: idInputSchema });

export const monthlyReportMail = defineRoute({
  summary: "Whom a monthly report goes to, and what was sent: a PARTNER sees its sites' contacts only",
  method: "GET",
  path: "/api/reports/:reportId/mail",
  params: reportParams,
  response: z.object({
    /** Whether a mail server is set up. */
    mail_available: z.boolean(),
    /** True: the site has contacts for reports, and nobody else gets them. False: those of the report settings do. */
    has_contacts: z.boolean(),
    recipients: z.array(reportRecipientSchema),
    /** The newest first. */
    deliveries: z.array(reportDeliverySchema),
  }),
});

export const monthlyReportPreview = defineRoute({
  summary: "What the mail of a monthly report says, in English or another of its languages",
  method: "GET",
  path: "/api/reports/:reportId/mail/preview",
  params: reportParams,
  query: z.object({ language: mailLanguageSchema.optional() }),
  response: z.object({
    language: mailLanguageSchema,
    subject: z.string(),
    text: z.string(),
    /** A page of its own, without scripts and without anything to load. */
    html: z.string(),
    file_name: z.string(),
  }),
});

export const sendMonthlyReport = defineRoute({
  summary: "Send a monthly report now, or again, to contacts of its site",
  method: "POST",
  path: "/api/reports/:reportId/mail",
  params: reportParams,
  body: z.object({
    /** Missing: everybody who gets the site's reports. */
    contact_point_ids: z.array(idInputSchema).min(1).max(CONTACT_POINTS_PER_OWNER).optional(),
  }),
  response: z.object({ message: z.string() }),
});
