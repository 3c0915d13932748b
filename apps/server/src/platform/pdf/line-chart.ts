import { type Chart, drawChart, type Plot, tickStyle } from "./chart-frame.ts";
import { look } from "./look.ts";
import type { PdfDocument } from "./pdf-document.ts";

export interface Series {
  readonly name: string;
  /** Null leaves a gap. */
  readonly values: readonly (number | null)[];
}

interface Manner {
  readonly color: string;
  readonly isDashed: boolean;
  readonly mark: (document: PdfDocument, x: number, y: number) => void;
}

/** Told apart by dashes and marks as well as by colour. */
const manners: readonly Manner[] = [
  {
    color: look.accent,
    isDashed: false,
    mark: ({ kit }, x, y) => kit.circle(x, y, 1.9).fillColor(look.accent).fill(),
  },
  {
    color: look.second,
    isDashed: true,
    mark: ({ kit }, x, y) =>
      kit
        .rect(x - 1.8, y - 1.8, 3.6, 3.6)
        .lineWidth(1)
        .fillAndStroke("#ffffff", look.second),
  },
];

const HEIGHT = 172;

/** One or two series over the same points. */
export function lineChart(document: PdfDocument, chart: Chart, series: readonly Series[]): void {
  const drawn = series.flatMap((one, nth) => {
    const manner = manners[nth];
    return manner === undefined ? [] : [{ ...one, ...manner }];
  });
  drawChart(
    document,
    chart,
    HEIGHT,
    (plot) => {
      for (const one of drawn) drawSeries(document, plot, one.values, one);
    },
    (right, baseline) => {
      let end = right;
      for (const { name, ...manner } of drawn.toReversed()) {
        document.type.set(name, end, baseline, { ...tickStyle, color: look.text }, "RIGHT");
        const stop = end - document.type.width(name, tickStyle) - 5;
        stroke(document, manner, () => document.kit.moveTo(stop - 20, baseline - 2.7).lineTo(stop, baseline - 2.7));
        manner.mark(document, stop - 10, baseline - 2.7);
        end = stop - 34;
      }
    },
  );
}

function drawSeries(document: PdfDocument, plot: Plot, values: readonly (number | null)[], manner: Manner): void {
  const points = values.map((value, nth) =>
    value === null ? null : { x: plot.left + (nth + 0.5) * plot.slot, y: plot.y(value) },
  );
  stroke(document, manner, () => {
    for (const [nth, point] of points.entries()) {
      if (point === null) continue;
      const before = points[nth - 1] ?? null;
      if (before === null) document.kit.moveTo(point.x, point.y);
      else document.kit.lineTo(point.x, point.y);
    }
  });
  for (const point of points) if (point !== null) manner.mark(document, point.x, point.y);
}

function stroke(document: PdfDocument, { color, isDashed }: Manner, path: () => void): void {
  document.kit.save().lineWidth(1.3).strokeColor(color).lineJoin("round");
  if (isDashed) document.kit.dash(3.5, { space: 2.5 });
  path();
  document.kit.stroke().restore();
}
