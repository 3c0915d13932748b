import { page, type PdfDocument, theme } from "./pdf-document.ts";
import { ascent, type TextStyle } from "./typesetter.ts";

interface Scale {
  readonly bottom: number;
  readonly top: number;
  /** From `bottom` to `top`. */
  readonly ticks: readonly number[];
}

/** Round steps of 1, 2 or 5 with some power of ten, four or five of them, whole ones for counts. */
export function scaleUpTo(most: number, isWhole = true): Scale {
  const rough = Math.max(most, isWhole ? 1 : 0.1) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((one) => one * power >= rough * 0.999) ?? 10;
  const step = isWhole ? Math.max(1, factor * power) : factor * power;
  const count = Math.max(1, Math.ceil(Math.max(most, step) / step - 1e-9));
  const ticks = Array.from({ length: count + 1 }, (_, nth) => nth * step);
  return { bottom: 0, top: count * step, ticks };
}

/** For a line of percentages, which needs no 0: from 80 or 50 where none is below. Say it beside the axis. */
export function percentScale(least: number): Scale {
  const [bottom, step] = least >= 80 ? [80, 5] : least >= 50 ? [50, 10] : [0, 25];
  const ticks = Array.from({ length: (100 - bottom) / step + 1 }, (_, nth) => bottom + nth * step);
  return { bottom, top: 100, ticks };
}

/** Which of `count` labels are written so that each has `width` of `room` for itself: every how manyth. */
export function labelStep(count: number, width: number, room: number): number {
  return Math.max(1, Math.ceil((count * width) / Math.max(room, 1)));
}

interface Chart {
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
interface Plot {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  /** Width that one point has for itself. */
  readonly slot: number;
  readonly y: (value: number) => number;
}

const tickStyle: TextStyle = { size: 7.5, color: theme.muted };
const titleStyle: TextStyle = { size: 9, weight: "SEMIBOLD", color: theme.text };
const GUTTER = 42;
/** Room for the title, and under it for the value that stands over the highest point. */
const TITLE = 32;
const FOOT = 30;

/** A figure with title, axes and grid, on one page; `draw` puts in the points. Its text is text. */
function drawChart(document: PdfDocument, chart: Chart, height: number, draw: (plot: Plot) => void): void {
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
      .strokeColor(tick === scale.bottom ? theme.muted : theme.border)
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

const COLUMN_CHART_HEIGHT = 184;
/** With more columns than this their values would touch; they are in the table. */
const MAX_COLUMN_VALUES = 16;

/** Columns of one series; a value of 0 is a column without height, but with its number. */
export function columnChart(document: PdfDocument, chart: Chart, values: readonly number[]): void {
  drawChart(document, chart, COLUMN_CHART_HEIGHT, (plot) => {
    const width = Math.min(34, plot.slot * 0.68);
    for (const [nth, value] of values.entries()) {
      const middle = plot.left + (nth + 0.5) * plot.slot;
      const y = plot.y(value);
      document.kit
        .rect(middle - width / 2, y, width, plot.bottom - y)
        .fillColor(theme.accent)
        .fill();
      if (values.length > MAX_COLUMN_VALUES) continue;
      const text = Math.round(value).toLocaleString("en-GB");
      document.type.set(text, middle, y - 3, { ...tickStyle, color: theme.text }, "CENTRE");
    }
  });
}

const LINE_CHART_HEIGHT = 158;
/** With more points than this their values would touch; they are in the table. */
const MAX_LINE_VALUES = 10;

/** A line with a mark at each point; null leaves a gap. */
export function lineChart(document: PdfDocument, chart: Chart, values: readonly (number | null)[]): void {
  drawChart(document, chart, LINE_CHART_HEIGHT, (plot) => {
    const points = values.map((value, nth) =>
      value === null ? null : { x: plot.left + (nth + 0.5) * plot.slot, y: plot.y(value) },
    );
    drawLine(document, points);
    const radius = Math.min(1.9, plot.slot / 5);
    for (const [nth, point] of points.entries()) {
      if (point === null) continue;
      document.kit.circle(point.x, point.y, radius).fillColor(theme.accent).fill();
      if (points.length > MAX_LINE_VALUES) continue;
      const text = (values[nth] ?? 0).toFixed(1);
      document.type.set(text, point.x, point.y - 5, { ...tickStyle, color: theme.text }, "CENTRE");
    }
  });
}

function drawLine({ kit }: PdfDocument, points: readonly ({ readonly x: number; readonly y: number } | null)[]): void {
  kit.lineWidth(1.3).strokeColor(theme.accent).lineJoin("round");
  for (const [nth, point] of points.entries()) {
    if (point === null) continue;
    if ((points[nth - 1] ?? null) === null) kit.moveTo(point.x, point.y);
    else kit.lineTo(point.x, point.y);
  }
  kit.stroke();
}

interface Bar {
  readonly name: string;
  readonly value: number;
  /** Written after it, such as "12 runs (40.0 %)". */
  readonly text: string;
  readonly color: string;
}

const BAR_ROW = 17;
const BAR_NAMES = 118;
const BAR_TEXTS = 110;

/** Named bars under one another, with a title; each says its own value. */
export function barList(document: PdfDocument, title: string, alt: string, bars: readonly Bar[]): void {
  const titleStyle: TextStyle = { size: 9, weight: "SEMIBOLD", color: theme.text };
  const style: TextStyle = { size: 8.5, color: theme.text };
  const height = 20 + bars.length * BAR_ROW;
  document.need(height);
  const top = document.y;
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const left = page.left + BAR_NAMES;
  const room = page.width - BAR_NAMES - BAR_TEXTS;
  const draw = () => {
    document.type.set(title, page.left, top + ascent(9) + 1, titleStyle);
    for (const [nth, { name, value, text, color }] of bars.entries()) {
      const y = top + 20 + nth * BAR_ROW;
      const length = (value / most) * room;
      document.type.set(name, left - 8, y + 10, style, "RIGHT");
      document.kit
        .moveTo(left, y)
        .lineTo(left, y + BAR_ROW)
        .lineWidth(0.8)
        .strokeColor(theme.muted)
        .stroke();
      document.kit
        .rect(left, y + 3, length, BAR_ROW - 6)
        .fillColor(color)
        .fill();
      document.type.set(text, left + length + 7, y + 10, style);
    }
  };
  document.mark("Figure", draw, { alt, bbox: [page.left, top, page.right, top + height] });
  document.y = top + height + 12;
}
