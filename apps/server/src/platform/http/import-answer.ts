import type { FieldError } from "@suncrew/contract/http/error.ts";
import type { ImportResponse, ImportRow } from "@suncrew/contract/http/import.ts";
import { HttpError } from "./http-error.ts";
import { sentence } from "./error-handler.ts";

/** A file of an import as it was understood. */
export interface CheckedImport {
  readonly rows: readonly ImportRow[];
  /** What is wrong with the file as a whole. */
  readonly problems: readonly FieldError[];
}

/** A refusal names so many problems; the preview has them all. */
const NAMED = 500;

export function isImportable({ rows, problems }: CheckedImport): boolean {
  return problems.length === 0 && rows.every((row) => row.problems.length === 0);
}

/** The answer to an import that was only checked, or that has created every row. */
export function importAnswer(checked: CheckedImport, applied: boolean): ImportResponse {
  const { rows, problems } = checked;
  const message = applied ? `${countOf(rows.length)} imported.` : checkedMessage(checked);
  return { message, applied, rows: [...rows], problems: [...problems] };
}

/** 400 for an import that would have had to leave rows out: nothing was created. */
export function importRefusal(checked: CheckedImport): HttpError {
  const ofRows = checked.rows.flatMap(({ row, problems }) =>
    problems.map(({ field, message }) => ({ field: `row ${row}: ${field}`, message: sentence(field, message) })),
  );
  const errors = [...checked.problems, ...ofRows].slice(0, NAMED);
  return new HttpError(400, "IMPORT_REFUSED", `Nothing was imported. ${checkedMessage(checked)}`, { errors });
}

function checkedMessage({ rows, problems }: CheckedImport): string {
  if (problems.length > 0) return `The file cannot be read: ${problems.map(({ message }) => message).join("; ")}.`;
  const bad = rows.filter((row) => row.problems.length > 0).length;
  return bad === 0
    ? `${countOf(rows.length)} can be imported.`
    : `${bad} of ${countOf(rows.length)} cannot be imported.`;
}

const countOf = (count: number) => (count === 1 ? "1 row" : `${count} rows`);
