import type {
  ComparedDay,
  ControlRows,
  DayNotCounted,
  Interval,
  MeasuredCleaning,
  ModelCorrection,
} from "@suncrew/contract/measurements/measured-against-model.ts";
import { EFFECT_DAYS, LEAST_DETECTABLE, ROWS_DIFFER } from "@suncrew/domain/measurements/cleaning-effect.ts";
import { correctedFactText } from "@suncrew/domain/sites/site-energy-facts.ts";
import { percentBandText, percentText } from "./soiling-text.ts";

/** A performance index, or the ratio that the model expects: "94.2 %". */
export const indexText = percentText;

/** Why a day does not count: in a row, and summed up. */
export const notCountedLook: Record<DayNotCounted, { readonly words: string; readonly many: string }> = {
  INCOMPLETE: { words: "Hours are missing", many: "incomplete" },
  CURTAILED: { words: "Curtailed", many: "curtailed" },
  NOT_MODELLED: { words: "Not modelled", many: "not modelled" },
  NO_IRRADIATION: { words: "Irradiation not known", many: "without irradiation" },
  RAIN: { words: "Rain", many: "with rain" },
  CLOUDY: { words: "Cloudy", many: "cloudy" },
};

/** "Not counted: 3 cloudy, 1 curtailed." */
export function notCountedText(days: readonly Pick<ComparedDay, "not_counted">[]): string {
  const reasons = Object.entries(Object.groupBy(days, (day) => day.not_counted ?? "COUNTS"));
  const words = reasons.flatMap(([reason, of]) =>
    isReason(reason) && of !== undefined ? [`${of.length} ${notCountedLook[reason].many}`] : [],
  );
  return words.length === 0 ? "Every day counts." : `Not counted: ${words.join(", ")}.`;
}

function isReason(text: string): text is DayNotCounted {
  return text in notCountedLook;
}

/** "4.2 % less than modelled". */
export function energyBiasText(bias: Interval): string {
  return differenceText(bias, "less than modelled", "more than modelled");
}

/** "1.5 times the model's". */
export function stationBiasText({ value, low, high }: Interval): string {
  return low <= 1 && high >= 1 ? "As modelled" : `${value.toFixed(2)} times the model\u2019s`;
}

function differenceText({ value, low, high }: Interval, below: string, above: string): string {
  if (low <= 1 && high >= 1) return "As modelled";
  return `${percentText(Math.abs(value - 1))} ${value < 1 ? below : above}`;
}

/** With what certainty: "between 94.0 and 97.1 % of the model (95 % interval)". */
export function intervalText(bias: Interval): string {
  return `${capitalized(percentBandText(bias))} of what is modelled (in 95 of 100 cases)`;
}

function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** What the days around a cleaning show of it; null if there are too few. */
export function cleaningText({
  verdict,
  gain,
  detectable,
  runs,
  cleaned_share: share,
}: MeasuredCleaning): string | null {
  if (gain === null || detectable === null) return null;
  const what = `${runs.toLocaleString("en-GB")} ${runs === 1 ? "run" : "runs"}, ${percentText(Math.min(share, 1))} of the rows:`;
  return verdict === "VERIFIED"
    ? `${what} verified, ${percentText(gain.value)} more energy (${percentBandText(gain)}).`
    : `${what} not measurable; these days show a gain from ${percentText(detectable)} on.`;
}

/** Of cleanings with too few days around them, which robots that clean every night always have. */
export function tooFewDaysText(cleanings: number): string {
  const what = cleanings === 1 ? "1 cleaning is" : `${cleanings.toLocaleString("en-GB")} cleanings are`;
  return `${what} not measurable: it takes ${EFFECT_DAYS} days that count before and after, until other runs or rain. Such days show a gain from ${percentText(LEAST_DETECTABLE)} on.`;
}

/** "+3.2 %". */
export function gainText(share: number): string {
  return `${share < 0 ? "" : "+"}${percentText(share)}`;
}

/** "3.2 % more", of rows that are cleaned against control rows. */
export function controlValueText({ gain, verdict }: ControlRows): string {
  if (gain === null) return "Not known yet";
  return verdict === "VERIFIED" ? `${percentText(gain.value)} more energy` : "Not measurable";
}

/** What the days show of it, and from what on they could. */
export function controlRowsText({ days, gain, detectable, verdict }: ControlRows): string {
  const counted = `${days.toLocaleString("en-GB")} ${days === 1 ? "day that counts" : "days that count"}`;
  if (gain === null || detectable === null) return `${counted} of the ${EFFECT_DAYS} that it takes.`;
  const band = `${capitalized(percentBandText(gain))} (in 95 of 100 cases), from ${counted}.`;
  if (verdict === "VERIFIED") return band;
  return gain.high < -ROWS_DIFFER
    ? `${band} Cleaned rows gave less: check the capacity of the control rows.`
    : `${band} These days show a gain from ${percentText(detectable)} on: rows differ by ${percentText(ROWS_DIFFER)} anyway.`;
}

interface CorrectionWords {
  /** "Performance ratio 76.64 %". */
  readonly to: string;
  readonly from: string;
  readonly follows: string;
}

/** What a correction changes, and what follows it. */
export function correctionWords({ fact, from, to }: ModelCorrection): CorrectionWords {
  const follows = {
    performance_ratio_percent:
      "Modelled energy, what soiling takes of it and what a cleaning is worth follow at once; the soiling ratio stays.",
    soiling_rate_factor:
      "The soiling ratio, its band, what is lost and the nights on which a cleaning pays follow at once.",
  } as const;
  return { to: correctedFactText(fact, to), from: correctedFactText(fact, from), follows: follows[fact] };
}
