import { page, type PdfDocument, type Tag, theme } from "./pdf-document.ts";
import { capHeight, type TextStyle } from "./typesetter.ts";

const headings = {
  H1: { style: { size: 28, weight: "SEMIBOLD", color: theme.text }, before: 0, after: 8, keepWith: 120 },
  H2: { style: { size: 18, weight: "SEMIBOLD", color: theme.accent }, before: 30, after: 10, keepWith: 250 },
  H3: { style: { size: 11.5, weight: "SEMIBOLD", color: theme.text }, before: 16, after: 7, keepWith: 90 },
} as const satisfies Record<string, { style: TextStyle; before: number; after: number; keepWith: number }>;

export const bodyStyle: TextStyle = { size: 9.5, color: theme.text };
export const noteStyle: TextStyle = { size: 8.5, color: theme.muted };

/** `keepWith` points below a heading stay on its page, so that it never ends one. */
export function heading(document: PdfDocument, level: keyof typeof headings, text: string, keepWith?: number): void {
  const { style, before, after, ...defaults } = headings[level];
  const lines = document.type.lines(text, page.width, style, 3);
  const height = before + lines.length * lineHeight(style) + after + (keepWith ?? defaults.keepWith);
  if (!document.reserve(height) && document.y > page.top) document.y += before;
  flowLines(document, level, lines, style);
  document.y += after;
}

export function paragraph(document: PdfDocument, text: string, style = bodyStyle): void {
  flowLines(document, "P", document.type.lines(text, page.width, style), style);
  document.y += style.size * 0.7;
}

/** What `paragraph` takes. */
export function paragraphHeight(document: PdfDocument, text: string, style = bodyStyle): number {
  return document.type.lines(text, page.width, style).length * lineHeight(style) + style.size * 0.7;
}

/** Sets lines from `y` on, over as many pages as they take. */
export function flowLines(document: PdfDocument, tag: Tag, lines: readonly string[], style: TextStyle): void {
  const height = lineHeight(style);
  document.open(tag);
  for (const line of lines) {
    document.reserve(height);
    const baseline = document.y + capHeight(style.size) + style.size * 0.3;
    document.content(() => document.type.set(line, page.left, baseline, style));
    document.y += height;
  }
  document.close();
}

function lineHeight({ size }: TextStyle): number {
  return size * 1.38;
}

/** Sets one line with the top of its capitals at `top`. */
export function label(document: PdfDocument, text: string, x: number, top: number, style: TextStyle): void {
  document.mark("P", () => document.type.set(text, x, top + capHeight(style.size), style));
}

/** A thin line from margin to margin. */
export function rule(document: PdfDocument, y: number, width = 0.6): void {
  document.line(page.left, y, page.right, y, width, theme.border);
}

/** A figure or fact with its name. */
export interface Named {
  readonly name: string;
  readonly value: string;
}

interface Figure extends Named {
  /** Printed below the value, on three lines at most: what it is calculated from. */
  readonly note?: string | undefined;
}

const GAP = 10;
const CARD_HEIGHT = 50;
const NOTE_LINE = 9.6;
const nameStyle: TextStyle = { size: 8, color: theme.muted };
const valueStyle: TextStyle = { size: 16, weight: "SEMIBOLD", color: theme.text };
const cardNoteStyle: TextStyle = { size: 7.5, color: theme.muted };

/** Figures side by side in thin frames, three or four to a row. */
export function cards(document: PdfDocument, figures: readonly Figure[]): void {
  const columns = figures.length > 4 || figures.some(({ note }) => note !== undefined) ? 3 : 4;
  const width = (page.width - GAP * (columns - 1)) / columns;
  const textWidth = width - 20;
  for (const row of rowsOf(figures, columns)) {
    const notes = row.map(({ note = "" }) => document.type.lines(note, textWidth, cardNoteStyle, 3));
    const noteLines = Math.max(...notes.map((lines) => lines.length));
    const height = CARD_HEIGHT + (noteLines === 0 ? 0 : noteLines * NOTE_LINE + 3);
    document.reserve(height + GAP);
    const top = document.y;
    for (const [index, { name, value }] of row.entries()) {
      const left = page.left + index * (width + GAP);
      const { kit, type } = document;
      document.artifact(() =>
        kit.roundedRect(left, top, width, height, 4).lineWidth(0.7).strokeColor(theme.border).stroke(),
      );
      document.mark("P", () => {
        type.set(type.truncate(name, textWidth, nameStyle), left + 10, top + 9 + capHeight(8.5), nameStyle);
        type.set(type.truncate(value, textWidth, valueStyle), left + 10, top + 27 + capHeight(16), valueStyle);
        const baseline = top + CARD_HEIGHT - 2 + capHeight(cardNoteStyle.size);
        type.setLines(notes[index] ?? [], left + 10, baseline, NOTE_LINE, cardNoteStyle);
      });
    }
    document.y = top + height + GAP;
  }
}

const FACT_LINE = 13.5;

/** Facts in two columns, each below its name, on three lines at most. */
export function facts(document: PdfDocument, all: readonly Named[]): void {
  const width = (page.width - 2 * GAP) / 2;
  for (const row of rowsOf(all, 2)) {
    const values = row.map(({ value }) => document.type.lines(value, width, bodyStyle, 3));
    const height = 16 + Math.max(...values.map((lines) => lines.length)) * FACT_LINE + 6;
    document.reserve(height);
    const top = document.y;
    for (const [index, { name }] of row.entries()) {
      const left = page.left + index * (width + 2 * GAP);
      document.mark("P", () => {
        document.type.set(name, left, top + capHeight(8.5), nameStyle);
        const baseline = top + 14 + capHeight(bodyStyle.size);
        document.type.setLines(values[index] ?? [], left, baseline, FACT_LINE, bodyStyle);
      });
    }
    document.y = top + height;
  }
}

function rowsOf<T>(items: readonly T[], columns: number): T[][] {
  const count = Math.ceil(items.length / columns);
  return Array.from({ length: count }, (_, row) => items.slice(row * columns, (row + 1) * columns));
}
