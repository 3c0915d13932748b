import { look, page } from "./look.ts";
import type { PdfDocument, Tag } from "./pdf-document.ts";
import { ascent, type TextStyle } from "./typesetter.ts";

const headings = {
  H1: { style: { size: 28, weight: "SEMIBOLD", color: look.text }, before: 0, after: 8, together: 120 },
  H2: { style: { size: 18, weight: "SEMIBOLD", color: look.accent }, before: 30, after: 10, together: 250 },
  H3: { style: { size: 11.5, weight: "SEMIBOLD", color: look.text }, before: 16, after: 7, together: 90 },
} as const satisfies Record<string, { style: TextStyle; before: number; after: number; together: number }>;

export const bodyStyle: TextStyle = { size: 9.5, color: look.text };
export const noteStyle: TextStyle = { size: 8.5, color: look.muted };

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
  document.kit.moveTo(left, y).lineTo(right, y).lineWidth(0.6).strokeColor(look.border).stroke();
}
