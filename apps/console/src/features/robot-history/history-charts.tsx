import type { RobotHistory } from "@suncrew/contract/robot-history/robot-history.ts";
import { type CSSProperties, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { siteClockText, siteTimeText } from "../../ui/site-time-text.ts";
import { useTheme } from "../../ui/theme/theme-choice.ts";
import { useNow } from "../../ui/use-now.ts";
import { severityLook } from "../alerts/public.ts";
import { runLook } from "../runs/public.ts";
import classes from "./history.module.css";
import {
  type HistoryPart,
  partsOf,
  percentText,
  runText,
  shareText,
  type Stretch,
  stretchesOf,
  stretchOf,
} from "./history-model.ts";

/** Left of the plots, so that they and the lanes have one time axis, in pixels. */
const GUTTER_PX = 64;
const RIGHT_PX = 12;

interface HistoryChartsProps {
  readonly history: RobotHistory;
  /** The moment in the middle, marked by a line; null for none. */
  readonly at: string | null;
}

/** Battery and speeds as charts, motion and what happened as lanes below them; the crosshair is one for all. */
export function HistoryCharts({ history, at }: HistoryChartsProps) {
  const theme = useTheme();
  const parts = useMemo(() => partsOf(history), [history]);
  const [hovered, setHovered] = useState<number | null>(null);
  const atMs = at === null ? null : Date.parse(at);
  const nearest = atMs === null ? parts.length - 1 : Math.floor((atMs - Date.parse(history.from)) / history.part_ms);
  const plot = { history, parts, atMs, onHover: setHovered };
  return (
    <div
      className={classes["charts"]}
      style={{ "--gutter": `${GUTTER_PX}px`, "--right": `${RIGHT_PX}px` } as CSSProperties}
    >
      <Values part={parts[hovered ?? nearest]} history={history} />
      <Plot key={`battery ${theme}`} {...plot} label="Battery" kind="battery" heightPx={170} />
      <Plot key={`speeds ${theme}`} {...plot} label="Motor speeds" kind="speeds" heightPx={120} />
      <Lanes history={history} atMs={atMs} />
    </div>
  );
}

/** What the crosshair points at; without one, the moment in the middle or the newest. */
function Values({ part, history }: { readonly part: HistoryPart | undefined; readonly history: RobotHistory }) {
  const now = useNow();
  if (part === undefined) return null;
  const { battery, least, most, main, brush, moving } = part;
  return (
    <p className={classes["values"]}>
      <strong>{siteTimeText(new Date(part.beginsMs), history.timezone, now)}</strong>
      {battery === null ? (
        <span>No report</span>
      ) : (
        <>
          <span data-series="battery">
            Battery {percentText(battery)}
            {least !== most && least !== null && most !== null && ` (${percentText(least)} to ${percentText(most)})`}
          </span>
          <span data-series="main">Main motor {percentText(main ?? 0)}</span>
          <span data-series="brush">Brush motor {percentText(brush ?? 0)}</span>
          <span>{moving === null || moving === 0 ? "Standing" : `Moving ${shareText(moving)} of the time`}</span>
        </>
      )}
      {part.happened !== "" && <span className={classes["happened"]}>{part.happened}</span>}
    </p>
  );
}

interface PlotProps {
  readonly label: string;
  readonly kind: "battery" | "speeds";
  readonly heightPx: number;
  readonly history: RobotHistory;
  readonly parts: readonly HistoryPart[];
  readonly atMs: number | null;
  readonly onHover: (part: number | null) => void;
}

/** One chart; drawn anew when its data or the moment change. Its key has the theme, whose colours a canvas keeps. */
function Plot({ label, kind, heightPx, history, parts, atMs, onHover }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const container = place.current;
    if (container === null) return undefined;
    const plot = new uPlot(
      optionsOf({ kind, history, atMs, onHover, widthPx: container.clientWidth, heightPx }),
      dataOf(kind, parts, history.part_ms),
      container,
    );
    const sizes = new ResizeObserver(() => plot.setSize({ width: container.clientWidth, height: heightPx }));
    sizes.observe(container);
    return () => {
      sizes.disconnect();
      plot.destroy();
    };
  }, [kind, heightPx, history, parts, atMs, onHover]);
  return (
    <figure className={classes["plot"]} aria-label={`${label}: ${summaryOf(kind, parts)}`}>
      <figcaption className={classes["caption"]}>
        {label}
        {kind === "speeds" && (
          <>
            <span data-series="main">Main</span>
            <span data-series="brush">Brush, dashed</span>
          </>
        )}
      </figcaption>
      <div ref={place} aria-hidden />
    </figure>
  );
}

function summaryOf(kind: PlotProps["kind"], parts: readonly HistoryPart[]): string {
  const values = parts.flatMap(({ least, most, main, brush }) =>
    (kind === "battery" ? [least, most] : [main, brush]).filter((value) => value !== null),
  );
  if (values.length === 0) return "nothing was reported";
  return `from ${percentText(Math.min(...values))} to ${percentText(Math.max(...values))}; the table has every value`;
}

/** Every part twice, at its beginning and its end: so even a single one between gaps is a line. */
function dataOf(kind: PlotProps["kind"], parts: readonly HistoryPart[], partMs: number): uPlot.AlignedData {
  const twice = <T,>(value: (part: HistoryPart) => T) => parts.flatMap((part) => [value(part), value(part)]);
  // The end lies a second before the next beginning: a time must not occur twice.
  const times = parts.flatMap(({ beginsMs }) => [beginsMs / 1000, (beginsMs + partMs) / 1000 - 1]);
  return kind === "battery"
    ? [times, twice(({ most }) => most), twice(({ least }) => least), twice(({ battery }) => battery)]
    : [times, twice(({ main }) => main), twice(({ brush }) => brush)];
}

const CURSOR = "robot-history";

interface OptionsChoice extends Pick<PlotProps, "kind" | "history" | "atMs" | "onHover" | "heightPx"> {
  readonly widthPx: number;
}

function optionsOf({ kind, history, atMs, onHover, widthPx, heightPx }: OptionsChoice): uPlot.Options {
  const style = getComputedStyle(document.body);
  const colour = (name: string) => style.getPropertyValue(`--sc-${name}`).trim();
  const font = `11px ${style.fontFamily}`;
  const axis = {
    stroke: colour("text-muted"),
    font,
    grid: { stroke: colour("border"), width: 1 },
    ticks: { show: false },
  } as const;
  const line = (stroke: string, more: Partial<uPlot.Series> = {}): uPlot.Series => {
    return { stroke, width: 1.5, points: { show: false }, ...more };
  };
  const edge = line("transparent", { width: 0 });
  const accent = colour("accent");
  return {
    width: widthPx,
    height: heightPx,
    legend: { show: false },
    padding: [8, RIGHT_PX, 0, 0],
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), history.timezone),
    cursor: {
      y: false,
      drag: { x: false, y: false },
      points: { show: false },
      sync: { key: CURSOR },
    },
    scales: {
      x: { time: true, range: [Date.parse(history.from) / 1000, Date.parse(history.to) / 1000] },
      y: { range: [0, 100] },
    },
    axes: [
      {
        ...axis,
        size: 24,
        space: 64,
        values: (_, splits, __, ___, stepSeconds) =>
          splits.map((seconds) => tickText(new Date(seconds * 1000), history.timezone, stepSeconds)),
      },
      {
        ...axis,
        size: GUTTER_PX,
        splits: () => (heightPx > 150 ? [0, 25, 50, 75, 100] : [0, 50, 100]),
        values: (_, splits) => splits.map((value) => `${value} %`),
      },
    ],
    series:
      kind === "battery"
        ? [{}, edge, edge, line(accent)]
        : [{}, line(accent), line(colour("status-calm-fg"), { dash: [5, 4] })],
    ...(kind === "battery" && { bands: [{ series: [1, 2] as [number, number], fill: `${accent}40` }] }),
    hooks: {
      drawClear: [
        (plot) => {
          for (const { began_at: began, ended_at: ended } of history.runs)
            if (began !== null) shade(plot, began, ended, colour("accent-soft"));
          for (const { locked_at: locked, released_at: released } of history.locks)
            shade(plot, locked, released, colour("surface-2"));
        },
      ],
      draw: [
        (plot) => {
          if (atMs === null) return;
          const { ctx, bbox } = plot;
          const x = Math.round(plot.valToPos(atMs / 1000, "x", true));
          ctx.save();
          ctx.strokeStyle = colour("text");
          ctx.setLineDash([3, 3]);
          ctx.beginPath();
          ctx.moveTo(x, bbox.top);
          ctx.lineTo(x, bbox.top + bbox.height);
          ctx.stroke();
          ctx.restore();
        },
      ],
      setCursor: [
        (plot) => {
          const { idx, left = -1 } = plot.cursor;
          onHover(idx === null || idx === undefined || left < 0 ? null : Math.floor(idx / 2));
        },
      ],
    },
  };
}

/** A background behind the lines, within the plot. */
function shade(plot: uPlot, beganIso: string, endedIso: string | null, fill: string): void {
  const { ctx, bbox } = plot;
  const position = (ms: number) =>
    Math.min(bbox.left + bbox.width, Math.max(bbox.left, plot.valToPos(ms / 1000, "x", true)));
  const from = position(Date.parse(beganIso));
  const to = position(endedIso === null ? Date.now() : Date.parse(endedIso));
  if (to < from) return;
  ctx.save();
  ctx.fillStyle = fill;
  ctx.fillRect(from, bbox.top, Math.max(1, to - from), bbox.height);
  ctx.restore();
}

const DAY_SECONDS = 86_400;
const MIDNIGHT = "00:00";

/** The time of day; the date at midnight, or for each tick where they are days apart. */
function tickText(at: Date, timezone: string, stepSeconds: number): string {
  const clock = siteClockText(at, timezone);
  if (stepSeconds < DAY_SECONDS && clock !== MIDNIGHT) return clock;
  const [, date = ""] = /^\w+ (\d+ \w+)/.exec(siteTimeText(at, timezone, at)) ?? [];
  return date;
}

interface LanesProps {
  readonly history: RobotHistory;
  readonly atMs: number | null;
}

/** Motion, runs, alerts, maintenance and lost connection, on the time axis of the charts. */
function Lanes({ history, atMs }: LanesProps) {
  const now = useNow();
  const time = (iso: string) => siteTimeText(new Date(iso), history.timezone, now);
  const place = (began: string, ended: string | null) => stretchOf(history, began, ended, now.getTime());
  const moment = atMs === null ? null : place(new Date(atMs).toISOString(), new Date(atMs).toISOString());
  const runs = history.runs.flatMap((run) => {
    const began = run.began_at ?? run.due_at;
    const stretch = began === null ? null : place(began, run.began_at === null ? began : run.ended_at);
    const look = runLook(run.outcome);
    return stretch === null || began === null
      ? []
      : [
          {
            key: run.id,
            stretch,
            tone: look.tone,
            isMark: run.began_at === null,
            words: `${time(began)}: ${runText(run)}`,
          },
        ];
  });
  const alerts = history.alerts.flatMap(({ id, severity, text, raised_at, cleared_at }) => {
    const stretch = place(raised_at, cleared_at);
    const look = severityLook[severity];
    return stretch === null
      ? []
      : [{ key: id, stretch, tone: look.tone, isMark: false, words: `${time(raised_at)}: ${look.label}. ${text}` }];
  });
  const locks = history.locks.flatMap(({ reason, locked_by, locked_at, released_at }) => {
    const stretch = place(locked_at, released_at);
    const words = `${time(locked_at)}: locked by ${locked_by}. ${reason}`;
    return stretch === null ? [] : [{ key: locked_at, stretch, tone: "off" as const, isMark: false, words }];
  });
  const moving = stretchesOf(history.moving, (value) => value > 0).map(({ value, ...stretch }) => ({
    key: stretch.left,
    stretch,
    tone: "good" as const,
    isMark: false,
    words: "Moving",
    strength: 0.35 + 0.65 * value,
  }));
  const away = stretchesOf(history.connected, (value) => value < 1).map(({ value, ...stretch }) => ({
    key: stretch.left,
    stretch,
    tone: "off" as const,
    isMark: false,
    words: `Not connected for ${shareText(1 - value)} of this time`,
    strength: 0.35 + 0.65 * (1 - value),
  }));
  return (
    <div className={classes["lanes"]}>
      <Lane name="Moving" marks={moving} moment={moment} />
      <Lane name="Runs" marks={runs} moment={moment} />
      <Lane name="Alerts" marks={alerts} moment={moment} />
      <Lane name="Locked" marks={locks} moment={moment} />
      <Lane name="Away" marks={away} moment={moment} />
    </div>
  );
}

interface LaneProps {
  readonly name: string;
  readonly moment: Stretch | null;
  readonly marks: readonly {
    readonly key: string | number;
    readonly stretch: Stretch;
    readonly tone: string;
    /** A moment rather than a time. */
    readonly isMark: boolean;
    readonly words: string;
    readonly strength?: number;
  }[];
}

function Lane({ name, marks, moment }: LaneProps): ReactNode {
  return (
    <div className={classes["lane"]}>
      <span className={classes["laneName"]}>{name}</span>
      <div className={classes["laneMarks"]} aria-hidden>
        {marks.map(({ key, stretch, tone, isMark, words, strength = 1 }) => (
          <span
            key={key}
            className={classes["mark"]}
            data-tone={tone}
            data-mark={isMark || undefined}
            title={words}
            style={{ left: `${stretch.left}%`, width: isMark ? undefined : `${stretch.width}%`, opacity: strength }}
          />
        ))}
        {moment !== null && <span className={classes["moment"]} style={{ left: `${moment.left}%` }} />}
      </div>
    </div>
  );
}
