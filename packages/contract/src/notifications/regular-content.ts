import { z } from "zod";
import { severitySchema } from "../alerts/severity.ts";

/** How many robots of a site were best done by which outcome, in its last night. */
const siteNightSchema = z.object({
  name: z.string(),
  url: z.string().nullable(),
  /** Robots that had a run. */
  runs: z.int(),
  done: z.int(),
  failed: z.int(),
  missed: z.int(),
  cut_short: z.int(),
  skipped: z.int(),
  /** Of those that were skipped. */
  for_rain: z.int(),
});
export type SiteNight = z.output<typeof siteNightSchema>;

/** What a summary of last night is made of; stored with its delivery. */
export const summaryContentSchema = z.object({ sites: z.array(siteNightSchema) });
export type SummaryContent = z.output<typeof summaryContentSchema>;

/** What a digest of the last day is made of; stored with its delivery. */
export const digestContentSchema = z.object({
  raised: z.int(),
  cleared: z.int(),
  done: z.int(),
  failed: z.int(),
  /** Open critical alerts, the newest first: as many as are told, and how many there are. */
  open: z.array(
    z.object({
      severity: severitySchema,
      text: z.string(),
      site: z.string().nullable(),
      robot: z.string().nullable(),
      raised_at: z.iso.datetime(),
      url: z.string().nullable(),
    }),
  ),
  open_count: z.int(),
});
export type DigestContent = z.output<typeof digestContentSchema>;
