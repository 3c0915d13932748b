import { look, page } from "./look.ts";
import type { PdfDocument } from "./pdf-document.ts";
import { ascent, type TextStyle } from "./typesetter.ts";

/** A name with its value: a figure, or a fact. */
export interface Named {
  readonly name: string;
  readonly value: string;
}

export interface Figure extends Named {
  /** Under the value: what it is computed from. Two lines at the most. */
  readonly note?: string | undefined;
}

const GAP = 10;
const HEIGHT = 50;
const NOTE = 9.6;
const nameStyle: TextStyle = { size: 8, color: look.muted };
const valueStyle: TextStyle = { size: 16, weight: "SEMIBOLD", color: look.text };
const noteStyle: TextStyle = { size: 7.5, color: look.muted };
const factStyle: TextStyle = { size: 9.5, color: look.text };

/** Figures side by side in thin frames, four or three in a row. */
export function cards(document: PdfDocument, figures: readonly Figure[]): void {
  const inRow = figures.length > 4 || figures.some(({ note }) => note !== undefined) ? 3 : 4;
  const width = (page.width - GAP * (inRow - 1)) / inRow;
  for (let start = 0; start < figures.length; start += inRow) {
    const row = figures.slice(start, start + inRow).map(({ note = "", ...figure }) => ({
      ...figure,
      notes: document.type.lines(note, width - 20, noteStyle, 2),
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
          document.type.set(text, left + 10, top + HEIGHT - 2 + line * NOTE + ascent(7.5), noteStyle);
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
  kit.roundedRect(left, top, width, height, 4).lineWidth(0.7).strokeColor(look.border).stroke();
}

function fit(document: PdfDocument, text: string, width: number, style: TextStyle): string {
  return document.type.lines(text, width, style, 1)[0] ?? "";
}
