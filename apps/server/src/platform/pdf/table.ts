import { look, page } from "./look.ts";
import type { PdfDocument } from "./pdf-document.ts";
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
}

const SIZE = 8.5;
const LINE = 11.4;
const PAD_Y = 4.2;
const GAP = 10;
const MOST_LINES = 3;
const ROWS_BETWEEN_TURNS = 20;

const headStyle: TextStyle = { size: 8, weight: "SEMIBOLD", color: look.muted };

interface Place extends Column {
  readonly left: number;
  readonly width: number;
}

/** Draws a table over as many pages as it takes, with its head on each; others get their turn at each step. */
export function* drawTable(document: PdfDocument, { columns, rows, namesRows = false }: Table): Generator<void> {
  const places = placesOf(columns);
  const head = places.map(({ title, width }) => document.type.lines(title, width, headStyle, 2));
  const heightOf = (set: readonly SetCell[]) => Math.max(1, ...set.map(({ lines }) => lines.length)) * LINE + PAD_Y * 2;
  const setRow = (cells: readonly Cell[] = []) =>
    places.map((place, nth) => setCell(document, place, cells[nth] ?? ""));
  document.open("Table");
  for (const [nth, cells] of rows.entries()) {
    const set = setRow(cells);
    const height = heightOf(set);
    // The last row, often a total, does not stand alone on a page.
    const after = nth === rows.length - 2 ? heightOf(setRow(rows.at(-1))) : 0;
    const isNewPage = document.need(height + after + (nth === 0 ? heightOfHead(head) : 0));
    if (nth === 0) drawHead(document, places, head);
    else if (isNewPage) repeatHead(document, places, head);
    drawRow(document, places, set, height, namesRows);
    if (nth % ROWS_BETWEEN_TURNS === ROWS_BETWEEN_TURNS - 1) yield;
  }
  document.close();
  document.y += 10;
  yield;
}

interface SetCell {
  readonly lines: readonly string[];
  readonly style: TextStyle;
}

function setCell(document: PdfDocument, { width, most = MOST_LINES }: Place, cell: Cell): SetCell {
  const { text, color = look.text, isStrong = false }: StyledCell = typeof cell === "string" ? { text: cell } : cell;
  const style: TextStyle = { size: SIZE, color, weight: isStrong ? "SEMIBOLD" : "REGULAR" };
  return { lines: document.type.lines(text, width, style, most), style };
}

function drawRow(
  document: PdfDocument,
  places: readonly Place[],
  cells: readonly SetCell[],
  height: number,
  namesRows: boolean,
): void {
  const top = document.y + PAD_Y;
  document.open("TR");
  for (const [nth, { lines, style }] of cells.entries()) {
    const isName = namesRows && nth === 0;
    const draw = () => setCellLines(document, places[nth], lines, style, top);
    document.mark(isName ? "TH" : "TD", draw, isName ? { scope: "Row" } : {});
  }
  document.close();
  document.y += height;
  document.artifact(() => hairline(document, document.y));
}

function setCellLines(
  document: PdfDocument,
  place: Place | undefined,
  lines: readonly string[],
  style: TextStyle,
  top: number,
): void {
  if (place === undefined) return;
  const { left, width, align = "LEFT" } = place;
  const x = align === "LEFT" ? left : align === "RIGHT" ? left + width : left + width / 2;
  for (const [nth, line] of lines.entries()) {
    document.type.set(line, x, top + nth * LINE + ascent(style.size) + 2.2, style, align);
  }
}

function heightOfHead(head: readonly (readonly string[])[]): number {
  return Math.max(...head.map((lines) => lines.length)) * LINE + PAD_Y * 2;
}

function drawHead(document: PdfDocument, places: readonly Place[], head: readonly (readonly string[])[]): void {
  document.artifact(() => ground(document, heightOfHead(head)));
  document.open("TR");
  for (const [nth, lines] of head.entries()) {
    const draw = () => setCellLines(document, places[nth], lines, headStyle, document.y + PAD_Y);
    document.mark("TH", draw, { scope: "Column" });
  }
  document.close();
  document.y += heightOfHead(head);
}

/** On a further page the head is there for the eyes alone; who is read to has heard it. */
function repeatHead(document: PdfDocument, places: readonly Place[], head: readonly (readonly string[])[]): void {
  document.artifact(() => {
    ground(document, heightOfHead(head));
    for (const [nth, lines] of head.entries()) {
      setCellLines(document, places[nth], lines, headStyle, document.y + PAD_Y);
    }
  });
  document.y += heightOfHead(head);
}

function ground(document: PdfDocument, height: number): void {
  document.kit.rect(page.left, document.y, page.width, height).fillColor(look.soft).fill();
  hairline(document, document.y + height);
}

function hairline(document: PdfDocument, y: number): void {
  document.kit.moveTo(page.left, y).lineTo(page.right, y).lineWidth(0.5).strokeColor(look.border).stroke();
}

function placesOf(columns: readonly Column[]): Place[] {
  const pad = 6;
  const shares = columns.reduce((sum, { share }) => sum + share, 0);
  const room = page.width - pad * 2 - GAP * (columns.length - 1);
  let left = page.left + pad;
  return columns.map((column) => {
    const width = (room * column.share) / shares;
    const place = { ...column, left, width };
    left += width + GAP;
    return place;
  });
}
