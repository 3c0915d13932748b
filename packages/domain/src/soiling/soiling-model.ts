import type { Banded, SoilingModel } from "@suncrew/contract/soiling/soiling.ts";
import { depositedMass, hsuRatio } from "./hsu.ts";
import { KIMBER_GRACE_DAYS, KIMBER_MAX_LOSS, KIMBER_RAIN_MM, kimberLoss } from "./kimber.ts";

/**
 * The rows of a site through hours of air, rain and runs. What lies on a row is its soil: g/m² in the HSU model, lost
 * share of the energy in Kimber's. Rows of equal soil are computed once.
 */

/** What is known of the hour that ends at this time; `null` is unknown. */
export interface SoilingHour {
  readonly at: Date;
  /** In µg/m³. */
  readonly pm2_5: number | null;
  readonly pm10: number | null;
  readonly rain_mm: number | null;
  /** On the panels, mean of the hour. */
  readonly irradiance_w_m2: number | null;
}

export interface SoilingSettings {
  readonly model: SoilingModel;
  readonly tiltDegrees: number;
  /** HSU: what the settling mass is multiplied by; 1 is the model as published. */
  readonly soilingRateFactor: number;
  /** Of the soil, what a complete run takes with it. */
  readonly effectivenessPercent: number;
  /** HSU: rain within an hour that cleans; `CLEANING_RAIN_MM` if not given. */
  readonly cleaningRainMm?: number;
}

/**
 * HSU: rain of an hour that cleans all rows. Published thresholds differ; the rain of a service is the mean of a cell of
 * some kilometres, in which less is often drizzle that dries into spots.
 */
export const CLEANING_RAIN_MM = 1;

/** A run of the robot of a row. */
export interface RowRun {
  readonly row: number;
  readonly endedAt: Date;
  /** How much of the row it cleaned, 0 to 1: the minutes that it cleaned, of those that the row takes. */
  readonly share: number;
}

/** How wrong the particles may be (cells of 25 to 40 km) and Kimber's rate is from place to place: half to twice. */
const BAND = { least: 0.5, most: 2 };

/** Rows of equal soil. */
interface Layer {
  readonly rows: readonly number[];
  /** With the particles as they are known. It is in proportion to them, so that the band needs no other. */
  readonly soil: number;
  /** Lost since these rows were last cleaned, in hours of full sun (1 kW/m²): kWh of each kWp of an ideal plant. */
  readonly lostSunHours: Banded;
}

/** What has to be kept to go on later; plain values. */
export interface SoilingState {
  /** End of the last hour, in ms; `null` before the first. */
  readonly at: number | null;
  readonly layers: readonly Layer[];
  /** Kimber: rain of the last 24 hours. */
  readonly rain: readonly { readonly at: number; readonly mm: number }[];
  /** Kimber: until when nothing settles, in ms. */
  readonly dampUntil: number;
  readonly lastCleaning: { readonly at: number; readonly cause: "RUN" | "RAIN" } | null;
}

/** What became of the site within an hour. */
export interface SoiledHour {
  readonly hour: SoilingHour;
  /** Mean of the rows at its end, 0 to 1; `null` in the dark, when it takes nothing. */
  readonly ratio: Banded | null;
  readonly isCleanedByRain: boolean;
  /** Runs that ended within it, and how many rows they cleaned, of all rows. */
  readonly runs: number;
  readonly cleanedShare: number;
}

const NOTHING: Banded = { value: 0, low: 0, high: 0 };
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Clean rows: nobody knows how they were before the first hour. */
export function cleanRows(rows: readonly number[]): SoilingState {
  const layers = rows.length === 0 ? [] : [{ rows, soil: 0, lostSunHours: NOTHING }];
  return { at: null, layers, rain: [], dampUntil: 0, lastCleaning: null };
}

/** The ratio of a row with this soil, 0 to 1, with its band. */
export function ratioOfSoil(model: SoilingModel, soil: number): Banded {
  const of = model === "hsu" ? hsuRatio : (loss: number) => 1 - Math.min(loss, KIMBER_MAX_LOSS);
  return { value: of(soil), low: of(soil * BAND.most), high: of(soil * BAND.least) };
}

/** Mean ratio of the rows; `null` without rows. */
export function ratioOfRows(model: SoilingModel, { layers }: Pick<SoilingState, "layers">): Banded | null {
  const ratios = layers.map(({ soil }) => ratioOfSoil(model, soil));
  return layers.length === 0 ? null : meanOf(layers, ratios);
}

/** Mean loss of the rows since each was last cleaned, in hours of full sun. */
export function lostOfRows({ layers }: Pick<SoilingState, "layers">): Banded {
  const lost = layers.map(({ lostSunHours }) => lostSunHours);
  return layers.length === 0 ? NOTHING : meanOf(layers, lost);
}

/** The rows after a complete run of every one. */
export function cleanedNow(settings: SoilingSettings, state: SoilingState): SoilingState {
  const left = 1 - settings.effectivenessPercent / 100;
  const layers = state.layers.map(({ rows, soil }) => ({ rows, soil: soil * left, lostSunHours: NOTHING }));
  return { ...state, layers, lastCleaning: state.at === null ? null : { at: state.at, cause: "RUN" } };
}

/** Whether the hours say enough for HSU, or only for Kimber, or for neither. */
export function modelFor(hours: readonly SoilingHour[]): SoilingModel | null {
  if (hours.some(hasParticles)) return "hsu";
  return hours.some(({ rain_mm }) => rain_mm !== null) ? "kimber" : null;
}

/** Whether an hour says all that the model needs of it. */
export function isKnownHour(model: SoilingModel, hour: SoilingHour): boolean {
  return hour.rain_mm !== null && (model === "kimber" || hasParticles(hour));
}

type WithParticles = SoilingHour & { readonly pm2_5: number; readonly pm10: number };
function hasParticles(hour: SoilingHour): hour is WithParticles {
  return hour.pm2_5 !== null && hour.pm10 !== null;
}

/** What settles on a row within the hour, in units of soil: nothing where HSU does not know the particles. */
export function settledIn(settings: SoilingSettings, hour: SoilingHour): number {
  if (settings.model === "kimber") return kimberLoss(0, 1);
  return hasParticles(hour) ? settings.soilingRateFactor * depositedMass(hour, 3600, settings.tiltDegrees) : 0;
}

/**
 * Takes the rows through these hours, oldest first: in each, dust settles, then the runs that ended in it take their
 * share, then rain cleans. Runs may be more than those of these hours; each counts once, in the hour in which it ended or
 * in the next that is known. The same in one piece or in several, from the state that the last one left.
 */
export function soilRows(
  settings: SoilingSettings,
  hours: readonly SoilingHour[],
  runs: readonly RowRun[],
  from: SoilingState,
): { readonly state: SoilingState; readonly hours: readonly SoiledHour[] } {
  let { layers, dampUntil, lastCleaning } = from;
  let rain = [...from.rain];
  let at = from.at ?? (hours[0]?.at.getTime() ?? 0) - HOUR_MS;
  const rows = layers.reduce((sum, layer) => sum + layer.rows.length, 0);
  const known = new Set(layers.flatMap((layer) => layer.rows));
  const counted = runs.filter((run) => known.has(run.row) && run.endedAt.getTime() > at && run.share > 0);
  const byEnd = counted.toSorted((one, other) => one.endedAt.getTime() - other.endedAt.getTime());
  let nextRun = 0;
  const soiled: SoiledHour[] = [];

  for (const hour of hours) {
    at = hour.at.getTime();
    const mm = hour.rain_mm ?? 0;
    let isCleanedByRain = false;
    if (settings.model === "hsu") {
      isCleanedByRain = mm >= (settings.cleaningRainMm ?? CLEANING_RAIN_MM);
    } else if (mm > 0 || rain.length > 0) {
      rain = [...rain, { at, mm }].filter((one) => one.at > at - DAY_MS && one.mm > 0);
      isCleanedByRain = rain.reduce((sum, one) => sum + one.mm, 0) > KIMBER_RAIN_MM;
      if (isCleanedByRain) dampUntil = at + KIMBER_GRACE_DAYS * DAY_MS;
    }
    const settled = at < dampUntil ? 0 : settledIn(settings, hour);
    if (settled > 0)
      layers = layers.map((layer) => ({ ...layer, soil: soilAfter(settings.model, layer.soil, settled) }));

    const ended: RowRun[] = [];
    for (let run = byEnd[nextRun]; run !== undefined && run.endedAt.getTime() <= at; run = byEnd[++nextRun]) {
      ended.push(run);
      lastCleaning = { at: run.endedAt.getTime(), cause: "RUN" };
    }
    if (ended.length > 0) layers = afterRuns(layers, ended, settings.effectivenessPercent / 100);
    if (isCleanedByRain && layers.length > 0) {
      layers = [{ rows: layers.flatMap((layer) => layer.rows), soil: 0, lostSunHours: NOTHING }];
      lastCleaning = { at, cause: "RAIN" };
    }

    const sun = hour.irradiance_w_m2 === null ? null : hour.irradiance_w_m2 / 1000;
    let ratio: Banded | null = null;
    if (sun !== 0 && layers.length > 0) {
      const ratios = layers.map((layer) => ratioOfSoil(settings.model, layer.soil));
      ratio = meanOf(layers, ratios);
      if (sun !== null) layers = layers.map((layer, index) => withLoss(layer, ratios[index], sun));
    }
    const cleaned = ended.reduce((sum, { share }) => sum + Math.min(share, 1), 0);
    const cleanedShare = rows === 0 ? 0 : cleaned / rows;
    soiled.push({ hour, ratio, isCleanedByRain, runs: ended.length, cleanedShare });
  }
  return { state: { at: hours.length === 0 ? from.at : at, layers, rain, dampUntil, lastCleaning }, hours: soiled };
}

function soilAfter(model: SoilingModel, soil: number, settled: number): number {
  return model === "hsu" ? soil + settled : Math.min(soil + settled, KIMBER_MAX_LOSS);
}

/** The rows of these runs, in layers with those that are as dirty now and lost as much. */
function afterRuns(layers: readonly Layer[], runs: readonly RowRun[], effectiveness: number): Layer[] {
  const byRow = Map.groupBy(runs, ({ row }) => row);
  const after = new Map<string, Layer>();
  const add = (layer: Layer) => {
    const key = `${layer.soil} ${layer.lostSunHours.value}`;
    const same = after.get(key);
    after.set(key, same === undefined ? layer : { ...same, rows: [...same.rows, ...layer.rows] });
  };
  for (const layer of layers) {
    const cleaned = layer.rows.filter((row) => byRow.has(row));
    if (cleaned.length < layer.rows.length) add({ ...layer, rows: layer.rows.filter((row) => !byRow.has(row)) });
    // Mostly many rows that cleaned as much: by what their runs left.
    for (const rows of Map.groupBy(cleaned, (row) => sharesOf(byRow.get(row))).values()) {
      let { soil, lostSunHours } = layer;
      for (const { share } of byRow.get(rows[0] ?? Number.NaN) ?? []) {
        soil *= 1 - effectiveness * Math.min(share, 1);
        lostSunHours = scaled(lostSunHours, 1 - Math.min(share, 1));
      }
      add({ rows, soil, lostSunHours });
    }
  }
  return [...after.values()];
}

function sharesOf(runs: readonly RowRun[] = []): string {
  return runs.map(({ share }) => Math.min(share, 1)).join(" ");
}

function withLoss(layer: Layer, ratio: Banded | undefined, sun: number): Layer {
  if (ratio === undefined) return layer;
  const { value, low, high } = layer.lostSunHours;
  const lostSunHours = {
    value: value + (1 - ratio.value) * sun,
    low: low + (1 - ratio.high) * sun,
    high: high + (1 - ratio.low) * sun,
  };
  return { ...layer, lostSunHours };
}

export function scaled({ value, low, high }: Banded, factor: number): Banded {
  return { value: value * factor, low: low * factor, high: high * factor };
}

function meanOf(layers: readonly Layer[], figures: readonly Banded[]): Banded {
  let [rows, value, low, high] = [0, 0, 0, 0];
  for (const [index, layer] of layers.entries()) {
    const figure = figures[index] ?? NOTHING;
    rows += layer.rows.length;
    value += figure.value * layer.rows.length;
    low += figure.low * layer.rows.length;
    high += figure.high * layer.rows.length;
  }
  return { value: value / rows, low: low / rows, high: high / rows };
}
