import { page, type PdfDocument, type Tag, theme } from "./pdf-document.ts";
import { ascent, type TextStyle } from "./typesetter.ts";

const headings = {
  H1: { style: { size: 28, weight: "SEMIBOLD", color: theme.text }, before: 0, after: 8, together: 120 },
  H2: { style: { size: 18, weight: "SEMIBOLD", color: theme.accent }, before: 30, after: 10, together: 250 },
  H3: { style: { size: 11.5, weight: "SEMIBOLD", color: theme.text }, before: 16, after: 7, together: 90 },
} as const satisfies Record<string, { style: TextStyle; before: number; after: number; together: number }>;

export const bodyStyle: TextStyle = { size: 9.5, color: theme.text };
export const noteStyle: TextStyle = { size: 8.5, color: theme.muted };

/** A heading, never the last thing of a page. `together` is the height of what must stand under it at the least. */
export function heading(document: PdfDocument, level: keyof typeof headings, text: string, together?: number): void {
  const { style, before, after, together: usual } = headings[level];
  const lines = document.type.lines(text, page.width, style, 3);
  const isNewPage = document.need(before + lines.length * lineStep(style) + after + (together ?? usual));
  if (!isNewPage && document.y > page.top) document.y += before;
  document.open(level);
  setLines(document, lines, page.left, style);
  document.close();
  document.y += after;
}

export function paragraph(document: PdfDocument, text: string, style = bodyStyle, width: number = page.width): void {
  document.open("P");
  setLines(document, document.type.lines(text, width, style), page.left, style);
  document.close();
  document.y += style.size * 0.7;
}

/** What `paragraph` takes over the whole width. */
export function paragraphHeight(document: PdfDocument, text: string, style = bodyStyle): number {
  return document.type.lines(text, page.width, style).length * lineStep(style) + style.size * 0.7;
}

/** Lines of the innermost tag from `y` on, over as many pages as they take. */
export function setLines(document: PdfDocument, lines: readonly string[], x: number, style: TextStyle): void {
  const step = lineStep(style);
  for (const line of lines) {
    document.need(step);
    const baseline = document.y + ascent(style.size) + style.size * 0.3;
    document.content(() => document.type.set(line, x, baseline, style));
    document.y += step;
  }
}

function lineStep({ size }: TextStyle): number {
  return size * 1.38;
}

/** One line at a place of its own. */
export function label(document: PdfDocument, tag: Tag, text: string, x: number, top: number, style: TextStyle): void {
  document.mark(tag, () => document.type.set(text, x, top + ascent(style.size), style));
}

export function rule(document: PdfDocument, y: number, left: number = page.left, right: number = page.right): void {
  document.kit.moveTo(left, y).lineTo(right, y).lineWidth(0.6).strokeColor(theme.border).stroke();
}

/** A name with its value: a figure, or a fact. */
export interface Named {
  readonly name: string;
  readonly value: string;
}

interface Figure extends Named {
  /** Under the value: what it is computed from. Two lines at the most. */
  readonly note?: string | undefined;
}

const GAP = 10;
const HEIGHT = 50;
const NOTE = 9.6;
const nameStyle: TextStyle = { size: 8, color: theme.muted };
const valueStyle: TextStyle = { size: 16, weight: "SEMIBOLD", color: theme.text };
const cardNoteStyle: TextStyle = { size: 7.5, color: theme.muted };
const factStyle: TextStyle = { size: 9.5, color: theme.text };

/** Figures side by side in thin frames, four or three in a row. */
export function cards(document: PdfDocument, figures: readonly Figure[]): void {
  const inRow = figures.length > 4 || figures.some(({ note }) => note !== undefined) ? 3 : 4;
  const width = (page.width - GAP * (inRow - 1)) / inRow;
  for (let start = 0; start < figures.length; start += inRow) {
    const row = figures.slice(start, start + inRow).map(({ note = "", ...figure }) => ({
      ...figure,
      notes: document.type.lines(note, width - 20, cardNoteStyle, 2),
    }));
    const most = Math.max(...row.map(({ notes }) => notes.length));
    const height = HEIGHT + (most === 0 ? 0 : most * NOTE + 3);
    document.need(height + GAP);
    const top = document.y;
    for (const [nth, { name, value, notes }] of row.entries()) {
      const left = page.left + nth * (width + GAP);
      document.artifact(() => frame(document, left, top, width, height));
      document.mark("P", () => {
        document.type.set(fit(document, name, width - 20, nameStyle), left + 10, top + 9 + ascent(8.5), nameStyle);
        document.type.set(fit(document, value, width - 20, valueStyle), left + 10, top + 27 + ascent(16), valueStyle);
        for (const [line, text] of notes.entries()) {
          document.type.set(text, left + 10, top + HEIGHT - 2 + line * NOTE + ascent(7.5), cardNoteStyle);
        }
      });
    }
    document.y = top + height + GAP;
  }
}

/** Facts in two columns, each under its name; long ones wrap. */
export function facts(document: PdfDocument, given: readonly Named[]): void {
  const width = (page.width - 2 * GAP) / 2;
  for (let start = 0; start < given.length; start += 2) {
    const pair = given.slice(start, start + 2).map(({ name, value }) => ({
      name,
      lines: document.type.lines(value, width, factStyle, 3),
    }));
    const height = 16 + Math.max(...pair.map(({ lines }) => lines.length)) * 13.5 + 6;
    document.need(height);
    const top = document.y;
    for (const [nth, { name, lines }] of pair.entries()) {
      const left = page.left + nth * (width + 2 * GAP);
      document.mark("P", () => {
        document.type.set(name, left, top + ascent(8.5), nameStyle);
        for (const [line, text] of lines.entries()) {
          document.type.set(text, left, top + 14 + line * 13.5 + ascent(9.5), factStyle);
        }
      });
    }
    document.y = top + height;
  }
}

function frame({ kit }: PdfDocument, left: number, top: number, width: number, height: number): void {
  kit.roundedRect(left, top, width, height, 4).lineWidth(0.7).strokeColor(theme.border).stroke();
}

function fit(document: PdfDocument, text: string, width: number, style: TextStyle): string {
  return document.type.lines(text, width, style, 1)[0] ?? "";
}
