import type { SoilingDay } from "@suncrew/contract/soiling/soiling.ts";
import { type CSSProperties, useEffect, useMemo, useRef, useState } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useTheme } from "../../ui/theme/theme-choice.ts";
import classes from "./soiling-course.module.css";
import {
  energyText,
  hasBand,
  lossOf,
  particlesText,
  percentBandText,
  percentText,
  rainText,
  runsText,
  shortDateText,
} from "./soiling-text.ts";

/** Left of the plots, so that they and the lane of runs have one axis, in pixels. */
const GUTTER_PX = 52;
const RIGHT_PX = 8;
const LOSS_PX = 220;
const CAUSES_PX = 96;

interface SoilingPlotsProps {
  readonly days: readonly SoilingDay[];
  readonly isSample: boolean;
}

/** The loss with its band, the runs that took it away, and below them rain and particles, on one axis of days. */
export function SoilingPlots({ days, isSample }: SoilingPlotsProps) {
  const theme = useTheme();
  const [hovered, setHovered] = useState<number | null>(null);
  const newest = days.findLastIndex(({ is_forecast, ratio }) => !is_forecast && ratio !== null);
  const plot = { days, onHover: setHovered };
  const hasForecast = days.some((day) => day.is_forecast && day.ratio !== null);
  const bandShown = days.some(({ ratio }) => ratio !== null && hasBand(ratio));
  const pm10 = days.flatMap((day) => day.pm10 ?? []);
  return (
    <div style={{ "--gutter": `${GUTTER_PX}px`, "--right": `${RIGHT_PX}px` } as CSSProperties}>
      <Values day={days[hovered ?? newest]} />
      <figure className={classes["plot"]} aria-label={`Loss: ${lossSummary(days)}`}>
        <figcaption className={classes["caption"]}>
          <span data-series="loss">Loss</span>
          {bandShown && <span data-series="band">Its band</span>}
          {hasForecast && <span data-series="forecast">Forecast without a run</span>}
          {hasForecast && <span data-series="cleaned">With a run tonight</span>}
        </figcaption>
        <Plot key={`loss ${theme}`} {...plot} kind="loss" heightPx={LOSS_PX} />
      </figure>
      <RunsLane days={days} />
      <figure className={classes["plot"]} aria-label={`Rain and particles: ${causesSummary(days)}`}>
        <figcaption className={classes["caption"]}>
          <span data-series="rain">Rain</span>
          {pm10.length > 0 && (
            <span data-series="particles">
              Particles (PM10), at most {particlesText(Math.max(...pm10))}
              {isSample && ", sample"}
            </span>
          )}
        </figcaption>
        <Plot key={`causes ${theme}`} {...plot} kind="causes" heightPx={CAUSES_PX} />
      </figure>
    </div>
  );
}

/** The day that the crosshair points at; without one, the newest that is known. */
function Values({ day }: { readonly day: SoilingDay | undefined }) {
  if (day === undefined) return <p className={classes["values"]} />;
  const loss = day.ratio === null ? null : lossOf(day.ratio);
  return (
    <p className={classes["values"]}>
      <strong>
        {shortDateText(day.date)}
        {day.is_forecast && ", forecast"}
      </strong>
      <span>
        {loss === null
          ? "Loss not known"
          : `Loss ${percentText(loss.value)}${hasBand(loss) ? `, ${percentBandText(loss)}` : ""}`}
      </span>
      {day.ratio_if_cleaned !== null && <span>after a run tonight {percentText(1 - day.ratio_if_cleaned)}</span>}
      {day.lost_kwh !== null && <span>{energyText(day.lost_kwh.value)} lost</span>}
      {day.rain_mm !== null && <span>Rain {rainText(day.rain_mm)}</span>}
      {day.pm10 !== null && <span>PM10 {particlesText(day.pm10)}</span>}
      {day.runs > 0 && <span>{runsText(day)}</span>}
    </p>
  );
}

function lossSummary(days: readonly SoilingDay[]): string {
  const known = days.flatMap(({ ratio }) => (ratio === null ? [] : [1 - ratio.value]));
  if (known.length === 0) return "not known on any day";
  return `from ${percentText(Math.min(...known))} to ${percentText(Math.max(...known))}; the table has every day`;
}

function causesSummary(days: readonly SoilingDay[]): string {
  const wet = days.filter(({ rain_mm: rain }) => rain !== null && rain > 0).length;
  return `rain on ${wet.toLocaleString("en-GB")} of ${days.length.toLocaleString("en-GB")} days; the table has every day`;
}

/** Each day's runs: the higher the mark, the more of the rows they cleaned. */
function RunsLane({ days }: { readonly days: readonly SoilingDay[] }) {
  const part = 100 / days.length;
  return (
    <div className={classes["lane"]}>
      <span className={classes["laneName"]}>Runs</span>
      <div className={classes["laneMarks"]} aria-hidden>
        {days.map(
          (day, nth) =>
            day.runs > 0 && (
              <span
                key={day.date}
                className={classes["run"]}
                title={`${shortDateText(day.date)}: ${runsText(day)}`}
                style={{
                  left: `${(nth + 0.5) * part}%`,
                  width: `${0.6 * part}%`,
                  height: `${Math.max(15, 100 * Math.min(1, day.cleaned_share))}%`,
                }}
              />
            ),
        )}
      </div>
    </div>
  );
}

interface PlotProps {
  readonly kind: "loss" | "causes";
  readonly heightPx: number;
  readonly days: readonly SoilingDay[];
  readonly onHover: (day: number | null) => void;
}

/** One chart; drawn anew when its days change. Its key has the theme, whose colours a canvas keeps. */
function Plot({ kind, heightPx, days, onHover }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const data = useMemo(() => (kind === "loss" ? lossData(days) : causesData(days)), [kind, days]);
  useEffect(() => {
    const container = place.current;
    if (container === null) return undefined;
    const plot = new uPlot(
      optionsOf({ kind, days, onHover, widthPx: container.clientWidth, heightPx }),
      data,
      container,
    );
    const sizes = new ResizeObserver(() => plot.setSize({ width: container.clientWidth, height: heightPx }));
    sizes.observe(container);
    return () => {
      sizes.disconnect();
      plot.destroy();
    };
  }, [kind, heightPx, days, data, onHover]);
  return <div ref={place} style={{ height: heightPx }} aria-hidden />;
}

/** Days by their number, for their dates are of the site and no instants. */
function numbersOf(days: readonly SoilingDay[]): number[] {
  return days.map((_, nth) => nth);
}

/** In percent: both edges of the band, what was, the forecast without a run, and with one tonight. */
function lossData(days: readonly SoilingDay[]): uPlot.AlignedData {
  const losses = days.map(({ ratio }) => (ratio === null ? null : lossOf(ratio)));
  const last = days.findLastIndex(({ is_forecast }) => !is_forecast);
  const values = losses.map((loss) => (loss === null ? null : 100 * loss.value));
  return [
    numbersOf(days),
    losses.map((loss) => (loss === null ? null : 100 * loss.high)),
    losses.map((loss) => (loss === null ? null : 100 * loss.low)),
    values.map((value, nth) => (nth <= last ? value : null)),
    // The forecast begins where the past ends, so that there is no gap between them.
    values.map((value, nth) => (nth >= last ? value : null)),
    days.map(({ ratio_if_cleaned: ratio }, nth) =>
      nth === last ? (values[last] ?? null) : ratio === null ? null : 100 * (1 - ratio),
    ),
  ];
}

function causesData(days: readonly SoilingDay[]): uPlot.AlignedData {
  return [numbersOf(days), days.map(({ rain_mm: rain }) => rain), days.map(({ pm10 }) => pm10)];
}

const CURSOR = "soiling";
/** At least this much is shown of the axes, so that next to nothing does not look like much. */
const LEAST_LOSS_PERCENT = 2;
const LEAST_RAIN_MM = 5;

function optionsOf({ kind, days, onHover, widthPx, heightPx }: PlotProps & { widthPx: number }): uPlot.Options {
  const style = getComputedStyle(document.body);
  const colour = (name: string) => style.getPropertyValue(`--sc-${name}`).trim();
  const axis = {
    stroke: colour("text-muted"),
    font: `11px ${style.fontFamily}`,
    grid: { stroke: colour("border"), width: 1 },
    ticks: { show: false },
  } as const;
  const accent = colour("accent");
  const cleaned = colour("status-good-dot");
  const line = (stroke: string, more: Partial<uPlot.Series> = {}): uPlot.Series => {
    return { stroke, width: 2, points: { show: true, size: 5, width: 1, filter: lonelyOnly }, ...more };
  };
  const edge: uPlot.Series = { stroke: "transparent", width: 0, points: { show: false } };
  const today = days.findLastIndex(({ is_forecast }) => !is_forecast);
  return {
    width: widthPx,
    height: heightPx,
    legend: { show: false },
    padding: [8, RIGHT_PX, 0, 0],
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false }, sync: { key: CURSOR } },
    scales: {
      x: { time: false, range: [-0.5, days.length - 0.5] },
      y: { range: (_, __, most) => [0, Math.max(1.06 * most, kind === "loss" ? LEAST_LOSS_PERCENT : LEAST_RAIN_MM)] },
      particles: { range: (_, __, most) => [0, 1.06 * Math.max(most, 1)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: kind === "loss" ? 8 : 24,
        space: 68,
        incrs: [1, 2, 7, 14, 28],
        values: (_, splits) => splits.map((nth) => (kind === "loss" ? "" : dayTick(days[nth]?.date))),
      },
      {
        ...axis,
        size: GUTTER_PX,
        space: 36,
        values: (_, splits) => splits.map((value) => `${value} ${kind === "loss" ? "%" : "mm"}`),
      },
    ],
    series:
      kind === "loss"
        ? [{}, edge, edge, line(accent), line(accent, { dash: [6, 4] }), line(cleaned, { dash: [2, 3], width: 2.5 })]
        : [
            {},
            {
              fill: colour("status-calm-dot"),
              width: 0,
              points: { show: false },
              ...(uPlot.paths.bars !== undefined && { paths: uPlot.paths.bars({ size: [0.6, 24] }) }),
            },
            line(colour("border-strong"), { width: 1, scale: "particles" }),
          ],
    ...(kind === "loss" && { bands: [{ series: [1, 2] as [number, number], fill: `${accent}33` }] }),
    hooks: {
      drawClear: [(plot) => shadeForecast(plot, today, colour("surface-2"))],
      draw: [(plot) => drawToday(plot, today, colour("text-muted"))],
      setCursor: [
        ({ cursor: { idx, left = -1 } }) => onHover(idx === null || idx === undefined || left < 0 ? null : idx),
      ],
    },
  };
}

/** Only days between gaps need a point: a line through one day is none. */
function lonelyOnly(plot: uPlot, series: number): number[] {
  const values = plot.data[series] ?? [];
  const isKnown = (nth: number) => typeof values[nth] === "number";
  return [...values.keys()].filter((nth) => isKnown(nth) && !isKnown(nth - 1) && !isKnown(nth + 1));
}

function dayTick(date: string | undefined): string {
  return date === undefined ? "" : shortDateText(date).replace(/^\w+ /, "");
}

/** What is forecast has another background. */
function shadeForecast(plot: uPlot, today: number, fill: string): void {
  const { ctx, bbox } = plot;
  const from = plot.valToPos(today + 0.5, "x", true);
  ctx.save();
  ctx.fillStyle = fill;
  ctx.fillRect(from, bbox.top, Math.max(0, bbox.left + bbox.width - from), bbox.height);
  ctx.restore();
}

function drawToday(plot: uPlot, today: number, stroke: string): void {
  const { ctx, bbox } = plot;
  const x = Math.round(plot.valToPos(today + 0.5, "x", true));
  ctx.save();
  ctx.strokeStyle = stroke;
  ctx.setLineDash([3, 3]);
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.restore();
}
