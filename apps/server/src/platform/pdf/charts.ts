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

/** A figure with axes and grid; `draw` adds the points. */
function chartFigure(document: PdfDocument, chart: Chart, height: number, draw: (plot: Plot) => void): void {
  const { scale, labels, unit, alt, axis } = chart;
  const { type } = document;
  const start = scale.bottom === 0 ? "" : `; the axis begins at ${scale.bottom}`;
  const slot = (RIGHT - LEFT) / Math.max(1, labels.length);
  figure(document, { title: `${chart.title} (${unit}${start})`, alt, height, gap: 8 }, (figureTop) => {
    const top = figureTop + TITLE_HEIGHT;
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
    draw({ bottom, slot, x, y });
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
  chartFigure(document, chart, 184, ({ bottom, slot, x, y }) => {
    const width = Math.min(34, slot * 0.68);
    for (const [index, value] of values.entries()) {
      document.fill(x(index) - width / 2, y(value), width, bottom - y(value), theme.accent);
      if (values.length > MAX_COLUMN_VALUES) continue;
      document.type.set(Math.round(value).toLocaleString("en-GB"), x(index), y(value) - 3, valueStyle, "CENTRE");
    }
  });
}

/** A line with a mark at each point; null leaves a gap. */
export function lineChart(document: PdfDocument, chart: Chart, values: readonly (number | null)[]): void {
  const { kit, type } = document;
  chartFigure(document, chart, 158, ({ slot, x, y }) => {
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
