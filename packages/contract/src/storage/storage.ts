import { z } from "zod";
import { defineRoute } from "../http/route.ts";
import { instantSchema } from "../http/values.ts";

/** The kinds of stored data that grow with time. */
export const keptKindSchema = z.enum([
  "readings",
  "robot_events",
  "presence",
  "runs",
  "commands",
  "activity",
  "alerts",
  "robot_days",
  "weather",
  "monthly_reports",
  "mails",
  "messages",
  "events",
  "firmware",
  "sessions",
  "sign_ins",
  "audit",
]);
export type KeptKind = z.output<typeof keptKindSchema>;

const bytesSchema = z.int().min(0);

export const storedKindSchema = z.object({
  kind: keptKindSchema,
  /** Days until it is deleted; null: kept for good. */
  keep_days: z.int().min(1).nullable(),
  /** As PostgreSQL estimates it; null before its first estimate. */
  rows: z.int().min(0).nullable(),
  /** With indexes. */
  bytes: bytesSchema,
  /** The time of the oldest; null where there is none. */
  oldest_at: instantSchema.nullable(),
  /** When the oldest is deleted; null where nothing is, or it is kept for good. */
  next_deletion_at: instantSchema.nullable(),
});
export type StoredKind = z.output<typeof storedKindSchema>;

export const diskSchema = z.object({
  /** The server's name; for a PostgreSQL elsewhere the server that measured it. */
  server: z.string(),
  /** The folder on that disk; 'database' where its size is configured. */
  folder: z.string(),
  total_bytes: bytesSchema,
  free_bytes: bytesSchema,
  level: z.enum(["ENOUGH", "LITTLE", "NEARLY_NONE"]),
});
export type StoredDisk = z.output<typeof diskSchema>;

export const storage = defineRoute({
  summary: "What is stored, how much space it takes and how long it is kept; measured every few minutes",
  method: "GET",
  path: "/api/storage",
  response: z.object({
    measured_at: instantSchema,
    kinds: z.array(storedKindSchema),
    /** Everything else, such as sites, robots and accounts. */
    other_bytes: bytesSchema,
    database_bytes: bytesSchema,
    disks: z.array(diskSchema),
    /** The last round that deleted anything; null before the first. */
    last_deletion: z
      .object({
        at: instantSchema,
        deleted: z.array(z.object({ kind: keptKindSchema, rows: z.int().min(0) })),
      })
      .nullable(),
  }),
});
export type Storage = z.output<typeof storage.response>;
