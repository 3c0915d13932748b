import type { FieldError } from "@suncrew/contract/http/error.ts";
import { type EnergyFact, type EnergyFacts, energyFactsSchema } from "@suncrew/contract/sites/site-energy-facts.ts";

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

/** What a request changes: facts that it leaves out stay as they are. */
export type SentEnergyFacts = { readonly [Fact in EnergyFact]?: EnergyFacts[Fact] | undefined };

/** The facts after a request. */
export function changedEnergyFacts(before: EnergyFacts, sent: SentEnergyFacts): EnergyFacts {
  const given = ENERGY_FACTS.filter((fact) => sent[fact] !== undefined).map((fact) => [fact, sent[fact]]);
  return energyFactsSchema.parse({ ...before, ...Object.fromEntries(given) });
}

/** Facts that mean nothing without another one, as an error of the one that is missing. */
export function energyFactErrors(site: Pick<EnergyFacts, JoinedFact>): FieldError[] {
  const hasTariff = site.tariff_per_kwh !== null;
  const hasPrice = site.cleaning_price !== null;
  const errors: FieldError[] = [];
  if (site.currency === null && (hasTariff || hasPrice)) {
    const what = hasTariff && hasPrice ? "a tariff and a cleaning price" : hasTariff ? "a tariff" : "a cleaning price";
    errors.push({ field: "currency", message: `Currency is required where there is ${what}` });
  }
  if (site.cleaning_price_per === null && hasPrice) {
    errors.push({
      field: "cleaning_price_per",
      message: "Price per (run or kWp) is required where there is a cleaning price",
    });
  }
  return errors;
}
type JoinedFact = "tariff_per_kwh" | "currency" | "cleaning_price" | "cleaning_price_per";

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
