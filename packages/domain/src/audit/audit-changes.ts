import type { AuditEntry } from "@suncrew/contract/audit/audit.ts";

/** One field of an entry, before and after the change; null if it had or has no value. */
interface AuditChange {
  readonly field: string;
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * What an entry changed, field by field; for a thing that was created or deleted, all its fields. A field that only one
 * side of an edit has did not change: entries from earlier versions have such fields.
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

/** The field with the name for an id, which is shown instead: `site` for `site_id`, `robots` for `robot_ids`. */
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

const labels: Readonly<Record<string, string>> = {
  kept_report: "Monthly report",
  START_SCHEDULED_RUN_ANEW: "Start scheduled run again",
};

/** An action, kind of entity or field of the audit as people read and search for it: `UPDATE_SITE` is "Update site". */
export function auditLabel(text: string): string {
  const known = labels[text];
  if (known !== undefined) return known;
  const plain = text.replaceAll("_", " ").toLowerCase();
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}

/** Those that contain this text, as shown or as stored, ignoring case. */
export function matchAuditLabels(texts: readonly string[], search: string): string[] {
  const wanted = search.toLowerCase();
  return texts.filter((text) => [text, auditLabel(text)].some((shown) => shown.toLowerCase().includes(wanted)));
}
