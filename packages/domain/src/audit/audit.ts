import type { AuditEntry } from "@suncrew/contract/audit/audit.ts";

/** One value that an entry tells: as it was, as it is; null where there was or is none. */
interface AuditChange {
  readonly field: string;
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * What an entry changed, field by field; of a thing that came or went, all that is told of it. A field that only one side
 * of an edit has was not changed by it: entries of former versions have such.
 */
export function changesOf({ action, before, after }: Pick<AuditEntry, "action" | "before" | "after">): AuditChange[] {
  const isEdit = before !== null && after !== null && !action.startsWith("DELETE_");
  const fields = isEdit
    ? Object.keys(before).filter((field) => Object.hasOwn(after, field))
    : [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return fields
    .filter((field) => !fields.includes(nameFieldOf(field)))
    .map((field) => ({ field, before: textOf(before?.[field]), after: textOf(after?.[field]) }))
    .filter((change) => change.before !== change.after);
}

/** Where a name stands beside an id, the name alone is told: `site` for `site_id`, `robots` for `robot_ids`. */
function nameFieldOf(field: string): string {
  return /_ids?$/.test(field) ? field.replace(/_id(s?)$/, "$1") : "";
}

function textOf(value: unknown): string | null {
  if (value === undefined || value === null || value === "") return null;
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((part) => typeof part === "string" || typeof part === "number")) {
    return value.length === 0 ? null : value.join(", ");
  }
  return typeof value === "number" || typeof value === "boolean" ? String(value) : JSON.stringify(value);
}

const words: Readonly<Record<string, string>> = {
  kept_report: "Monthly report",
  START_SCHEDULED_RUN_ANEW: "Start scheduled run again",
};

/** An action, the kind of a thing or a field of the audit as people read it and search for it: `UPDATE_SITE`, "Update site". */
export function auditWords(text: string): string {
  const known = words[text];
  if (known !== undefined) return known;
  const plain = text.replaceAll("_", " ").toLowerCase();
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}

/** Those whose words, as shown or as stored, have this text in them, in any case. */
export function withAuditWords(texts: readonly string[], search: string): string[] {
  const asked = search.toLowerCase();
  return texts.filter((text) => [text, auditWords(text)].some((shown) => shown.toLowerCase().includes(asked)));
}
