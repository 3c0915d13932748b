import { gapLook } from "@suncrew/domain/soiling/soiling-gaps.ts";
import { expect, test } from "vitest";
import {
  energyBandText,
  energyText,
  lossOf,
  missingLines,
  modelText,
  moneyBandText,
  moneyText,
  percentBandText,
  percentText,
  rainText,
  runsText,
  shortDateText,
} from "./soiling-text.ts";

/** As it is read: spaces that keep a unit at its number are spaces. */
const said = (text: string) => text.replaceAll("\u00a0", " ");

test.each([
  [0, "0 kWh"],
  [0.04, "0 kWh"],
  [-0.01, "0 kWh"],
  [0.5, "0.5 kWh"],
  [9.94, "9.9 kWh"],
  [9.96, "10 kWh"],
  [312.4, "312 kWh"],
  [999.4, "999 kWh"],
  [999.6, "1.00 MWh"],
  [4_213, "4.21 MWh"],
  [99_960, "100 MWh"],
  [999_600, "1.00 GWh"],
])("energy has three digits that count and the unit in which it reads well: %s kWh is %s", (kwh, text) => {
  expect(said(energyText(kwh))).toBe(text);
});

test("a band names its unit once, or both where they differ", () => {
  expect(said(energyBandText({ value: 500, low: 310, high: 980 }))).toBe("between 310 and 980 kWh");
  expect(said(energyBandText({ value: 900, low: 310, high: 1_980 }))).toBe("between 310 kWh and 1.98 MWh");
  expect(said(percentBandText({ value: 0.96, low: 0.941, high: 0.982 }))).toBe("between 94.1 and 98.2 %");
  expect(said(moneyBandText({ value: 3_000, low: 2_200, high: 4_700 }, "INR"))).toBe(
    "between \u20b92,200 and \u20b94,700",
  );
});

test("money has its smaller unit only below a hundred, and no sign at zero", () => {
  const texts = [3_100.4, 99.5, 99.4, 0, -0.001].map((amount) => said(moneyText(amount, "INR")));
  expect(texts).toEqual(["\u20b93,100", "\u20b9100", "\u20b999.40", "\u20b90", "\u20b90.00"]);
});

test("shares, losses, rain, dates and runs", () => {
  expect([said(percentText(0.9667)), said(percentText(-0.00001))]).toEqual(["96.7 %", "0.0 %"]);
  expect(lossOf({ value: 0.75, low: 0.5, high: 1 })).toEqual({ value: 0.25, low: 0, high: 0.5 });
  expect([0, 3.42, 14.2].map((mm) => said(rainText(mm)))).toEqual(["0 mm", "3.4 mm", "14 mm"]);
  expect(shortDateText("2026-11-28")).toBe("Sat 28 Nov");
  expect(said(runsText({ runs: 1, cleaned_share: 0.25 }))).toBe("1 run, 25 % of the rows cleaned");
  expect(said(runsText({ runs: 1_200, cleaned_share: 2 }))).toBe("1,200 runs, 100 % of the rows cleaned");
  expect(modelText({ model: "kimber", soiling_rate_factor: 1 }, true)).toBe(
    "Kimber's rule of thumb, from sample rain alone",
  );
  expect(modelText({ model: "hsu", soiling_rate_factor: 1 }, false)).toBe("HSU model, from particles and rain");
  expect(modelText({ model: "hsu", soiling_rate_factor: 1.5 }, false)).toContain("particles (\u00d71.5) and rain");
});

test("each missing thing is named once, with the first figure that needs it, and nothing is left out", () => {
  const ratio = { value: 0.95, low: 0.9, high: 0.98 };
  expect(missingLines({ missing: [], ratio })).toEqual([]);
  expect(missingLines({ missing: ["dc_capacity_kwp", "tilt_degrees", "currency"], ratio })).toEqual([
    { figure: "Energy needs", needs: "DC capacity and tilt" },
    { figure: "Money needs", needs: "currency" },
  ]);
  const every = Object.entries(gapLook);
  const missing = (Object.keys(gapLook) as (keyof typeof gapLook)[]).toReversed();
  const lines = missingLines({ missing, ratio: null });
  expect(lines[0]).toEqual({ figure: "The soiling ratio needs", needs: "rain, robots and tilt" });
  const words = lines.flatMap(({ needs }) => needs.split(/, | and /));
  expect(words.toSorted()).toEqual(every.map(([, look]) => look.words).toSorted());
});
