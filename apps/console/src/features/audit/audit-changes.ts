import type { AuditEntry } from "@suncrew/contract/audit/audit.ts";

/** One value that an entry tells: as it was, as it is; null where there was or is none. */
export interface AuditChange {
  readonly field: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** What an entry changed, field by field; of a thing that came or went, all that is told of it. */
export function changesOf({ before, after }: Pick<AuditEntry, "before" | "after">): AuditChange[] {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return fields
    .map((field) => ({ field, before: textOf(before?.[field]), after: textOf(after?.[field]) }))
    .filter((change) => change.before !== change.after);
}

function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : JSON.stringify(value);
}

/** `UPDATE_SITE` as a person reads it. */
export function inWords(text: string): string {
  const words = text.replaceAll("_", " ").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
