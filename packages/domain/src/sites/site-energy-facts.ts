import type { FieldError } from "@suncrew/contract/http/error.ts";
import { type EnergyFact, type EnergyFacts, energyFactsSchema } from "@suncrew/contract/sites/site-energy-facts.ts";
import type { CorrectedFact } from "@suncrew/contract/soiling/soiling.ts";

/** Most models assume a perfect wash; a dry brush leaves some. */
export const DEFAULT_CLEANING_EFFECTIVENESS_PERCENT = 95;
/** A few weeks of dust in a dry season. */
export const DEFAULT_SOILING_ALERT_PERCENT = 5;

export const ENERGY_FACTS = energyFactsSchema.keyof().options;
/** A site of which none is known. */
export const noEnergyFacts: EnergyFacts = energyFactsSchema.parse({});

/** The share of the soiling that a cleaning removes, in percent. */
export function cleaningEffectivenessOf(site: Pick<EnergyFacts, "cleaning_effectiveness_percent">): number {
  return site.cleaning_effectiveness_percent ?? DEFAULT_CLEANING_EFFECTIVENESS_PERCENT;
}

/** The loss from which a site needs attention, in percent. */
export function soilingAlertOf(site: Pick<EnergyFacts, "soiling_alert_percent">): number {
  return site.soiling_alert_percent ?? DEFAULT_SOILING_ALERT_PERCENT;
}

/** What the settling mass is multiplied by: 1 unless a station, or a person, has shown that the place is dustier. */
export function soilingRateFactorOf(site: Pick<EnergyFacts, "soiling_rate_factor">): number {
  return site.soiling_rate_factor ?? 1;
}

/** What a request changes: facts that it leaves out stay as they are. */
export type SentEnergyFacts = { readonly [Fact in EnergyFact]?: EnergyFacts[Fact] | undefined };

/** The facts after a request. */
export function changedEnergyFacts(before: EnergyFacts, sent: SentEnergyFacts): EnergyFacts {
  const given = ENERGY_FACTS.filter((fact) => sent[fact] !== undefined).map((fact) => [fact, sent[fact]]);
  return energyFactsSchema.parse({ ...before, ...Object.fromEntries(given) });
}

/** Facts that mean nothing without another one, as an error of the one that is missing. Blank is unknown, as in a form. */
export function energyFactErrors(site: { readonly [Fact in JoinedFact]: EnergyFacts[Fact] | string }): FieldError[] {
  const isKnown = (fact: JoinedFact) => site[fact] !== null && site[fact] !== "";
  const [hasTariff, hasPrice] = [isKnown("tariff_per_kwh"), isKnown("cleaning_price")];
  const errors: FieldError[] = [];
  if (!isKnown("currency") && (hasTariff || hasPrice)) {
    const what = hasTariff && hasPrice ? "a tariff and a cleaning price" : hasTariff ? "a tariff" : "a cleaning price";
    errors.push({ field: "currency", message: `Currency is required where there is ${what}` });
  }
  if (!isKnown("cleaning_price_per") && hasPrice) {
    const message = "Price per (run or kWp) is required where there is a cleaning price";
    errors.push({ field: "cleaning_price_per", message });
  }
  if (isKnown("control_capacity_kwp")) {
    // Text that is no number is an error of its own.
    if (!isKnown("dc_capacity_kwp")) {
      const message = "DC capacity is required where there is a capacity of control rows";
      errors.push({ field: "dc_capacity_kwp", message });
    } else if (Number(site.control_capacity_kwp) >= Number(site.dc_capacity_kwp)) {
      const message = "Capacity of control rows must be less than the DC capacity, of which it is a part";
      errors.push({ field: "control_capacity_kwp", message });
    }
  }
  return errors;
}
type JoinedFact =
  | "dc_capacity_kwp"
  | "control_capacity_kwp"
  | "tariff_per_kwh"
  | "currency"
  | "cleaning_price"
  | "cleaning_price_per";

/** A fact that is corrected by what was measured, in words. */
export function correctedFactText(fact: CorrectedFact, value: number): string {
  return fact === "soiling_rate_factor" ? `particles \u00d7${value}` : `performance ratio ${value}\u00a0%`;
}

/** The facts that are known, in words, in the order of the form. */
export function energyFactTexts(site: EnergyFacts): string[] {
  const { currency, cleaning_price_per: per } = site;
  const text = (value: number | null, textOf: (number: string) => string) =>
    value === null ? [] : [textOf(value.toLocaleString("en-GB", { maximumFractionDigits: 6 }))];
  return [
    ...text(site.dc_capacity_kwp, (number) => `${number} kWp DC`),
    ...text(site.control_capacity_kwp, (number) => `of it ${number} kWp in control rows`),
    ...text(site.tilt_degrees, (number) => `tilt ${number}\u00b0`),
    ...text(site.azimuth_degrees, (number) => `azimuth ${number}\u00b0`),
    ...text(site.performance_ratio_percent, (number) => `performance ratio ${number} % when clean`),
    ...text(site.tariff_per_kwh, (number) => `tariff ${number} ${currency} per kWh`),
    ...text(site.cleaning_price, (number) => `cleaning ${number} ${currency} per ${per === "run" ? "run" : "kWp"}`),
    ...text(site.cleaning_effectiveness_percent, (number) => `cleaning removes ${number} %`),
    ...text(site.wet_wash_litres_per_kwp, (number) => `wet wash ${number} l per kWp`),
    ...text(site.soiling_rate_factor, (number) => `particles \u00d7${number} in the soiling model`),
    ...text(site.soiling_alert_percent, (number) => `attention from a loss of ${number} %`),
  ];
}

const forLoss = ["tilt_degrees"] as const;
const forEnergy = ["dc_capacity_kwp", ...forLoss, "azimuth_degrees", "performance_ratio_percent"] as const;
const forMoney = [...forEnergy, "tariff_per_kwh", "currency"] as const;

/** The facts that each figure needs: soiling, energy lost, money lost, and the night on which a cleaning pays. */
export const factsNeededFor = {
  loss: forLoss,
  energy: forEnergy,
  money: forMoney,
  worth: [...forMoney, "cleaning_price"],
} as const satisfies Record<string, readonly EnergyFact[]>;
export type EnergyFigure = keyof typeof factsNeededFor;
export type NeededFact = (typeof factsNeededFor)[EnergyFigure][number];

/** What is not known of a site that a figure needs, in the order of the form. */
export function missingFacts(site: Pick<EnergyFacts, NeededFact>, figure: EnergyFigure = "worth"): NeededFact[] {
  return factsNeededFor[figure].filter((fact) => site[fact] === null);
}
