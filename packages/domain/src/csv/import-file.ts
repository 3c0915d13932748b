import type { FieldError } from "@suncrew/contract/http/error.ts";
import { IMPORT_MAX_ROWS } from "@suncrew/contract/http/import.ts";
import { readCsv } from "./csv.ts";

/** The columns of one kind of import file. */
export interface ImportColumns<Column extends string> {
  readonly all: readonly Column[];
  /** Columns that a file may omit. */
  readonly optional: readonly Column[];
  /** Rows that a file may have; `IMPORT_MAX_ROWS` if not given. */
  readonly maxRows?: number;
}

/** One row below the header. */
export interface ImportLine<Column extends string> {
  /** Numbered as in a spreadsheet: the header is row 1. */
  readonly row: number;
  /** An empty string if the column is missing or the cell blank. */
  readonly cells: Readonly<Record<Column, string>>;
  /** Problems found before any cell is parsed. */
  readonly problems: readonly FieldError[];
}

export interface ImportFile<Column extends string> {
  readonly lines: readonly ImportLine<Column>[];
  /** Why the file cannot be imported at all; there are no lines then. */
  readonly problems: readonly FieldError[];
}

/** Scientific notation, into which spreadsheets turn long numbers (such as phone numbers) not formatted as text. */
const SCIENTIFIC = /^\d(?:\.\d+)?E\+\d+$/i;

/** Reads a file of these columns, in any order. Unknown columns are an error, because their cells would be lost. */
export function readImportFile<Column extends string>(
  text: string,
  { all, optional, maxRows = IMPORT_MAX_ROWS }: ImportColumns<Column>,
): ImportFile<Column> {
  const { columns, rows, problem } = readCsv(text, maxRows);
  if (problem !== null) return { lines: [], problems: [{ field: "csv", message: problem }] };
  const known: readonly string[] = all;
  const missing = all.filter((column) => !columns.includes(column) && !optional.includes(column));
  const isUsed = (column: string) => column !== "" || rows.some(({ cells }) => (cells[""] ?? "") !== "");
  const unknown = columns.filter((column) => !known.includes(column) && isUsed(column));
  const problems: FieldError[] = [
    ...missing.map((field) => ({ field, message: `The column ${field} is missing` })),
    ...unknown.map((field) => ({
      field,
      message: field === "" ? "A column has no name" : `The column ${field} is not known`,
    })),
  ];
  if (problems.length === 0 && rows.length === 0) problems.push({ field: "csv", message: "The file has no rows" });
  if (rows.length > maxRows) {
    const most = maxRows.toLocaleString("en");
    problems.push({ field: "csv", message: `The file has more than ${most} rows; split it into several` });
  }
  if (problems.length > 0) return { lines: [], problems };
  const lines = rows.map(({ row, cells, isComplete }): ImportLine<Column> => {
    // It has exactly these columns, which the compiler cannot infer.
    const mine = Object.fromEntries(all.map((column) => [column, cells[column] ?? ""])) as Record<Column, string>;
    return { row, cells: mine, problems: isComplete ? shortenedIn(all, mine) : [{ field: "row", message: UNEVEN }] };
  });
  return { lines, problems: [] };
}

const UNEVEN = "The row has more or fewer cells than there are columns";

function shortenedIn<Column extends string>(columns: readonly Column[], cells: Readonly<Record<Column, string>>) {
  const shortened = columns.filter((column) => SCIENTIFIC.test(cells[column]));
  return shortened.map((field) => ({
    field,
    message: "Was shortened by a spreadsheet; format the column as text there",
  }));
}

/** A date cell: as `YYYY-MM-DD`, or unchanged if it cannot be converted. */
export interface CellDay {
  readonly day: string;
  /** Why it is rejected although it looks like a date; null if the form's own rule covers it. */
  readonly problem: string | null;
}

/**
 * Converts the day-first dates of spreadsheets, DD-MM-YYYY or DD/MM/YYYY, to `YYYY-MM-DD`; anything else is unchanged.
 * A date that would be another day when read month-first is ambiguous and rejected.
 */
export function dayOfCell(cell: string): CellDay {
  const [, first = "", , second = "", year = ""] = /^(\d{2})([-/])(\d{2})\2(\d{4})$/.exec(cell) ?? [];
  if (year === "") return { day: cell, problem: null };
  const day = `${year}-${second}-${first}`;
  const isAmbiguous = first !== second && [first, second].every((part) => Number(part) >= 1 && Number(part) <= 12);
  if (!isAmbiguous) return { day, problem: null };
  return { day: cell, problem: `${cell} could be ${day} or ${year}-${first}-${second}; write the date as YYYY-MM-DD` };
}

/** At most this many duplicates are listed per row. */
const MAX_LISTED = 3;

/** Maps the index of each line whose key occurs more than once to the row numbers of the first other lines with it. */
export function findDuplicateRows(
  keys: readonly (string | null)[],
  rowOf: (nth: number) => number,
): ReadonlyMap<number, readonly number[]> {
  const byKey = Map.groupBy(keys.keys(), (nth) => keys[nth] ?? null);
  const found = new Map<number, readonly number[]>();
  for (const [key, places] of byKey) {
    if (key === null || places.length < 2) continue;
    const first = places.slice(0, MAX_LISTED + 1);
    for (const nth of places)
      found.set(
        nth,
        first
          .filter((other) => other !== nth)
          .slice(0, MAX_LISTED)
          .map(rowOf),
      );
  }
  return found;
}

/** "Duplicate of row 3" or "Duplicate of rows 3, 4". */
export function duplicateSentence(rows: readonly number[]): string {
  return `Duplicate of ${rows.length === 1 ? "row" : "rows"} ${rows.join(", ")}`;
}

/** One problem per column is enough to fix a row. */
export function firstPerField(problems: readonly FieldError[]): FieldError[] {
  return [...new Map(problems.toReversed().map((problem) => [problem.field, problem])).values()].toReversed();
}
