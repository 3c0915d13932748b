import type { FieldError } from "@suncrew/contract/http/error.ts";
import type { ImportResponse, ImportRow } from "@suncrew/contract/http/import.ts";
import { HttpError } from "./http-error.ts";
import { fieldSentence } from "./error-handler.ts";

export interface CheckedImport {
  readonly rows: readonly ImportRow[];
  /** Problems of the file as a whole. */
  readonly problems: readonly FieldError[];
}

/** A refusal lists at most this many problems; the preview has them all. */
const MAX_LISTED = 500;

export function isImportable({ rows, problems }: CheckedImport): boolean {
  return problems.length === 0 && rows.every((row) => row.problems.length === 0);
}

/** The answer to an import that was only checked, or that created every row. */
export function importAnswer(checked: CheckedImport, applied: boolean): ImportResponse {
  const { rows, problems } = checked;
  const message = applied ? `${countOf(rows.length)} imported.` : checkedMessage(checked);
  return { message, applied, rows: [...rows], problems: [...problems] };
}

/** 400 for an import that has invalid rows: nothing was created. */
export function importRefusal(checked: CheckedImport): HttpError {
  const ofRows = checked.rows.flatMap(({ row, problems }) =>
    problems.map(({ field, message }) => ({ field: `row ${row}: ${field}`, message: fieldSentence(field, message) })),
  );
  const errors = [...checked.problems, ...ofRows].slice(0, MAX_LISTED);
  return new HttpError(400, "IMPORT_REFUSED", `Nothing was imported. ${checkedMessage(checked)}`, { errors });
}

function checkedMessage({ rows, problems }: CheckedImport): string {
  if (problems.length > 0) return `The file cannot be read: ${problems.map(({ message }) => message).join("; ")}.`;
  const bad = rows.filter((row) => row.problems.length > 0).length;
  const all = countOf(rows.length);
  return bad === 0 ? `${all} can be imported.` : `${bad} of ${all} cannot be imported.`;
}

const countOf = (count: number) => (count === 1 ? "1 row" : `${count} rows`);
