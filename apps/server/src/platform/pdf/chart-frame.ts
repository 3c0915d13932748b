import { labelStep, type Scale } from "./chart-scale.ts";
import { look, page } from "./look.ts";
import type { PdfDocument } from "./pdf-document.ts";
import { ascent, type TextStyle } from "./typesetter.ts";

export interface Chart {
  /** Printed over it, with the unit. */
  readonly title: string;
  readonly unit: string;
  /** Says in words what the picture shows. */
  readonly alt: string;
  readonly scale: Scale;
  /** One for each point, such as "3 Nov". */
  readonly labels: readonly string[];
  /** Under the axis, such as "Day". */
  readonly axis: string;
}

/** Where the points of a chart lie. */
export interface Plot {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  /** Width that one point has for itself. */
  readonly slot: number;
  readonly y: (value: number) => number;
}

export const tickStyle: TextStyle = { size: 7.5, color: look.muted };
const titleStyle: TextStyle = { size: 9, weight: "SEMIBOLD", color: look.text };
const GUTTER = 42;
/** Room for the title, and under it for the value that stands over the highest point. */
const TITLE = 32;
const FOOT = 30;

/** A figure with title, axes and grid, on one page; `draw` puts in the points. Its text is text. */
export function drawChart(document: PdfDocument, chart: Chart, height: number, draw: (plot: Plot) => void): void {
  document.need(height);
  const top = document.y;
  const plotTop = top + TITLE;
  const plotBottom = top + height - FOOT;
  const left = page.left + GUTTER;
  const right = page.right - 4;
  const plot: Plot = {
    left,
    right,
    bottom: plotBottom,
    slot: (right - left) / Math.max(1, chart.labels.length),
    y: (value) => {
      const part = (value - chart.scale.bottom) / (chart.scale.top - chart.scale.bottom);
      return plotBottom - Math.min(1, Math.max(0, part)) * (plotBottom - plotTop);
    },
  };
  const whole = () => {
    const from = chart.scale.bottom === 0 ? "" : `; the axis begins at ${chart.scale.bottom}`;
    document.type.set(
      `${chart.title} (${chart.unit}${from})`,
      page.left,
      top + ascent(titleStyle.size) + 1,
      titleStyle,
    );
    drawGrid(document, chart, plot);
    draw(plot);
    drawLabels(document, chart, plot);
  };
  document.mark("Figure", whole, { alt: chart.alt, bbox: [page.left, top, page.right, top + height] });
  document.y = top + height + 8;
}

function drawGrid(document: PdfDocument, { scale }: Chart, plot: Plot): void {
  for (const tick of scale.ticks) {
    const y = plot.y(tick);
    document.kit
      .moveTo(plot.left, y)
      .lineTo(plot.right, y)
      .lineWidth(tick === scale.bottom ? 0.9 : 0.5)
      .strokeColor(tick === scale.bottom ? look.muted : look.border)
      .stroke();
    document.type.set(tick.toLocaleString("en-GB"), plot.left - 6, y + 2.7, tickStyle, "RIGHT");
  }
}

function drawLabels(document: PdfDocument, { labels, axis }: Chart, plot: Plot): void {
  const widest = Math.max(0, ...labels.map((label) => document.type.width(label, tickStyle))) + 8;
  const step = labelStep(labels.length, widest, plot.right - plot.left);
  for (let nth = 0; nth < labels.length; nth += step) {
    document.type.set(labels[nth] ?? "", plot.left + (nth + 0.5) * plot.slot, plot.bottom + 11, tickStyle, "CENTRE");
  }
  document.type.set(axis, (plot.left + plot.right) / 2, plot.bottom + 23, tickStyle, "CENTRE");
}
