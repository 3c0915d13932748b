import { type Chart, drawChart, tickStyle } from "./chart-frame.ts";
import { look } from "./look.ts";
import type { PdfDocument } from "./pdf-document.ts";

const HEIGHT = 158;
/** With more points than this their values would touch; they are in the table. */
const MOST_VALUES = 10;

/** A line with a mark at each point; null leaves a gap. */
export function lineChart(document: PdfDocument, chart: Chart, values: readonly (number | null)[]): void {
  drawChart(document, chart, HEIGHT, (plot) => {
    const points = values.map((value, nth) =>
      value === null ? null : { x: plot.left + (nth + 0.5) * plot.slot, y: plot.y(value) },
    );
    drawLine(document, points);
    const radius = Math.min(1.9, plot.slot / 5);
    for (const [nth, point] of points.entries()) {
      if (point === null) continue;
      document.kit.circle(point.x, point.y, radius).fillColor(look.accent).fill();
      if (points.length > MOST_VALUES) continue;
      const text = (values[nth] ?? 0).toFixed(1);
      document.type.set(text, point.x, point.y - 5, { ...tickStyle, color: look.text }, "CENTRE");
    }
  });
}

function drawLine({ kit }: PdfDocument, points: readonly ({ readonly x: number; readonly y: number } | null)[]): void {
  kit.lineWidth(1.3).strokeColor(look.accent).lineJoin("round");
  for (const [nth, point] of points.entries()) {
    if (point === null) continue;
    if ((points[nth - 1] ?? null) === null) kit.moveTo(point.x, point.y);
    else kit.lineTo(point.x, point.y);
  }
  kit.stroke();
}
