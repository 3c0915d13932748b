import { heading, noteStyle, paragraph, paragraphHeight, rule } from "./blocks.ts";
import { page, type PdfDocument, theme } from "./pdf-document.ts";
import { type Align, capHeight, type TextStyle } from "./typesetter.ts";

export type Cell =
  | string
  | {
      readonly text: string;
      readonly color?: string;
      readonly isStrong?: boolean;
      /** Printed below it in muted type. */
      readonly note?: string;
    };

export interface Column<Row> {
  readonly title: string;
  /** Its width, relative to that of the other columns. */
  readonly share: number;
  readonly align?: Align;
  /** An ellipsis ends longer text; 3 by default. */
  readonly maxLines?: number;
  readonly of: (row: Row) => Cell;
  readonly total?: string;
}

export interface Table<Row> {
  readonly title: string;
  /** Printed below the title. */
  readonly notes?: readonly string[];
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** Printed instead of a table without rows, and of its notes. */
  readonly empty?: string;
  readonly namesRows?: boolean;
  readonly hasTotals?: boolean;
  /** Small type and narrow spacing, for thousands of rows. */
  readonly isDense?: boolean;
}

/** Points. */
interface Spacing {
  readonly fontSize: number;
  readonly lineHeight: number;
  /** Above and below the lines of a row. */
  readonly padding: number;
  /** Between columns. */
  readonly gap: number;
}
const regular: Spacing = { fontSize: 8.5, lineHeight: 11.4, padding: 4.2, gap: 10 };
const dense: Spacing = { fontSize: 7.5, lineHeight: 9.8, padding: 2.9, gap: 8 };

const SIDE_PADDING = 6;
const MAX_LINES = 3;
const ROWS_PER_STEP = 20;
/** Of a heading at the top of a page, in points. */
const HEADING_HEIGHT = 40;

interface TypesetCell {
  readonly lines: readonly string[];
  readonly style: TextStyle;
  readonly notes?: readonly string[];
}

/**
 * Draws a table below its title and notes. It starts a new page if it would break on this one and fits on that one. A
 * dense table, or one that is longer than a page, breaks between rows, with at least two of them on each side and its
 * header on each page. Yields after every few rows.
 */
export function* titledTable<Row>(document: PdfDocument, table: Table<Row>): Generator<void> {
  const { title, notes = [], columns, rows, empty } = table;
  if (rows.length === 0 && empty !== undefined) {
    heading(document, "H3", title);
    paragraph(document, empty);
    return;
  }
  const drawing = new TableDrawing(
    document,
    columns,
    table.namesRows === true,
    table.isDense === true ? dense : regular,
  );
  const cells = rows.map((row) => columns.map((column) => column.of(row)));
  if (table.hasTotals === true) cells.push(columns.map(({ total = "" }) => ({ text: total, isStrong: true })));
  const notesHeight = notes.reduce((sum, note) => sum + paragraphHeight(document, note, noteStyle), 0);
  const available = table.isDense === true ? 0 : page.bottom - page.top - notesHeight - HEADING_HEIGHT;
  heading(document, "H3", title, notesHeight + drawing.unbrokenHeight(cells, available));
  for (const note of notes) paragraph(document, note, noteStyle);
  document.open("Table");
  for (const [index, row] of cells.entries()) {
    const isKeptWithNext = index === 0 || index === cells.length - 2;
    drawing.row(row, index === 0, isKeptWithNext ? cells[index + 1] : undefined);
    if (index % ROWS_PER_STEP === ROWS_PER_STEP - 1) yield;
  }
  document.close();
  document.y += 10;
  yield;
}

type Scope = "Row" | "Column" | null;

class TableDrawing {
  readonly #document: PdfDocument;
  readonly #namesRows: boolean;
  readonly #spacing: Spacing;
  readonly #noteStyle: TextStyle;
  readonly #columns;
  readonly #header: readonly TypesetCell[];

  constructor(document: PdfDocument, columns: readonly Column<never>[], namesRows: boolean, spacing: Spacing) {
    this.#document = document;
    this.#namesRows = namesRows;
    this.#spacing = spacing;
    this.#noteStyle = { size: spacing.fontSize - 0.5, color: theme.muted };
    this.#columns = placeColumns(columns, spacing.gap);
    const style: TextStyle = { size: spacing.fontSize - 0.5, weight: "SEMIBOLD", color: theme.muted };
    this.#header = this.#columns.map(({ title, width }) => ({
      lines: document.type.lines(title, width, style, 2),
      style,
    }));
  }

  /** What must not be broken: the header with all rows if they fit into `available`, else with the first two. */
  unbrokenHeight(rows: readonly (readonly Cell[])[], available: number): number {
    let height = this.#height(this.#header);
    let firstRows = height;
    for (const [index, cells] of rows.entries()) {
      height += this.#height(this.#typeset(cells));
      if (index < 2) firstRows = height;
      if (height > available && index > 0) return firstRows;
    }
    return height;
  }

  /** `next` is the row that must be on the same page. */
  row(cells: readonly Cell[], isFirst: boolean, next?: readonly Cell[]): void {
    const row = this.#typeset(cells);
    const nextHeight = next === undefined ? 0 : this.#height(this.#typeset(next));
    const headerHeight = isFirst ? this.#height(this.#header) : 0;
    const isNewPage = this.#document.reserve(this.#height(row) + nextHeight + headerHeight);
    if (isFirst || isNewPage) this.#drawHeader(!isFirst);
    this.#drawRow(row, (index) => (this.#namesRows && index === 0 ? "Row" : null));
    this.#document.artifact(() => rule(this.#document, this.#document.y, 0.5));
  }

  #typeset(cells: readonly Cell[]): TypesetCell[] {
    return this.#columns.map(({ width, maxLines = MAX_LINES }, index) => {
      const cell = cells[index] ?? "";
      const { text, color = theme.text, isStrong = false } = typeof cell === "string" ? { text: cell } : cell;
      const style: TextStyle = { size: this.#spacing.fontSize, color, weight: isStrong ? "SEMIBOLD" : "REGULAR" };
      const lines = this.#document.type.lines(text, width, style, maxLines);
      const note = typeof cell === "string" ? "" : (cell.note ?? "");
      if (note === "") return { lines, style };
      return { lines, style, notes: this.#document.type.lines(note, width, this.#noteStyle, maxLines) };
    });
  }

  #height(row: readonly TypesetCell[]): number {
    const { lineHeight, padding } = this.#spacing;
    const most = Math.max(1, ...row.map(({ lines, notes = [] }) => lines.length + notes.length));
    return most * lineHeight + padding * 2;
  }

  /** A header that is repeated on a further page is an artifact: screen readers have read it. */
  #drawHeader(isRepeated: boolean): void {
    const height = this.#height(this.#header);
    this.#document.artifact(() => {
      this.#document.fill(page.left, this.#document.y, page.width, height, theme.soft);
      rule(this.#document, this.#document.y + height, 0.5);
      if (isRepeated) for (const [index, cell] of this.#header.entries()) this.#drawCell(index, cell);
    });
    if (isRepeated) this.#document.y += height;
    else this.#drawRow(this.#header, () => "Column");
  }

  #drawRow(row: readonly TypesetCell[], scopeOf: (index: number) => Scope): void {
    this.#document.open("TR");
    for (const [index, cell] of row.entries()) {
      const scope = scopeOf(index);
      const draw = () => this.#drawCell(index, cell);
      if (scope === null) this.#document.mark("TD", draw);
      else this.#document.mark("TH", draw, { scope });
    }
    this.#document.close();
    this.#document.y += this.#height(row);
  }

  #drawCell(index: number, { lines, style, notes = [] }: TypesetCell): void {
    const column = this.#columns[index];
    if (column === undefined) return;
    const { left, width, align = "LEFT" } = column;
    const x = align === "LEFT" ? left : align === "RIGHT" ? left + width : left + width / 2;
    const { lineHeight, padding, fontSize } = this.#spacing;
    // Capitals are centred in their line.
    const baseline = this.#document.y + padding + (lineHeight + capHeight(fontSize)) / 2;
    this.#document.type.setLines(lines, x, baseline, lineHeight, style, align);
    const below = baseline + lines.length * lineHeight;
    this.#document.type.setLines(notes, x, below, lineHeight, this.#noteStyle, align);
  }
}

function placeColumns(columns: readonly Column<never>[], gap: number) {
  const shares = columns.reduce((sum, { share }) => sum + share, 0);
  const available = page.width - SIDE_PADDING * 2 - gap * (columns.length - 1);
  let left = page.left + SIDE_PADDING;
  return columns.map((column) => {
    const width = (available * column.share) / shares;
    const place = { ...column, left, width };
    left += width + gap;
    return place;
  });
}
