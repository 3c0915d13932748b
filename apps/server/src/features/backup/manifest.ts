import { createHmac } from "node:crypto";
import { z } from "zod";

/** The last part of a backup: without it a backup is incomplete. */
export const MANIFEST = "suncrew-backup.json";
export const FORMAT = 1;

const name = z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/);
const count = z.number().int().nonnegative();
const bound = String.raw`\((?:'[^'\\]*'|-?\d+|MINVALUE|MAXVALUE)\)`;

export const manifestSchema = z.object({
  format: z.literal(FORMAT),
  /** The version of Suncrew that made it. */
  version: z.string(),
  mode: z.enum(["demo", "production"]),
  /** The database's time when its snapshot was taken. */
  takenAt: z.iso.datetime(),
  /** Names of the files in `apps/server/migrations` that made the schema, in order. */
  migrations: z.array(z.object({ name: z.string().regex(/^\d{4}_[a-z0-9_]+\.sql$/), stepsDone: count })).min(1),
  tables: z.array(z.object({ name, columns: z.array(name).min(1), rows: count })),
  /** Partitions that are made by the months, with their bounds as PostgreSQL words them. */
  partitions: z.array(
    z.object({
      name,
      parent: name,
      bound: z.string().regex(new RegExp(`^(DEFAULT|FOR VALUES FROM ${bound} TO ${bound})$`)),
    }),
  ),
  sequences: z.array(z.object({ name, value: z.string().regex(/^-?\d{1,19}$/), called: z.boolean() })),
  /** The newest link of the audit's chain; null if nothing was sealed yet. */
  auditHead: z.object({ number: count, hash: z.string().regex(/^[0-9a-f]{64}$/) }).nullable(),
  /** Proves which secret key belongs to it, without revealing that; null if the command did not know the key. */
  keyCheck: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
  /** Secrets that an installation needs and this file lacks, by the names of their environment variables. */
  notIncluded: z.array(z.string()),
  parts: z.array(z.object({ name: z.string(), bytes: count, sha256: z.string().regex(/^[0-9a-f]{64}$/) })),
});
export type Manifest = z.output<typeof manifestSchema>;

export function keyCheckOf(secretKey: string): string {
  return createHmac("sha256", secretKey).update("suncrew backup").digest("hex");
}

/** Where a table's rows are: pieces of them, in order. */
export const tablePart = (table: string, piece: number): string =>
  `tables/${table}/${String(piece).padStart(6, "0")}.copy.gz`;
export const tableOfPart = (part: string): string | null =>
  /^tables\/([a-z0-9_]+)\/\d{6}\.copy\.gz$/.exec(part)?.[1] ?? null;
export const filePart = (file: string): string => `files/${file}`;
/** A file of the data folder; a path to anywhere else is none. */
export const fileOfPart = (part: string): string | null => /^files\/([a-z0-9][a-z0-9.-]*)$/.exec(part)?.[1] ?? null;
