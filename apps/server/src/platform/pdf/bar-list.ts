import { look, page } from "./look.ts";
import type { PdfDocument } from "./pdf-document.ts";
import { ascent, type TextStyle } from "./typesetter.ts";

export interface Bar {
  readonly name: string;
  readonly value: number;
  /** Written after it, such as "12 runs (40.0 %)". */
  readonly text: string;
  readonly color: string;
}

const ROW = 17;
const NAMES = 118;
const TEXTS = 110;

/** Named bars under one another, with a title; each says its own value. */
export function barList(document: PdfDocument, title: string, alt: string, bars: readonly Bar[]): void {
  const titleStyle: TextStyle = { size: 9, weight: "SEMIBOLD", color: look.text };
  const style: TextStyle = { size: 8.5, color: look.text };
  const height = 20 + bars.length * ROW;
  document.need(height);
  const top = document.y;
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const left = page.left + NAMES;
  const room = page.width - NAMES - TEXTS;
  const draw = () => {
    document.type.set(title, page.left, top + ascent(9) + 1, titleStyle);
    for (const [nth, { name, value, text, color }] of bars.entries()) {
      const y = top + 20 + nth * ROW;
      const length = (value / most) * room;
      document.type.set(name, left - 8, y + 10, style, "RIGHT");
      document.kit
        .moveTo(left, y)
        .lineTo(left, y + ROW)
        .lineWidth(0.8)
        .strokeColor(look.muted)
        .stroke();
      document.kit
        .rect(left, y + 3, length, ROW - 6)
        .fillColor(color)
        .fill();
      document.type.set(text, left + length + 7, y + 10, style);
    }
  };
  document.mark("Figure", draw, { alt, bbox: [page.left, top, page.right, top + height] });
  document.y = top + height + 12;
}
