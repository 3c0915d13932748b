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

/** A row's place in the chain: its number, from 1 without gaps, and the hash over it and the one before, in hex. */
export const auditSealSchema = z.object({ number: z.int().min(1), hash: z.string().regex(/^[0-9a-f]{64}$/) });
export type AuditSeal = z.output<typeof auditSealSchema>;

/** One change, by anyone or anything, also a refused one. */
export const auditEntrySchema = z.object({
  /** A bigint as text. */
  id: z.string(),
  at: instantSchema,
  /** The person, or 'Suncrew' for the server's own doing. */
  actor: z.string(),
  user_id: idSchema.nullable(),
  /** A verb in capitals, such as UPDATE. */
  action: z.string(),
  /** The kind of thing, such as robot. */
  entity: z.string(),
  entity_id: z.string().nullable(),
  /** What the thing was called then, also where it was deleted since; null where it has no name. */
  target_name: z.string().nullable(),
  site_id: idSchema.nullable(),
  /** What the site was called then. */
  site_name: z.string().nullable(),
  outcome: auditOutcomeSchema,
  reason: z.string().nullable(),
  /** The thing before and after, secrets left out. */
  before: z.record(z.string(), z.unknown()).nullable(),
  after: z.record(z.string(), z.unknown()).nullable(),
  /** Null for up to 2 s, until it is sealed. */
  seal: auditSealSchema.nullable(),
});
export type AuditEntry = z.output<typeof auditEntrySchema>;

export const AUDIT_DEFAULT_LIMIT = 200;
export const AUDIT_MAX_LIMIT = 1000;

const nameSchema = (max: number) =>
  z.string().trim().min(1).max(max).refine(isWritable, "has characters that are in no name");

/** What narrows the audit; every one of them may be left out. */
export const auditFilterSchema = z.object({
  /**
   * Text within a name that the thing or its site ever had, the person, the reason, or the words of the action or kind of
   * thing ("Sign in"), in any case; or an `entity_id` as a whole.
   */
  search: searchSchema.optional(),
  action: nameSchema(60).optional(),
  entity: nameSchema(60).optional(),
  /** Exactly an `actor`. */
  actor: nameSchema(200).optional(),
  outcome: auditOutcomeSchema.optional(),
  site_id: idInputSchema.optional(),
  /** Entries from this instant on, and before that one. */
  from: instantInputSchema.optional(),
  to: instantInputSchema.optional(),
});
export type AuditFilter = z.output<typeof auditFilterSchema>;

export const auditList = defineRoute({
  summary: "Every change that was made or refused, newest first",
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
    /** What there is to filter by. */
    actions: z.array(z.string()),
    entities: z.array(z.string()),
  }),
});

/** All that `auditList` tells in pages with the same filter, as a file. */
export const exportAudit = defineRoute({
  summary: "The audit as CSV, newest first",
  method: "GET",
  path: "/api/audit/export",
  query: auditFilterSchema.refine(isOrderedRange, TO_BEFORE_FROM),
  file: "text/csv",
  response: z.string(),
});
