import Papa from "papaparse";

/** A spreadsheet takes a cell that begins so for a formula. */
const FORMULA_START = /^[=+\-@\t\r]/;
/** Numbers, and phone numbers of digits and blanks, compute nothing and stay as they are. */
const PLAIN = /^(?:-?\d+(?:\.\d+)?|\+\d[\d ]*)$/;
/** What the writer put before a cell so that it computes nothing. */
const DISARMED = /^'(?=[=+\-@\t\r])/;

export type CsvCell = string | number | null;

/**
 * A CSV file that spreadsheets open with every script right (UTF-8 with byte order mark, CRLF) and that carries no
 * formula: a cell that would be one begins with an apostrophe.
 */
export function writeCsv(columns: readonly string[], rows: readonly (readonly CsvCell[])[]): string {
  const text = Papa.unparse(
    { fields: columns.map(disarm), data: rows.map((row) => row.map((cell) => disarm(String(cell ?? "")))) },
    { newline: "\r\n" },
  );
  return `\uFEFF${text}\r\n`;
}

function disarm(text: string): string {
  return FORMULA_START.test(text) && !PLAIN.test(text) ? `'${text}` : text;
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

/** Reads what `writeCsv` or a spreadsheet wrote: comma, semicolon or tab between, any line end, blank lines left out. */
export function readCsv(text: string): CsvTable {
  const written = text.replace(/^\uFEFF/, "");
  const { data, errors } = Papa.parse<string[]>(written, { delimiter: delimiterOf(written) });
  const unclosed = errors.find(({ type }) => type === "Quotes");
  if (unclosed !== undefined) {
    const where = unclosed.row === undefined ? "" : ` in row ${unclosed.row + 1}`;
    return { columns: [], rows: [], problem: `A quotation mark${where} is not closed or stands inside a cell.` };
  }
  const [names = [], ...lines] = data;
  const columns = names.map((name) => name.trim().toLowerCase());
  const twice = columns.find((name, index) => name !== "" && columns.indexOf(name) !== index);
  if (twice !== undefined) return { columns, rows: [], problem: `The column ${twice} is there twice.` };
  const rows = lines.flatMap((cells, index) => {
    if (cells.every((cell) => cell.trim() === "")) return [];
    const named = columns.map((name, at) => [name, (cells[at] ?? "").trim().replace(DISARMED, "")] as const);
    const isWhole = cells.length === columns.length;
    return [{ row: index + 2, cells: Object.fromEntries(named), isWhole }];
  });
  return { columns, rows, problem: null };
}
