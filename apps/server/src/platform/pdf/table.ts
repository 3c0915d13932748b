import { heading, noteStyle, paragraph, paragraphHeight } from "./blocks.ts";
import { page, type PdfDocument, theme } from "./pdf-document.ts";
import { type Align, ascent, type TextStyle } from "./typesetter.ts";

export interface Column {
  readonly title: string;
  /** Its part of the width, beside the others'. */
  readonly share: number;
  readonly align?: Align;
  /** Lines at the most; an ellipsis ends what is longer. */
  readonly most?: number;
}

export interface StyledCell {
  readonly text: string;
  readonly color?: string;
  readonly isStrong?: boolean;
}
export type Cell = string | StyledCell;

export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  /** The first cell of a row names it. */
  readonly namesRows?: boolean;
  /** Small type and little room, for tables of thousands of rows. */
  readonly isDense?: boolean;
}

interface Manner {
  /** Points, as all of these. */
  readonly size: number;
  readonly line: number;
  /** Over and under the lines of a row. */
  readonly pad: number;
  readonly gap: number;
}
const usual: Manner = { size: 8.5, line: 11.4, pad: 4.2, gap: 10 };
const dense: Manner = { size: 7.5, line: 9.8, pad: 2.9, gap: 8 };

const MOST_LINES = 3;
const ROWS_BETWEEN_TURNS = 20;
/** What a heading takes at the top of a page. */
const HEADING = 40;

interface Place extends Column {
  readonly left: number;
  readonly width: number;
}

interface SetCell {
  readonly lines: readonly string[];
  readonly style: TextStyle;
}

/**
 * Draws a table under its heading and notes. It begins a new page where it is whole on that one and would be broken on
 * this one. A dense table, or one that is longer than a page, breaks between rows, with two of them on each side at the
 * least and its head on each page. Others get their turn at each step.
 */
export function* titledTable(
  document: PdfDocument,
  title: string,
  notes: readonly string[],
  table: Table,
): Generator<void> {
  const { columns, rows, namesRows, isDense } = table;
  const drawing = new TableDrawing(document, columns, namesRows === true, isDense === true ? dense : usual);
  const ofNotes = notes.reduce((sum, note) => sum + paragraphHeight(document, note, noteStyle), 0);
  const room = isDense === true ? 0 : page.bottom - page.top - ofNotes - HEADING;
  heading(document, "H3", title, ofNotes + drawing.together(rows, room));
  for (const note of notes) paragraph(document, note, noteStyle);
  document.open("Table");
  for (const [nth, cells] of rows.entries()) {
    const isBeforeLast = nth === rows.length - 2;
    drawing.row(cells, nth === 0, nth === 0 || isBeforeLast ? rows[nth + 1] : undefined);
    if (nth % ROWS_BETWEEN_TURNS === ROWS_BETWEEN_TURNS - 1) yield;
  }
  document.close();
  document.y += 10;
  yield;
}

class TableDrawing {
  readonly #document: PdfDocument;
  readonly #namesRows: boolean;
  readonly #manner: Manner;
  readonly #places: readonly Place[];
  readonly #head: readonly SetCell[];

  constructor(document: PdfDocument, columns: readonly Column[], namesRows: boolean, manner: Manner) {
    this.#document = document;
    this.#namesRows = namesRows;
    this.#manner = manner;
    this.#places = placesOf(columns, manner.gap);
    const style: TextStyle = { size: manner.size - 0.5, weight: "SEMIBOLD", color: theme.muted };
    this.#head = this.#places.map(({ title, width }) => ({
      lines: document.type.lines(title, width, style, 2),
      style,
    }));
  }

  /** What must be on one page: all rows with the head where they have room on a page, else the first two. */
  together(rows: readonly (readonly Cell[])[], room: number): number {
    let height = this.#height(this.#head);
    let ofFirst = height;
    for (const [nth, cells] of rows.entries()) {
      height += this.#height(this.#set(cells));
      if (nth < 2) ofFirst = height;
      if (height > room && nth > 0) return ofFirst;
    }
    return height;
  }

  row(cells: readonly Cell[], isFirst: boolean, together?: readonly Cell[]): void {
    const set = this.#set(cells);
    const after = together === undefined ? 0 : this.#height(this.#set(together));
    const height = this.#height(set);
    const isNewPage = this.#document.need(height + after + (isFirst ? this.#height(this.#head) : 0));
    if (isFirst) this.#drawHead();
    else if (isNewPage) this.#repeatHead();
    this.#drawCells(set, (nth) => (this.#namesRows && nth === 0 ? "Row" : null));
    this.#document.artifact(() => hairline(this.#document, this.#document.y));
  }

  #set(cells: readonly Cell[]): SetCell[] {
    return this.#places.map(({ width, most = MOST_LINES }, nth) => {
      const cell = cells[nth] ?? "";
      const { text, color = theme.text, isStrong }: StyledCell = typeof cell === "string" ? { text: cell } : cell;
      const style: TextStyle = { size: this.#manner.size, color, weight: isStrong === true ? "SEMIBOLD" : "REGULAR" };
      return { lines: this.#document.type.lines(text, width, style, most), style };
    });
  }

  #height(cells: readonly SetCell[]): number {
    return Math.max(1, ...cells.map(({ lines }) => lines.length)) * this.#manner.line + this.#manner.pad * 2;
  }

  #drawHead(): void {
    this.#document.artifact(() => this.#ground());
    this.#drawCells(this.#head, () => "Column");
  }

  /** On a further page the head is there for the eyes alone; who is read to has heard it. */
  #repeatHead(): void {
    this.#document.artifact(() => {
      this.#ground();
      for (const [nth, cell] of this.#head.entries()) this.#drawCell(nth, cell);
    });
    this.#document.y += this.#height(this.#head);
  }

  /** Cells of one row, each tagged; `scopeOf` is null for those that name nothing. */
  #drawCells(cells: readonly SetCell[], scopeOf: (nth: number) => "Row" | "Column" | null): void {
    this.#document.open("TR");
    for (const [nth, cell] of cells.entries()) {
      const scope = scopeOf(nth);
      const draw = () => this.#drawCell(nth, cell);
      if (scope === null) this.#document.mark("TD", draw);
      else this.#document.mark("TH", draw, { scope });
    }
    this.#document.close();
    this.#document.y += this.#height(cells);
  }

  #drawCell(nth: number, { lines, style }: SetCell): void {
    const place = this.#places[nth];
    if (place === undefined) return;
    const { left, width, align = "LEFT" } = place;
    const x = align === "LEFT" ? left : align === "RIGHT" ? left + width : left + width / 2;
    const { line, pad, size } = this.#manner;
    // Capitals stand in the middle of their line.
    const first = this.#document.y + pad + (line + ascent(size)) / 2;
    for (const [below, text] of lines.entries()) {
      this.#document.type.set(text, x, first + below * line, style, align);
    }
  }

  #ground(): void {
    const height = this.#height(this.#head);
    this.#document.kit.rect(page.left, this.#document.y, page.width, height).fillColor(theme.soft).fill();
    hairline(this.#document, this.#document.y + height);
  }
}

function hairline({ kit }: PdfDocument, y: number): void {
  kit.moveTo(page.left, y).lineTo(page.right, y).lineWidth(0.5).strokeColor(theme.border).stroke();
}

function placesOf(columns: readonly Column[], gap: number): Place[] {
  const pad = 6;
  const shares = columns.reduce((sum, { share }) => sum + share, 0);
  const room = page.width - pad * 2 - gap * (columns.length - 1);
  let left = page.left + pad;
  return columns.map((column) => {
    const width = (room * column.share) / shares;
    const place = { ...column, left, width };
    left += width + gap;
    return place;
  });
}
