import { page, type PdfDocument, theme } from "./pdf-document.ts";
import { capHeight, type TextStyle } from "./typesetter.ts";

interface Scale {
  readonly bottom: number;
  readonly top: number;
  /** From `bottom` to `top`. */
  readonly ticks: readonly number[];
}

/** Four or five steps of 1, 2 or 5 times a power of ten, never less than 1. */
export function scaleUpTo(max: number): Scale {
  const rough = Math.max(max, 1) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((one) => one * power >= rough * 0.999) ?? 10;
  const step = Math.max(1, factor * power);
  const count = Math.ceil(Math.max(max, step) / step - 1e-9);
  const ticks = Array.from({ length: count + 1 }, (_, index) => index * step);
  return { bottom: 0, top: count * step, ticks };
}

/** A line of percentages needs no 0: the axis starts at 80 or 50 if none is below that, which the title says. */
export function percentScale(min: number): Scale {
  const [bottom, step] = min >= 80 ? [80, 5] : min >= 50 ? [50, 10] : [0, 25];
  const ticks = Array.from({ length: (100 - bottom) / step + 1 }, (_, index) => bottom + index * step);
  return { bottom, top: 100, ticks };
}

/** Every how manyth of `count` labels is printed, so that each has `width` of `available` points. */
export function labelStep(count: number, width: number, available: number): number {
  return Math.max(1, Math.ceil((count * width) / available));
}

interface Chart {
  /** Printed above the chart, with the unit. */
  readonly title: string;
  readonly unit: string;
  /** Alternative text: says what the chart shows. */
  readonly alt: string;
  readonly scale: Scale;
  /** One for each point, such as "3 Nov". */
  readonly labels: readonly string[];
  /** Printed below the axis, such as "Day". */
  readonly axis: string;
}

/** Where the points of a chart lie. */
interface Plot {
  readonly figureTop: number;
  readonly bottom: number;
  /** Width of one point. */
  readonly slot: number;
  readonly x: (index: number) => number;
  readonly y: (value: number) => number;
}

const titleStyle: TextStyle = { size: 9, weight: "SEMIBOLD", color: theme.text };
const tickStyle: TextStyle = { size: 7.5, color: theme.muted };
const valueStyle: TextStyle = { size: 7.5, color: theme.text };
const LEFT = page.left + 42;
const RIGHT = page.right - 4;
/** Height of the title, and of the value above the highest point. */
const TITLE_HEIGHT = 32;
const FOOT_HEIGHT = 30;

/** A titled figure, never broken across pages; `draw` gets its top. Its text is text. */
function figure(
  document: PdfDocument,
  { title, alt, height, gap }: { title: string; alt: string; height: number; gap: number },
  draw: (top: number) => void,
): void {
  document.reserve(height);
  const top = document.y;
  const drawAll = () => {
    document.type.set(title, page.left, top + capHeight(titleStyle.size) + 1, titleStyle);
    draw(top);
  };
  document.mark("Figure", drawAll, { alt, bbox: [page.left, top, page.right, top + height] });
  document.y = top + height + gap;
}

/** A figure with axes and grid, and `legend` points between its title and them; `draw` adds the points. */
function chartFigure(
  document: PdfDocument,
  chart: Chart,
  { height, legend = 0 }: { height: number; legend?: number },
  draw: (plot: Plot) => void,
): void {
  const { scale, labels, unit, alt, axis } = chart;
  const { type } = document;
  const start = scale.bottom === 0 ? "" : `; the axis begins at ${scale.bottom}`;
  const slot = (RIGHT - LEFT) / Math.max(1, labels.length);
  figure(document, { title: `${chart.title} (${unit}${start})`, alt, height, gap: 8 }, (figureTop) => {
    const top = figureTop + TITLE_HEIGHT + legend;
    const bottom = figureTop + height - FOOT_HEIGHT;
    const x = (index: number) => LEFT + (index + 0.5) * slot;
    const y = (value: number) => {
      const part = (value - scale.bottom) / (scale.top - scale.bottom);
      return bottom - Math.min(1, Math.max(0, part)) * (bottom - top);
    };
    for (const tick of scale.ticks) {
      const isAxis = tick === scale.bottom;
      document.line(LEFT, y(tick), RIGHT, y(tick), isAxis ? 0.9 : 0.5, isAxis ? theme.muted : theme.border);
      type.set(tick.toLocaleString("en-GB"), LEFT - 6, y(tick) + 2.7, tickStyle, "RIGHT");
    }
    draw({ figureTop, bottom, slot, x, y });
    const widest = Math.max(0, ...labels.map((label) => type.width(label, tickStyle))) + 8;
    const step = labelStep(labels.length, widest, RIGHT - LEFT);
    for (let index = 0; index < labels.length; index += step) {
      type.set(labels[index] ?? "", x(index), bottom + 11, tickStyle, "CENTRE");
    }
    type.set(axis, (LEFT + RIGHT) / 2, bottom + 23, tickStyle, "CENTRE");
  });
}

/** With more columns or points than this, their values would touch; they are in the table. */
const MAX_COLUMN_VALUES = 16;
const MAX_LINE_VALUES = 10;

/** Columns of one series; a 0 has no height, but its number. */
export function columnChart(document: PdfDocument, chart: Chart, values: readonly number[]): void {
  chartFigure(document, chart, { height: 184 }, ({ bottom, slot, x, y }) => {
    const width = Math.min(34, slot * 0.68);
    for (const [index, value] of values.entries()) {
      document.fill(x(index) - width / 2, y(value), width, bottom - y(value), theme.accent);
      if (values.length > MAX_COLUMN_VALUES) continue;
      const text = value.toLocaleString("en-GB", { maximumFractionDigits: 1 });
      document.type.set(text, x(index), y(value) - 3, valueStyle, "CENTRE");
    }
  });
}

interface Series {
  /** Printed in the legend. */
  readonly name: string;
  readonly color: string;
  /** One for each point. */
  readonly values: readonly number[];
}

const LEGEND_LINE = 13;

/** Columns of several series, the first at the bottom, with a legend in the same order. */
export function stackedChart(document: PdfDocument, chart: Chart, series: readonly Series[]): void {
  const lines = legendLines(document, series);
  const legend = lines.length * LEGEND_LINE - 6;
  chartFigure(document, chart, { height: 196 + legend, legend }, ({ figureTop, slot, x, y }) => {
    drawLegend(document, lines, figureTop + 15);
    const width = Math.min(34, slot * 0.72);
    const below = chart.labels.map(() => 0);
    for (const { color, values } of series) {
      for (const [index, value] of values.entries()) {
        const bottom = below[index] ?? 0;
        below[index] = bottom + value;
        document.fill(x(index) - width / 2, y(bottom + value), width, y(bottom) - y(bottom + value), color);
      }
    }
  });
}

interface LegendEntry {
  readonly name: string;
  readonly color: string;
}

const legendStyle: TextStyle = { size: 8, color: theme.text };

/** The entries of a legend, as many side by side as fit, with where each begins. */
function legendLines({ type }: PdfDocument, entries: readonly LegendEntry[]) {
  const lines: (LegendEntry & { readonly left: number })[][] = [[]];
  let left: number = page.left;
  for (const entry of entries) {
    const width = type.width(entry.name, legendStyle) + 26;
    if (left + width > page.right + 12 && left > page.left) {
      lines.push([]);
      left = page.left;
    }
    lines.at(-1)?.push({ ...entry, left });
    left += width;
  }
  return lines;
}

function drawLegend(document: PdfDocument, lines: ReturnType<typeof legendLines>, top: number): void {
  for (const [index, line] of lines.entries()) {
    const y = top + index * LEGEND_LINE;
    for (const { name, color, left } of line) {
      document.fill(left, y, 8, 8, color);
      document.kit.rect(left, y, 8, 8).lineWidth(0.5).strokeColor(theme.border).stroke();
      document.type.set(name, left + 12, y + 7, legendStyle);
    }
  }
}

interface HeatMap extends Pick<Chart, "title" | "alt" | "labels" | "axis"> {
  readonly rows: readonly {
    readonly name: string;
    /** One for each label; the text is left out where it does not fit. */
    readonly cells: readonly { readonly color: string; readonly text: string; readonly textColor: string }[];
  }[];
  readonly legend: readonly LegendEntry[];
}

const HEAT_ROW = 10.5;
const HEAT_NAMES = 104;
const MAX_HEAT_SLOT = 40;

/** A field of coloured cells, a row for each name. */
export function heatMap(document: PdfDocument, { title, alt, labels, axis, rows, legend }: HeatMap): void {
  const { type } = document;
  const lines = legendLines(document, legend);
  const left = page.left + HEAT_NAMES;
  const slot = Math.min(MAX_HEAT_SLOT, (page.right - left) / Math.max(1, labels.length));
  const right = left + slot * labels.length;
  const head = 20 + lines.length * LEGEND_LINE;
  const height = head + rows.length * HEAT_ROW + FOOT_HEIGHT;
  figure(document, { title, alt, height, gap: 8 }, (figureTop) => {
    drawLegend(document, lines, figureTop + 15);
    for (const [nth, { name, cells }] of rows.entries()) {
      const top = figureTop + head + nth * HEAT_ROW;
      type.set(type.truncate(name, HEAT_NAMES - 8, tickStyle), page.left, top + 7.6, tickStyle);
      for (const [index, { color, text, textColor }] of cells.entries()) {
        document.fill(left + index * slot + 0.4, top + 0.4, slot - 0.8, HEAT_ROW - 0.8, color);
        const style: TextStyle = { size: 6.5, weight: "SEMIBOLD", color: textColor };
        if (text === "" || type.width(text, style) > slot - 1) continue;
        type.set(text, left + (index + 0.5) * slot, top + 7.5, style, "CENTRE");
      }
    }
    const bottom = figureTop + head + rows.length * HEAT_ROW;
    const widest = Math.max(0, ...labels.map((label) => type.width(label, tickStyle))) + 8;
    const step = labelStep(labels.length, widest, right - left);
    for (let index = 0; index < labels.length; index += step) {
      // The first and the last stay within the margins.
      const half = type.width(labels[index] ?? "", tickStyle) / 2;
      const x = Math.min(page.right - half, left + (index + 0.5) * slot);
      type.set(labels[index] ?? "", x, bottom + 10, tickStyle, "CENTRE");
    }
    type.set(axis, (left + right) / 2, bottom + 21, tickStyle, "CENTRE");
  });
}

/** A line with a mark at each point; null leaves a gap. */
export function lineChart(document: PdfDocument, chart: Chart, values: readonly (number | null)[]): void {
  const { kit, type } = document;
  chartFigure(document, chart, { height: 158 }, ({ slot, x, y }) => {
    kit.lineWidth(1.3).strokeColor(theme.accent).lineJoin("round");
    for (const [index, value] of values.entries()) {
      if (value === null) continue;
      if ((values[index - 1] ?? null) === null) kit.moveTo(x(index), y(value));
      else kit.lineTo(x(index), y(value));
    }
    kit.stroke();
    for (const [index, value] of values.entries()) {
      if (value === null) continue;
      kit
        .circle(x(index), y(value), Math.min(1.9, slot / 5))
        .fillColor(theme.accent)
        .fill();
      if (values.length <= MAX_LINE_VALUES) type.set(value.toFixed(1), x(index), y(value) - 5, valueStyle, "CENTRE");
    }
  });
}

interface Bar {
  readonly name: string;
  readonly value: number;
  /** Printed after the bar, such as "12 runs (40.0 %)". */
  readonly text: string;
  readonly color: string;
}

const BAR_ROW = 17;
const BAR_NAMES = 118;
const BAR_TEXTS = 110;
const barStyle: TextStyle = { size: 8.5, color: theme.text };

export function barList(document: PdfDocument, title: string, alt: string, bars: readonly Bar[]): void {
  const max = Math.max(1, ...bars.map(({ value }) => value));
  const left = page.left + BAR_NAMES;
  figure(document, { title, alt, height: 20 + bars.length * BAR_ROW, gap: 12 }, (top) => {
    for (const [index, { name, value, text, color }] of bars.entries()) {
      const y = top + 20 + index * BAR_ROW;
      const length = (value / max) * (page.width - BAR_NAMES - BAR_TEXTS);
      document.type.set(name, left - 8, y + 10, barStyle, "RIGHT");
      document.line(left, y, left, y + BAR_ROW, 0.8, theme.muted);
      document.fill(left, y + 3, length, BAR_ROW - 6, color);
      document.type.set(text, left + length + 7, y + 10, barStyle);
    }
  });
}
