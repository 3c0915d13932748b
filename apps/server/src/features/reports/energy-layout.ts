import { changeOf } from "@suncrew/domain/reports/report-change.ts";
import { savedKwh } from "@suncrew/domain/soiling/energy-saved.ts";
import { gapLook } from "@suncrew/domain/soiling/soiling-gaps.ts";
import { theme } from "../../platform/pdf/pdf-document.ts";
import type { ReportData, ReportEnergy, ReportRange } from "./report-data.ts";
import { count, countOf, dayOfMonth, oneDecimal, outOf } from "./report-format.ts";

/** What the report says of the energy that cleaning has saved. */

export const ENERGY_SAVED = "Energy saved by cleaning";

interface RangeEnergy {
  readonly energy: ReportEnergy;
  readonly range: ReportRange;
}

const list = new Intl.ListFormat("en-GB", { type: "conjunction" });

/** Why there is no figure. */
function missingText({ missing }: ReportEnergy): string {
  const facts = missing.filter((gap) => gapLook[gap].by === "site form").map((gap) => gapLook[gap].words);
  if (facts.length > 0) {
    return `${list.format(facts)} of this site ${facts.length === 1 ? "is" : "are"} not entered`;
  }
  if (missing.includes("robots")) return "the site has no robots whose rows could be modelled";
  if (missing.length > 0) return "particles, rain and irradiation are not known of any whole day";
  return "nothing is known of any robot on these days, so nobody knows what cleaned";
}

const kwh = (value: number) => `${count(value)} kWh`;

function valueText({ energy: { saved } }: RangeEnergy): string {
  return saved === null ? "Not known" : kwh(savedKwh(saved).value);
}

function coverageText({ energy: { saved }, range }: RangeEnergy): string {
  const days = `modelled on ${outOf(saved?.days ?? 0, range.days)} ${range.days === 1 ? "day" : "days"}`;
  if (saved === null) return days;
  const { low, high } = savedKwh(saved);
  return `${count(low)} to ${kwh(high)}; ${days}`;
}

/** The numbers that it is calculated from, what it is worth, and what of it was measured. */
function formulaText({ energy, site }: Pick<ReportData, "energy" | "site">): string {
  const { saved } = energy;
  if (saved === null) return missingText(energy);
  const lost = `${kwh(saved.lostWithout.value)} lost without the cleanings of this range, ${kwh(saved.lost.value)} with them`;
  const { tariff_per_kwh: tariff, currency } = site;
  const worth =
    tariff === null || currency === null
      ? []
      : [`worth ${count(savedKwh(saved).value * tariff)} ${currency} at ${tariff} ${currency} per kWh`];
  return [lost, ...worth, ...uncountedTexts(energy), measuredText(energy)].join("; ");
}

function uncountedTexts({ uncountedRuns }: ReportEnergy): string[] {
  return uncountedRuns === 0
    ? []
    : [`${countOf(uncountedRuns, "run of unknown share is", "runs of unknown share are")} not counted`];
}

/** At most so many are named. */
const NAMED_CLEANINGS = 2;

function measuredText({ measured }: ReportEnergy): string {
  if (measured === null) return "nothing of it is measured";
  const { cleanings, verified } = measured;
  if (verified.length === 0) {
    return cleanings === 0
      ? "measured energy covers no cleaning of this range"
      : `measured energy verifies none of ${countOf(cleanings, "day", "days")} with cleanings`;
  }
  const named = verified.slice(0, NAMED_CLEANINGS).map(({ date, gain }) => {
    const [value, low, high] = [gain.value, gain.low, gain.high].map((share) => oneDecimal(share * 100));
    return `${dayOfMonth(date)}: +${value} % (${low} to ${high} %)`;
  });
  const days = `${outOf(verified.length, cleanings)} ${cleanings === 1 ? "day" : "days"} with cleanings`;
  return `measured energy verifies ${days} (${named.join(", ")}${verified.length > named.length ? ", ..." : ""})`;
}

/** Its row on the first page. */
export function energyFigure(data: ReportData) {
  const { before } = data;
  const row = {
    label: ENERGY_SAVED,
    formula: formulaText(data),
    value: valueText(data),
    coverage: coverageText(data),
  };
  if (before === null) {
    return { ...row, before: "", coverageBefore: "", change: "", changeNote: "", changeColor: theme.muted };
  }
  const earlier = { before: valueText(before), coverageBefore: coverageText(before), changeColor: theme.text };
  const compared = ({ energy: { saved }, range }: RangeEnergy) => {
    return { value: saved && savedKwh(saved).value, days: saved?.days ?? 0, ofDays: range.days };
  };
  const change = changeOf(compared(data), compared(before), "count");
  if (change.kind !== "CHANGE") {
    const changeNote = change.kind === "UNEVEN" ? "too few days to compare" : "no data to compare";
    return { ...row, ...earlier, change: "\u2013", changeNote, changeColor: theme.muted };
  }
  const { by } = change;
  // More is saved where there is more dust as well: that is neither better nor worse.
  const text = by === 0 ? "No change" : `${by > 0 ? "+" : "\u2212"}${kwh(Math.abs(by))}`;
  return { ...row, ...earlier, change: text, changeNote: "" };
}

export interface EnergyDefinition {
  readonly label: string;
  readonly note: string;
  readonly value: string;
  readonly how: string;
}

/** How it is calculated, for the appendix. */
export function energyDefinitions(data: ReportData): EnergyDefinition[] {
  const { energy } = data;
  const { saved, measured } = energy;
  const none = "Not known";
  const band = (lost: { readonly value: number; readonly low: number; readonly high: number } | undefined) =>
    lost === undefined ? "" : `${count(lost.low)} to ${kwh(lost.high)}`;
  const by =
    saved?.model === "kimber"
      ? "Kimber's rule of thumb (0.15 % a day until rain or a run), for want of particles"
      : "the HSU model, from fine and coarse particles in the air and rain";
  return [
    {
      label: ENERGY_SAVED,
      note: coverageText(data),
      value: valueText(data),
      how: `Energy lost without the cleanings \u2212 energy lost with them, each in whole kWh, on the days of the range whose hours of particles, rain and irradiation are all known. It is modelled, not measured, by ${by}; the band is that of half and of twice the particles. What these cleanings save after the end of the range is not in it.`,
    },
    {
      label: "Energy lost with the cleanings",
      note: band(saved?.lost),
      value: saved === null ? none : kwh(saved.lost.value),
      how: `(1 \u2212 soiling ratio) \u00d7 energy of clean panels, which is DC capacity \u00d7 irradiation on the panels \u00d7 performance ratio. The site's robots of today clean equal rows; a run takes dust by its minutes of those planned. Rows are taken to be clean 92 days before the range. ${countOf(energy.runs, "run of the range counts", "runs of the range count")}, ${count(energy.uncountedRuns)} cannot be counted because nobody knows how long their rows take.`,
    },
    {
      label: "Energy lost without the cleanings",
      note: band(saved?.lostWithout),
      value: saved === null ? none : kwh(saved.lostWithout.value),
      how: "The same as if no run of the range had cleaned; rain, and runs before the range, clean in both.",
    },
    {
      label: "Cleanings verified by measured energy",
      note: measured === null ? "nothing measured" : "",
      value: measured === null ? none : outOf(measured.verified.length, measured.cleanings),
      how: "Days with cleanings after which measured energy, of what clean panels would have given, was higher than before by more than chance: at least three comparable days on both sides without rain or another run. Robots that clean every night are never verified in this way, and what is not verified may have cleaned all the same.",
    },
  ];
}
