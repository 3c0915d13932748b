import Papa from "papaparse";

/**
 * Where a reader may see a cell begin: at its start, and, as some countries' spreadsheets split at semicolons whatever the
 * quotation marks say, behind every separator and line break in it. It would take what follows for a formula, also
 * after blanks, quotation marks and the full-width signs of East Asian keyboards; apostrophes that stand there already are
 * looked through, so that reading undoes exactly what writing did. Blanks at the very start may be a tab or a line end.
 */
const FORMULA_START = /(?<=^|[,;\t\r\n])(?='*(?:[^\S\t\r\n]|")*[=+\-@＝＋－＠])|^(?='*(?:[^\S\t\r\n]|")*[\t\r\n])/g;
/** What the writer put there so that it computes nothing. */
const DISARMED = /(?<=^|[,;\t\r\n])'(?='*(?:[^\S\t\r\n]|")*[=+\-@＝＋－＠])|^'(?='*(?:[^\S\t\r\n]|")*[\t\r\n])/g;
/** Numbers, and phone numbers of digits and blanks, compute nothing and stay as they are. */
const PLAIN = /^(?:-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|\+\d[\d ]*)$/i;

export type CsvCell = string | number | null;

/**
 * A CSV file that spreadsheets open with every script right (UTF-8 with byte order mark, CRLF), every cell in quotation
 * marks, and that carries no formula, whether it is read by commas or by semicolons: what would be one begins with an
 * apostrophe.
 */
export function writeCsv(columns: readonly string[], rows: readonly (readonly CsvCell[])[]): string {
  return `${writeCsvHead(columns)}${writeCsvRows(rows)}`;
}

/** The beginning of a file that is written piece by piece. */
export function writeCsvHead(columns: readonly string[]): string {
  return `\uFEFF${writeCsvRows([columns])}`;
}

/** Some rows of such a file; empty where there are none. */
export function writeCsvRows(rows: readonly (readonly CsvCell[])[]): string {
  if (rows.length === 0) return "";
  const text = Papa.unparse(
    rows.map((row) => row.map((cell, nth) => disarm(String(cell ?? ""), nth === 0))),
    { newline: "\r\n", quotes: true },
  );
  return `${text}\r\n`;
}

/** A column of a file, as each row tells it. */
export interface CsvColumn<Row> {
  readonly name: string;
  readonly cell: (row: Row) => CsvCell;
}

/**
 * Such a file page by page: the next page is asked for when the last one was taken. `nextPage` answers the rows after
 * this one, none at the end.
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

/** The first cell of a row has no exception: by semicolons it is one with all that follow it, and computes with them. */
function disarm(text: string, isFirst: boolean): string {
  return !isFirst && PLAIN.test(text) ? text : text.replaceAll(FORMULA_START, "'");
}

export interface CsvRow {
  /** As a spreadsheet counts: the line of names is row 1, and a cell of several lines is one row. */
  readonly row: number;
  /** By column name. */
  readonly cells: Readonly<Record<string, string>>;
  /** False where it has more or fewer cells than there are names. */
  readonly isWhole: boolean;
}

export interface CsvTable {
  /** Trimmed, in lower case. */
  readonly columns: readonly string[];
  readonly rows: readonly CsvRow[];
  /** Why it cannot be read at all, in plain words; null where it can. */
  readonly problem: string | null;
}

/** What stands most often in the line of names: some countries' spreadsheets write semicolons. */
function delimiterOf(text: string): string {
  const names = /^.*/.exec(text)?.[0] ?? "";
  const count = (delimiter: string) => names.split(delimiter).length;
  return [";", "\t"].reduce((most, delimiter) => (count(delimiter) > count(most) ? delimiter : most), ",");
}

/** No file of ours has more columns; looking further would be work for whoever sends nonsense. */
export const CSV_MAX_COLUMNS = 60;

/** Blank rows are passed over, up to so many times as many as rows are wanted. */
const BLANK_ROWS = 10;

/**
 * Reads what `writeCsv` or a spreadsheet wrote: comma, semicolon or tab between, any line end, blank lines left out. The
 * work is bounded by `maxRows`, of which one more is answered where there are more.
 */
export function readCsv(text: string, maxRows: number): CsvTable {
  const written = text.replace(/^\uFEFF/, "");
  const delimiter = delimiterOf(written);
  const names = Papa.parse<string[]>(written, { delimiter, preview: 1 }).data[0] ?? [];
  if (names.length > CSV_MAX_COLUMNS) return unreadable(`The file has more than ${CSV_MAX_COLUMNS} columns.`);
  const columns = names.map((name) => name.trim().toLowerCase());
  const twice = columns.find((name, index) => name !== "" && columns.indexOf(name) !== index);
  if (twice !== undefined) return unreadable(`The column ${twice} is there twice.`, columns);
  const rows: CsvRow[] = [];
  const problems: string[] = [];
  let row = 0;
  Papa.parse<string[]>(written, {
    delimiter,
    step: ({ data: cells, errors }, parser) => {
      row += 1;
      if (errors.some(({ type }) => type === "Quotes")) {
        problems.push(`A quotation mark in row ${row} is not closed or stands inside a cell.`);
      }
      if (row > 1 + BLANK_ROWS * Math.max(1, maxRows)) problems.push("The file has too many blank rows.");
      if (row > 1 && cells.some((cell) => cell.trim() !== "")) {
        const named = columns.map((name, at) => [name, (cells[at] ?? "").trim().replaceAll(DISARMED, "")] as const);
        rows.push({ row, cells: Object.fromEntries(named), isWhole: cells.length === columns.length });
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
