import type { Banded, SiteSoiling, SoilingDay, SoilingGap } from "@suncrew/contract/soiling/soiling.ts";
import { gapLook } from "@suncrew/domain/soiling/soiling-gaps.ts";
import { dayText } from "../../ui/site-time-text.ts";

const NBSP = "\u00a0";

const formats = new Map<string, Intl.NumberFormat>();

function formatOf(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = JSON.stringify(options);
  const known = formats.get(key) ?? new Intl.NumberFormat("en-GB", options);
  formats.set(key, known);
  return known;
}

/** With this many digits after the point; what rounds to zero has no sign. */
function fixed(value: number, digits: number): string {
  const format = formatOf({ minimumFractionDigits: digits, maximumFractionDigits: digits, signDisplay: "negative" });
  return format.format(value);
}

/** A share, 0 to 1, as "96.7 %". */
export function percentText(share: number): string {
  return `${fixed(100 * share, 1)}${NBSP}%`;
}

/** The band of a share: "between 94.1 and 98.2 %". */
export function percentBandText({ low, high }: Banded): string {
  return `between ${fixed(100 * low, 1)} and ${percentText(high)}`;
}

/** The same in a column that says so: "94.1 to 98.2 %". */
export function percentRangeText({ low, high }: Banded): string {
  return `${fixed(100 * low, 1)} to ${percentText(high)}`;
}

/** Shares of loss from those of the soiling ratio: the lower end of the one is the higher end of the other. */
export function lossOf({ value, low, high }: Banded): Banded {
  return { value: 1 - value, low: 1 - high, high: 1 - low };
}

/** Whether there is a band at all: of clean panels there is none. */
export function hasBand({ low, high }: Banded): boolean {
  return low !== high;
}

const ENERGY_UNITS = [
  { unit: "GWh", kwh: 1_000_000 },
  { unit: "MWh", kwh: 1_000 },
  { unit: "kWh", kwh: 1 },
] as const;

/** The unit in which a number of kWh, and its band, read well. */
function energyUnitOf(kwh: number) {
  // What would be rounded up to the next unit has that unit.
  return ENERGY_UNITS.find((unit) => Math.abs(kwh) >= 0.9995 * unit.kwh) ?? ENERGY_UNITS[2];
}

/** Three digits that count, no fraction from a hundred on. */
function digitsOf(value: number): number {
  const size = Math.abs(value);
  return size >= 99.95 || size === 0 ? 0 : size >= 9.995 ? 1 : 2;
}

/** "312 kWh", "4.21 MWh". */
export function energyText(kwh: number): string {
  const { unit, kwh: factor } = energyUnitOf(kwh);
  // A fraction of a kWh is below what the model can tell.
  const digits = unit === "kWh" ? (Math.abs(kwh) < 9.95 && Math.abs(kwh) >= 0.05 ? 1 : 0) : digitsOf(kwh / factor);
  return `${fixed(kwh / factor, digits)}${NBSP}${unit}`;
}

/** "between 310 and 980 kWh"; with both units where they differ. */
export function energyBandText({ low, high }: Banded): string {
  return bandText(energyText(low), energyText(high));
}

/** "₹3,100"; with the currency's smaller unit only below a hundred. */
export function moneyText(amount: number, currency: string): string {
  const isWhole = Math.abs(amount) >= 99.5 || amount === 0;
  return formatOf({
    style: "currency",
    currency,
    currencyDisplay: "narrowSymbol",
    signDisplay: "negative",
    ...(isWhole && { maximumFractionDigits: 0, minimumFractionDigits: 0 }),
  }).format(amount);
}

/** "between ₹2,200 and ₹4,700". */
export function moneyBandText({ low, high }: Banded, currency: string): string {
  return bandText(moneyText(low, currency), moneyText(high, currency));
}

/** What both ends have in common at their end, the unit, stands once. */
function bandText(low: string, high: string): string {
  const [number = low, unit] = low.split(NBSP);
  return `between ${unit !== undefined && high.endsWith(`${NBSP}${unit}`) ? number : low} and ${high}`;
}

/** "3.4 mm". */
export function rainText(mm: number): string {
  return `${fixed(mm, mm !== 0 && mm < 10 ? 1 : 0)}${NBSP}mm`;
}

/** "180 µg/m³". */
export function particlesText(micrograms: number): string {
  return `${fixed(micrograms, 0)}${NBSP}µg/m³`;
}

/** A date of the wire, `YYYY-MM-DD`, as "Sat 28 Nov". */
export function shortDateText(date: string): string {
  return dayText(date).replace(/ \d+$/, "");
}

const RATIO_NEEDS = ["rain", "robots", "tilt_degrees"] as const satisfies SoilingGap[];
const ENERGY_NEEDS = [
  "dc_capacity_kwp",
  "tilt_degrees",
  "azimuth_degrees",
  "performance_ratio_percent",
  "irradiation",
] as const satisfies SoilingGap[];

export interface MissingLine {
  /** "Energy needs". */
  readonly figure: string;
  /** "DC capacity, tilt and azimuth". */
  readonly needs: string;
}

const list = new Intl.ListFormat("en-GB", { type: "conjunction" });

/** For each figure that cannot be said, or not well, what it needs; nothing twice. */
export function missingLines({ missing, ratio }: Pick<SiteSoiling, "missing" | "ratio">): MissingLine[] {
  const left = new Set(missing);
  const lines: MissingLine[] = [];
  const note = (figure: string, gaps: readonly SoilingGap[]) => {
    const words = gaps.filter((gap) => left.delete(gap)).map((gap) => gapLook[gap].words);
    if (words.length > 0) lines.push({ figure, needs: list.format(words) });
  };
  if (ratio === null) note("The soiling ratio needs", RATIO_NEEDS);
  note("Energy needs", ENERGY_NEEDS);
  note("Money needs", ["tariff_per_kwh", "currency"]);
  note("The next worthwhile night needs", ["cleaning_price"]);
  note("Better than a rule of thumb needs", ["particles"]);
  note("Also missing:", missing);
  return lines;
}

/** A day in one sentence, for the line that the crosshair fills and as words for a mark of a run. */
export function runsText(day: Pick<SoilingDay, "runs" | "cleaned_share">): string {
  return `${fewRunsText(day)} of the rows cleaned`;
}

/** The same in a column that says so: "4 runs, 100 %". */
export function fewRunsText({ runs, cleaned_share: share }: Pick<SoilingDay, "runs" | "cleaned_share">): string {
  return `${runs.toLocaleString("en-GB")} ${runs === 1 ? "run" : "runs"}, ${fixed(100 * Math.min(1, share), 0)}${NBSP}%`;
}

/** From what the figures are computed. */
export function modelText(
  { model, soiling_rate_factor: factor }: Pick<SiteSoiling, "model" | "soiling_rate_factor">,
  isSample: boolean,
): string {
  const whose = isSample ? "sample " : "";
  if (model === "kimber") return `Kimber's rule of thumb, from ${whose}rain alone`;
  return `HSU model, from ${whose}particles${factor === 1 ? "" : ` (\u00d7${factor})`} and rain`;
}
