import { type Chart, drawChart, tickStyle } from "./chart-frame.ts";
import { look } from "./look.ts";
import type { PdfDocument } from "./pdf-document.ts";

const HEIGHT = 184;
/** With more columns than this their values would touch; they are in the table. */
const MOST_VALUES = 16;

/** Columns of one series; a value of 0 is a column without height, but with its number. */
export function columnChart(document: PdfDocument, chart: Chart, values: readonly number[]): void {
  drawChart(document, chart, HEIGHT, (plot) => {
    const width = Math.min(34, plot.slot * 0.68);
    for (const [nth, value] of values.entries()) {
      const middle = plot.left + (nth + 0.5) * plot.slot;
      const y = plot.y(value);
      document.kit
        .rect(middle - width / 2, y, width, plot.bottom - y)
        .fillColor(look.accent)
        .fill();
      if (values.length > MOST_VALUES) continue;
      const text = Math.round(value).toLocaleString("en-GB");
      document.type.set(text, middle, y - 3, { ...tickStyle, color: look.text }, "CENTRE");
    }
  });
}
