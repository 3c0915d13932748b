import type { FieldError } from "@suncrew/contract/http/error.ts";
import { IMPORT_MAX_ROWS } from "@suncrew/contract/http/import.ts";
import { readCsv } from "./csv.ts";

/** The columns of one kind of file. */
export interface ImportColumns<Column extends string> {
  readonly all: readonly Column[];
  /** Those that a file may leave out. */
  readonly optional: readonly Column[];
}

/** A line of the file below the names. */
export interface ImportLine<Column extends string> {
  /** As a spreadsheet counts: the names stand in row 1. */
  readonly row: number;
  /** Empty where the file has no such column or the cell is blank. */
  readonly cells: Readonly<Record<Column, string>>;
  /** What is wrong before anything is understood. */
  readonly problems: readonly FieldError[];
}

export interface ImportFile<Column extends string> {
  readonly lines: readonly ImportLine<Column>[];
  /** Why the file as a whole cannot be taken; then it has no lines. */
  readonly problems: readonly FieldError[];
}

/** What a spreadsheet makes of a long number, such as a phone, that it was not told to keep as text. */
const SHORTENED = /^\d(?:\.\d+)?E\+\d+$/i;

/** Reads a file of these columns, in any order. A column that is not known is told: its cells would be lost. */
export function readImportFile<Column extends string>(
  text: string,
  { all, optional }: ImportColumns<Column>,
): ImportFile<Column> {
  const { columns, rows, problem } = readCsv(text, IMPORT_MAX_ROWS);
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
  if (rows.length > IMPORT_MAX_ROWS) {
    const most = IMPORT_MAX_ROWS.toLocaleString("en");
    problems.push({ field: "csv", message: `The file has more than ${most} rows; split it into several` });
  }
  if (problems.length > 0) return { lines: [], problems };
  const lines = rows.map(({ row, cells, isWhole }): ImportLine<Column> => {
    // Made of exactly these columns, which the compiler does not see.
    const mine = Object.fromEntries(all.map((column) => [column, cells[column] ?? ""])) as Record<Column, string>;
    return { row, cells: mine, problems: isWhole ? shortenedIn(all, mine) : [{ field: "row", message: UNEVEN }] };
  });
  return { lines, problems: [] };
}

const UNEVEN = "The row has more or fewer cells than there are columns";

function shortenedIn<Column extends string>(columns: readonly Column[], cells: Readonly<Record<Column, string>>) {
  const shortened = columns.filter((column) => SHORTENED.test(cells[column]));
  return shortened.map((field) => ({
    field,
    message: "Was shortened by a spreadsheet; have it keep the column as text",
  }));
}

/** A day of a file: as `YYYY-MM-DD`, or as it stands where nobody can tell. */
export interface CellDay {
  readonly day: string;
  /** Why it is not taken though it looks like a day; null where the form's own rule says enough. */
  readonly problem: string | null;
}

/**
 * A day as a spreadsheet writes it where days come first, DD-MM-YYYY or DD/MM/YYYY, as `YYYY-MM-DD`; anything else as it
 * is. One that reads as another day where months come first is refused: which of them was meant stands nowhere.
 */
export function dayOfCell(cell: string): CellDay {
  const [, first = "", , second = "", year = ""] = /^(\d{2})([-/])(\d{2})\2(\d{4})$/.exec(cell) ?? [];
  if (year === "") return { day: cell, problem: null };
  const day = `${year}-${second}-${first}`;
  const isEither = first !== second && [first, second].every((part) => Number(part) >= 1 && Number(part) <= 12);
  if (!isEither) return { day, problem: null };
  return { day: cell, problem: `${cell} may be ${day} or ${year}-${first}-${second}; write the one that is meant` };
}

/** As many rows are named that have the same as one. */
const NAMED = 3;

/** The lines that have the same as another one, by their places in the list, with the rows of the first others. */
export function findDuplicateRows(
  keys: readonly (string | null)[],
  rowOf: (nth: number) => number,
): ReadonlyMap<number, readonly number[]> {
  const byKey = Map.groupBy(keys.keys(), (nth) => keys[nth] ?? null);
  const found = new Map<number, readonly number[]>();
  for (const [key, places] of byKey) {
    if (key === null || places.length < 2) continue;
    const first = places.slice(0, NAMED + 1);
    for (const nth of places)
      found.set(
        nth,
        first
          .filter((other) => other !== nth)
          .slice(0, NAMED)
          .map(rowOf),
      );
  }
  return found;
}

/** As in "Duplicate of row 3" and "Duplicate of rows 3, 4". */
export function duplicateSentence(rows: readonly number[]): string {
  return `Duplicate of ${rows.length === 1 ? "row" : "rows"} ${rows.join(", ")}`;
}

/** One problem for each column is enough to mend a row by. */
export function firstPerField(problems: readonly FieldError[]): FieldError[] {
  return [...new Map(problems.toReversed().map((problem) => [problem.field, problem])).values()].toReversed();
}
