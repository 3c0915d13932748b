import Papa from "papaparse";

/**
 * Positions where a spreadsheet might see a formula begin: at the start of a cell and, because spreadsheets in some
 * locales split at semicolons even inside quotes, after every separator and line break in it. Spaces, quotation marks
 * and full-width signs count too. Existing apostrophes are skipped, so that reading reverses exactly what writing did.
 * At the very start, a tab or line end counts as space.
 */
const FORMULA_START = /(?<=^|[,;\t\r\n])(?='*(?:[^\S\t\r\n]|")*[=+\-@＝＋－＠])|^(?='*(?:[^\S\t\r\n]|")*[\t\r\n])/g;
/** The apostrophe that the writer inserts to neutralise a formula. */
const ESCAPED_FORMULA = /(?<=^|[,;\t\r\n])'(?='*(?:[^\S\t\r\n]|")*[=+\-@＝＋－＠])|^'(?='*(?:[^\S\t\r\n]|")*[\t\r\n])/g;
/** Numbers, and phone numbers of digits and spaces, are harmless and stay as they are. */
const PLAIN = /^(?:-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|\+\d[\d ]*)$/i;

export type CsvCell = string | number | null;

/**
 * A CSV file that spreadsheets open correctly in every script (UTF-8 with byte order mark, CRLF, every cell quoted) and
 * that is safe against formula injection, whether split at commas or semicolons: an apostrophe goes before anything
 * that would be a formula.
 */
export function writeCsv(columns: readonly string[], rows: readonly (readonly CsvCell[])[]): string {
  return `${writeCsvHead(columns)}${writeCsvRows(rows)}`;
}

/** The header of a file that is written in pieces. */
export function writeCsvHead(columns: readonly string[]): string {
  return `\uFEFF${writeCsvRows([columns])}`;
}

/** Rows of such a file; an empty string if there are none. */
export function writeCsvRows(rows: readonly (readonly CsvCell[])[]): string {
  if (rows.length === 0) return "";
  const text = Papa.unparse(
    rows.map((row) => row.map((cell, nth) => escapeFormulas(String(cell ?? ""), nth === 0))),
    { newline: "\r\n", quotes: true },
  );
  return `${text}\r\n`;
}

/** A column of a file and how its cells come from a row. */
export interface CsvColumn<Row> {
  readonly name: string;
  readonly cell: (row: Row) => CsvCell;
}

/**
 * Such a file page by page, each fetched only when the previous one has been consumed. `nextPage` returns the rows
 * after the given one, none at the end.
 */
export async function* writeCsvPages<Row>(
  columns: readonly CsvColumn<Row>[],
  first: readonly Row[],
  nextPage: (last: Row | undefined) => Promise<readonly Row[]>,
): AsyncGenerator<string> {
  yield writeCsvHead(columns.map(({ name }) => name));
  for (let page = first; page.length > 0; page = await nextPage(page.at(-1))) {
    yield writeCsvRows(page.map((row) => columns.map(({ cell }) => cell(row))));
  }
}

/** A row's first cell is never exempt: split at semicolons, it merges with those that follow into one formula. */
function escapeFormulas(text: string, isFirst: boolean): string {
  return !isFirst && PLAIN.test(text) ? text : text.replaceAll(FORMULA_START, "'");
}

export interface CsvRow {
  /** Numbered as in a spreadsheet: the header is row 1, and a multi-line cell counts as one row. */
  readonly row: number;
  /** By column name. */
  readonly cells: Readonly<Record<string, string>>;
  /** False if it has more or fewer cells than the header. */
  readonly isComplete: boolean;
}

export interface CsvTable {
  /** Trimmed, in lower case. */
  readonly columns: readonly string[];
  readonly rows: readonly CsvRow[];
  /** Why the file cannot be read, as plain text; null if it can. */
  readonly problem: string | null;
}

/** The most frequent delimiter in the header: spreadsheets in some locales write semicolons. */
function delimiterOf(text: string): string {
  const names = /^.*/.exec(text)?.[0] ?? "";
  const count = (delimiter: string) => names.split(delimiter).length;
  return [";", "\t"].reduce((most, delimiter) => (count(delimiter) > count(most) ? delimiter : most), ",");
}

/** More than any file of ours has; bounds the work that a malicious file can cause. */
export const CSV_MAX_COLUMNS = 60;

/** Blank rows are skipped; reading stops at this many times `maxRows` rows in total. */
const BLANK_ROWS_FACTOR = 10;

/**
 * Reads a file written by `writeCsv` or a spreadsheet: comma, semicolon or tab as delimiter, any line ending, blank
 * lines skipped. Stops after `maxRows` + 1 rows, the extra one showing that there are more.
 */
export function readCsv(text: string, maxRows: number): CsvTable {
  const written = text.replace(/^\uFEFF/, "");
  const delimiter = delimiterOf(written);
  const names = Papa.parse<string[]>(written, { delimiter, preview: 1 }).data[0] ?? [];
  if (names.length > CSV_MAX_COLUMNS) return unreadable(`The file has more than ${CSV_MAX_COLUMNS} columns.`);
  const columns = names.map((name) => name.trim().toLowerCase());
  const duplicate = columns.find((name, index) => name !== "" && columns.indexOf(name) !== index);
  if (duplicate !== undefined) return unreadable(`The column ${duplicate} appears twice.`, columns);
  const rows: CsvRow[] = [];
  const problems: string[] = [];
  let row = 0;
  Papa.parse<string[]>(written, {
    delimiter,
    step: ({ data: cells, errors }, parser) => {
      row += 1;
      if (errors.some(({ type }) => type === "Quotes")) {
        problems.push(`A quotation mark in row ${row} is not closed or is inside a cell.`);
      }
      if (row > 1 + BLANK_ROWS_FACTOR * Math.max(1, maxRows)) problems.push("The file has too many blank rows.");
      if (row > 1 && cells.some((cell) => cell.trim() !== "")) {
        const named = columns.map(
          (name, at) => [name, (cells[at] ?? "").trim().replaceAll(ESCAPED_FORMULA, "")] as const,
        );
        rows.push({ row, cells: Object.fromEntries(named), isComplete: cells.length === columns.length });
      }
      if (problems.length > 0 || rows.length > maxRows) parser.abort();
    },
  });
  const [problem] = problems;
  return problem === undefined ? { columns, rows, problem: null } : unreadable(problem);
}

function unreadable(problem: string, columns: readonly string[] = []): CsvTable {
  return { columns, rows: [], problem };
}
