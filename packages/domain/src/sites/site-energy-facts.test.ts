import { siteBodySchema } from "@suncrew/contract/sites/site-forms.ts";
import { describe, expect, test } from "vitest";
import {
  changedEnergyFacts,
  cleaningEffectivenessOf,
  energyFactErrors,
  energyFactTexts,
  missingFacts,
  noEnergyFacts,
  soilingAlertOf,
} from "./site-energy-facts.ts";

const known = {
  ...noEnergyFacts,
  dc_capacity_kwp: 10_000,
  tilt_degrees: 20,
  azimuth_degrees: 180,
  performance_ratio_percent: 82,
  tariff_per_kwh: 2.5,
  currency: "INR",
  cleaning_price: 8_000,
  cleaning_price_per: "run" as const,
};

describe("Energy facts of a site: as entered", () => {
  const parsed = (fact: keyof typeof noEnergyFacts, value: unknown) => {
    const result = siteBodySchema.shape[fact].safeParse(value);
    return result.success ? result.data : result.error.issues.map(({ message }) => message);
  };

  test.each([
    ["dc_capacity_kwp", "10000.5", 10_000.5],
    ["dc_capacity_kwp", " .25 ", 0.25],
    ["tilt_degrees", 0, 0],
    ["tariff_per_kwh", "2.1234567", 2.123457],
    ["currency", " inr ", "INR"],
    ["currency", " ", null],
    ["cleaning_price_per", "kwp", "kwp"],
    ["cleaning_price_per", "", null],
    ["soiling_alert_percent", "  ", null],
    ["soiling_alert_percent", null, null],
    ["azimuth_degrees", undefined, undefined],
  ] as const)("%s %j is %j", (fact, value, expected) => {
    expect(parsed(fact, value)).toBe(expected);
  });

  test.each([
    ["dc_capacity_kwp", 0, "DC capacity must be a number from 0.001 to 5,000,000"],
    ["dc_capacity_kwp", "10,000", "DC capacity must be a number from 0.001 to 5,000,000"],
    ["dc_capacity_kwp", 5_000_001, "DC capacity must be a number from 0.001 to 5,000,000"],
    ["tilt_degrees", 91, "Tilt must be a number from 0 to 90"],
    ["tilt_degrees", "-1", "Tilt must be a number from 0 to 90"],
    ["azimuth_degrees", 360, "Azimuth must be a number from 0 to 359.99"],
    ["performance_ratio_percent", 9.9, "Performance ratio must be a number from 10 to 100"],
    ["tariff_per_kwh", "abc", "Tariff must be a number from 0 to 1,000,000"],
    ["tariff_per_kwh", Number.NaN, "Tariff must be a number from 0 to 1,000,000"],
    ["currency", "Rupees", "Currency must be a code of three letters, such as INR"],
    ["currency", "QQQ", "Currency must be a code of three letters, such as INR"],
    ["currency", 7, "Currency must be a code of three letters, such as INR"],
    ["cleaning_price", true, "Cleaning price must be a number from 0 to 1,000,000,000"],
    ["control_capacity_kwp", 0, "Capacity of control rows must be a number from 0.001 to 5,000,000"],
    ["soiling_rate_factor", 0.09, "Factor on particles must be a number from 0.1 to 10"],
    ["soiling_rate_factor", "10.1", "Factor on particles must be a number from 0.1 to 10"],
    ["cleaning_price_per", "panel", "Price per must be run or kwp"],
    ["cleaning_effectiveness_percent", 0.5, "Cleaning effectiveness must be a number from 1 to 100"],
    ["wet_wash_litres_per_kwp", -1, "Water of a wet wash must be a number from 0 to 1,000"],
    ["soiling_alert_percent", 0.4, "Soiling alert must be a number from 0.5 to 50"],
    ["soiling_alert_percent", {}, "Soiling alert must be a number from 0.5 to 50"],
  ] as const)("%s %j is refused", (fact, value, message) => {
    expect(parsed(fact, value)).toEqual([message]);
  });
});

test("Energy facts that a request leaves out stay, those that are null are cleared", () => {
  const site = { ...known, id: 7, name: "Bhadla" };
  const sent = { name: "Renamed", tilt_degrees: 25, azimuth_degrees: null, currency: undefined };
  expect(changedEnergyFacts(site, sent)).toEqual({ ...known, tilt_degrees: 25, azimuth_degrees: null });
});

describe("Energy facts that need each other", () => {
  test.each([
    [{}, {}],
    [{ currency: "INR", cleaning_price_per: "kwp" }, {}],
    [{ tariff_per_kwh: 0 }, { currency: "Currency is required where there is a tariff" }],
    [
      { cleaning_price: 0 },
      {
        currency: "Currency is required where there is a cleaning price",
        cleaning_price_per: "Price per (run or kWp) is required where there is a cleaning price",
      },
    ],
    [
      { tariff_per_kwh: 1, cleaning_price: 1, cleaning_price_per: "run" },
      { currency: "Currency is required where there is a tariff and a cleaning price" },
    ],
    [{ tariff_per_kwh: "", cleaning_price: "", currency: "" }, {}],
    [{ tariff_per_kwh: "2.5", currency: "" }, { currency: "Currency is required where there is a tariff" }],
    [
      { control_capacity_kwp: 10 },
      { dc_capacity_kwp: "DC capacity is required where there is a capacity of control rows" },
    ],
    [
      { dc_capacity_kwp: "100", control_capacity_kwp: "100" },
      { control_capacity_kwp: "Capacity of control rows must be less than the DC capacity, of which it is a part" },
    ],
    [{ dc_capacity_kwp: 100, control_capacity_kwp: 99.9 }, {}],
    [{ dc_capacity_kwp: "many", control_capacity_kwp: "1" }, {}],
    [known, {}],
  ] as const)("%j: %j", (facts, errors) => {
    const found = energyFactErrors({ ...noEnergyFacts, ...facts });
    expect(Object.fromEntries(found.map(({ field, message }) => [field, message]))).toEqual(errors);
  });
});

describe("Energy facts that a figure needs", () => {
  test("nothing is missing of a site that has them", () => {
    expect(missingFacts(known)).toEqual([]);
  });

  test("each figure names its own", () => {
    const { dc_capacity_kwp: _, ...rest } = known;
    const unknown = { ...rest, dc_capacity_kwp: null, currency: null, tariff_per_kwh: null };
    expect(missingFacts(unknown, "loss")).toEqual([]);
    expect(missingFacts(unknown, "energy")).toEqual(["dc_capacity_kwp"]);
    expect(missingFacts(unknown, "money")).toEqual(["dc_capacity_kwp", "tariff_per_kwh", "currency"]);
    expect(missingFacts(noEnergyFacts, "loss")).toEqual(["tilt_degrees"]);
    expect(missingFacts(noEnergyFacts)).toHaveLength(7);
  });

  test("what a site does not say of a cleaning and of its alert has a default", () => {
    expect([cleaningEffectivenessOf(noEnergyFacts), soilingAlertOf(noEnergyFacts)]).toEqual([95, 5]);
    const own = { cleaning_effectiveness_percent: 90, soiling_alert_percent: 2 };
    expect([cleaningEffectivenessOf(own), soilingAlertOf(own)]).toEqual([90, 2]);
  });
});

test("Energy facts in words are those that are known", () => {
  expect(energyFactTexts(noEnergyFacts)).toEqual([]);
  const corrected = { control_capacity_kwp: 250, soiling_rate_factor: 1.4 };
  const rest = {
    ...corrected,
    cleaning_effectiveness_percent: 92,
    wet_wash_litres_per_kwp: 1.2,
    soiling_alert_percent: 3,
  };
  expect(energyFactTexts({ ...known, ...rest, tilt_degrees: 0 })).toEqual([
    "10,000 kWp DC",
    "of it 250 kWp in control rows",
    "tilt 0\u00b0",
    "azimuth 180\u00b0",
    "performance ratio 82 % when clean",
    "tariff 2.5 INR per kWh",
    "cleaning 8,000 INR per run",
    "cleaning removes 92 %",
    "wet wash 1.2 l per kWp",
    "particles \u00d71.4 in the soiling model",
    "attention from a loss of 3 %",
  ]);
  const perKwp = { ...noEnergyFacts, cleaning_price: 0.9, cleaning_price_per: "kwp" as const, currency: "EUR" };
  expect(energyFactTexts(perKwp)).toEqual(["cleaning 0.9 EUR per kWp"]);
});
