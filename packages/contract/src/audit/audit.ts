import { z } from "zod";
import { booleanInputSchema, limitSchema, searchSchema, totalFields } from "../http/page.ts";
import { defineRoute } from "../http/route.ts";
import { isWritable } from "../http/text.ts";
import {
  isOrderedRange,
  TO_BEFORE_FROM,
  idInputSchema,
  idSchema,
  instantInputSchema,
  instantSchema,
} from "../http/values.ts";

export const auditOutcomeSchema = z.enum(["DONE", "REFUSED", "FAILED"]);
export type AuditOutcome = z.output<typeof auditOutcomeSchema>;

/** A row's place in the hash chain: its number, from 1 without gaps, and the hex hash over it and its predecessor. */
export const auditSealSchema = z.object({ number: z.int().min(1), hash: z.string().regex(/^[0-9a-f]{64}$/) });
export type AuditSeal = z.output<typeof auditSealSchema>;

/** A change by a person or the server, refused and failed ones included. */
export const auditEntrySchema = z.object({
  /** A bigint as text. */
  id: z.string(),
  at: instantSchema,
  /** The person, or 'Suncrew' for the server's own actions. */
  actor: z.string(),
  user_id: idSchema.nullable(),
  /** A verb in capitals, such as UPDATE. */
  action: z.string(),
  /** The kind of entity, such as robot. */
  entity: z.string(),
  entity_id: z.string().nullable(),
  /** The entity's name at that time, even if deleted since; null if it has none. */
  target_name: z.string().nullable(),
  site_id: idSchema.nullable(),
  /** The site's name at that time. */
  site_name: z.string().nullable(),
  outcome: auditOutcomeSchema,
  reason: z.string().nullable(),
  /** The entity before and after, without secrets. */
  before: z.record(z.string(), z.unknown()).nullable(),
  after: z.record(z.string(), z.unknown()).nullable(),
  /** Null until the entry is sealed, within 2 s. */
  seal: auditSealSchema.nullable(),
});
export type AuditEntry = z.output<typeof auditEntrySchema>;

export const AUDIT_DEFAULT_LIMIT = 200;
export const AUDIT_MAX_LIMIT = 1000;

const nameSchema = (max: number) =>
  z.string().trim().min(1).max(max).refine(isWritable, "contains characters that cannot occur in a name");

/** Optional filters. */
export const auditFilterSchema = z.object({
  /**
   * Case-insensitive substring of any name the entity or its site ever had, the person, the reason, or the label of the
   * action or entity ("Sign in"); or an exact `entity_id`.
   */
  search: searchSchema.optional(),
  action: nameSchema(60).optional(),
  entity: nameSchema(60).optional(),
  /** An exact `actor`. */
  actor: nameSchema(200).optional(),
  outcome: auditOutcomeSchema.optional(),
  site_id: idInputSchema.optional(),
  /** Entries from `from` (inclusive) to `to` (exclusive). */
  from: instantInputSchema.optional(),
  to: instantInputSchema.optional(),
});
export type AuditFilter = z.output<typeof auditFilterSchema>;

export const auditList = defineRoute({
  summary: "Every change made or refused, newest first",
  method: "GET",
  path: "/api/audit",
  query: auditFilterSchema
    .extend({
      limit: limitSchema(AUDIT_MAX_LIMIT).optional(),
      cursor: z
        .string()
        .regex(/^\d{1,18}$/, "is not a cursor")
        .optional(),
      exact_total: booleanInputSchema.optional(),
    })
    .refine(isOrderedRange, TO_BEFORE_FROM),
  response: z.object({
    entries: z.array(auditEntrySchema),
    ...totalFields,
    next_cursor: z.string().nullable(),
    /** The newest seal; null before the first. */
    head: auditSealSchema.extend({ sealed_at: instantSchema }).nullable(),
    /** The values to filter by. */
    actions: z.array(z.string()),
    entities: z.array(z.string()),
  }),
});

/** All rows of `auditList` with the same filter, as a file. */
export const exportAudit = defineRoute({
  summary: "The audit as CSV, newest first",
  method: "GET",
  path: "/api/audit/export",
  query: auditFilterSchema.refine(isOrderedRange, TO_BEFORE_FROM),
  file: "text/csv",
  response: z.string(),
});
