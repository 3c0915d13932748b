import {
  correctModel,
  measuredComparison,
  type SiteComparison,
  takeCorrectionBack,
} from "@suncrew/contract/measurements/measured-against-model.ts";
import {
  deleteMeasurements,
  exportMeasurements,
  importMeasurements,
} from "@suncrew/contract/measurements/measurements.ts";
import { type SiteSoiling, siteSoiling } from "@suncrew/contract/soiling/soiling.ts";
import { beforeEach, expect, test } from "vitest";
import { page } from "vitest/browser";
import { when } from "../../../test/answers.ts";
import {
  expectAccessible,
  expectColumnsSeen,
  expectContains,
  expectCount,
  expectNoSidewaysScroll,
  expectToast,
  pressRetry,
} from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";
import { BHADLA } from "../../../test/sample-fleet.ts";
import { nextSavedFile } from "../../../test/saved-files.ts";
import { chooseTheme } from "../../ui/theme/theme-choice.ts";

const TAB = "/dashboard?site=1&tab=soiling";
const measured = page.getByRole("region", { name: "Measured", exact: true });

const DAY_MS = 86_400_000;
const dateOf = (nth: number) => new Date(Date.parse("2026-05-01") + nth * DAY_MS).toISOString().slice(0, 10);

const unknownSoiling: SiteSoiling = {
  site_id: 1,
  basis: "modelled",
  model: null,
  missing: [],
  source: null,
  received_at: null,
  is_stale: false,
  soiling_rate_factor: 1,
  corrections: [],
  is_beyond_measured: false,
  coverage_percent: 0,
  ratio: null,
  second_opinion: null,
  last_cleaning: null,
  lost_kwh: null,
  lost_money: null,
  currency: null,
  cleaning_price: null,
  tonight_gain_kwh: null,
  tonight_gain_money: null,
  next_night: { date: null, is_extrapolated: false, reason: "UNKNOWN", reason_params: {}, text: "" },
  worth_from_percent: null,
  best_interval_days: null,
  uncounted_runs: 0,
  days: [],
};

function comparisonOf(change: Partial<SiteComparison> = {}): SiteComparison {
  return {
    site_id: 1,
    first: "2026-03-01",
    last: dateOf(39),
    source: "meter",
    days: Array.from({ length: 40 }, (_, nth) => ({
      date: dateOf(nth),
      measured_kwh: 41_000 + 10 * nth,
      clean_kwh: 45_000,
      index: (41_000 + 10 * nth) / 45_000,
      modelled_ratio: 0.96,
      station_ratio: nth < 5 ? 0.94 : null,
      control_gain: null,
      not_counted: nth === 3 ? "CURTAILED" : nth % 10 === 5 ? "CLOUDY" : null,
    })),
    energy: { days: 35, bias: { value: 0.958, low: 0.94, high: 0.971 } },
    station: { days: 5, bias: null },
    proposed: [{ fact: "performance_ratio_percent", from: 80, to: 76.64 }],
    control: null,
    cleanings: [
      {
        date: dateOf(30),
        runs: 3,
        cleaned_share: 0.6,
        days_before: 6,
        days_after: 5,
        verdict: "VERIFIED",
        gain: { value: 0.031, low: 0.008, high: 0.054 },
        detectable: 0.023,
      },
      {
        date: dateOf(20),
        runs: 1,
        cleaned_share: 0.2,
        days_before: 4,
        days_after: 4,
        verdict: "NOT_MEASURABLE",
        gain: { value: 0.01, low: -0.011, high: 0.031 },
        detectable: 0.021,
      },
      {
        date: dateOf(18),
        runs: 1,
        cleaned_share: 1.2,
        days_before: 7,
        days_after: 1,
        verdict: "NOT_MEASURABLE",
        gain: null,
        detectable: null,
      },
    ],
    ...change,
  };
}

beforeEach(() => {
  when(siteSoiling).answer(unknownSoiling);
});

test("§11 Measured: with nothing measured one line names the two ways to bring it in", async () => {
  await openConsole(TAB);
  await expectContains(measured, "Nothing yet. Import a CSV file of the site’s energy or of a soiling station");
  await expectContains(measured, "or send it by API: POST /api/measurements/1");
  await expect.element(measured.getByRole("button", { name: "Import" })).toBeVisible();
  await expectCount(measured.getByRole("button"), 1);
  await expectCount(measured.getByRole("table"), 0);
  await expectAccessible(measured);
});

test("§11 Measured: the model's bias with its interval and days, and only cleanings that the data can carry are verified", async () => {
  when(measuredComparison).answer(comparisonOf());
  await openConsole(TAB);
  await expectContains(measured, "From 1 Mar 2026 to 9 Jun 2026; the last 92 days are compared with the model.");
  const energy = measured.getByRole("region", { name: "Energy against the model" });
  await expectContains(energy, "4.2 % less than modelled");
  await expectContains(
    energy,
    "Between 94.0 and 97.1 % of what is modelled (in 95 of 100 cases), from 35 clear days by",
  );
  await expectContains(energy, "the meter.");
  await expectContains(energy, "Not counted: 1 curtailed, 4 cloudy.");
  const station = measured.getByRole("region", { name: "Station against the model" });
  await expectContains(station, "Not known yet");
  await expectContains(station, "5 of the 10 dry days");
  await expectContains(measured.getByRole("region", { name: "Cleanings verified" }), "1 of 3");
  const cleanings = measured.getByRole("list", { name: "Cleanings" }).getByRole("listitem");
  await expectContains(
    cleanings.nth(0),
    "3 runs, 60.0 % of the rows: verified, 3.1 % more energy (between 0.8 and 5.4 %)",
  );
  await expectContains(cleanings.nth(1), "not measurable; these days show a gain from 2.1 % on.");
  await expectContains(cleanings.nth(2), "1 cleaning is not measurable: it takes 3 days that count before and after");
  await expectContains(cleanings.nth(2), "Such days show a gain from 2.3 % on.");
  const table = measured.getByRole("table", { name: "Measured days" });
  await expect.element(table).toHaveAttribute("aria-rowcount", "41");
  await expectContains(table.getByRole("row").nth(1), "9 Jun");
  for (const theme of ["light", "dark"] as const) {
    chooseTheme(theme);
    await expectAccessible(measured);
  }
});

test("§11 Measured: the model is corrected after a question that says what changes, and taken back", async () => {
  let inForce: SiteSoiling["corrections"] = [];
  when(measuredComparison).answer(() => comparisonOf(inForce.length > 0 ? { proposed: [] } : {}));
  when(siteSoiling).answer(() => ({ ...unknownSoiling, corrections: inForce }));
  const sent = when(correctModel).answer(() => {
    const correction = { fact: "performance_ratio_percent", from: 80, to: 76.64 } as const;
    inForce = [{ ...correction, by: "Asha Rao", at: "2026-06-10T20:00:00.000Z" }];
    return { message: "The soiling model counts with performance ratio 76.64 % now." };
  });
  const taken = when(takeCorrectionBack).answer(() => {
    inForce = [];
    return { message: "The soiling model counts with performance ratio 80 % again." };
  });
  await openConsole(TAB);
  const button = measured.getByRole("button", { name: "Correct the model: performance ratio 76.64 %" });
  await button.click();
  const question = page.getByRole("dialog", { name: "Correct the Model" });
  await expectContains(question, "The model counts with performance ratio 76.64 % instead of performance ratio 80 %.");
  await question.getByRole("button", { name: "Cancel" }).click();
  expect(sent).toEqual([]);
  await button.click();
  await question.getByRole("button", { name: "Set performance ratio 76.64 %" }).click();
  await expectToast("Model Corrected", "The soiling model counts with performance ratio 76.64 % now.");
  expect(sent).toMatchObject([
    { params: { siteId: 1 }, body: { fact: "performance_ratio_percent", from: 80, to: 76.64 } },
  ]);
  await expectCount(button, 0);
  const corrected = page.getByRole("group", { name: "The model is corrected" });
  // 20:00 UTC is the next day at the site.
  await expectContains(
    corrected,
    "Performance ratio 76.64 % instead of performance ratio 80 %, by Asha Rao on 11 Jun 2026.",
  );
  await expectAccessible(corrected);
  await corrected.getByRole("button", { name: "Take back performance ratio 76.64 %" }).click();
  await expectToast("Correction Taken Back", "The soiling model counts with performance ratio 80 % again.");
  expect(taken).toMatchObject([{ query: { fact: "performance_ratio_percent" } }]);
  await expectCount(corrected, 0);
  await expect.element(button).toBeVisible();
});

test("§11 Measured: figures that have changed since they were shown are shown anew, and nothing is corrected", async () => {
  let asked = 0;
  when(measuredComparison).answer(() => {
    asked += 1;
    const to = asked === 1 ? 76.64 : 75;
    return comparisonOf({ proposed: [{ fact: "performance_ratio_percent", from: 80, to }] });
  });
  when(correctModel).fail(409, {
    code: "CORRECTION_CHANGED",
    message: "The days have changed since this was shown. Look at the new figures first.",
  });
  await openConsole(TAB);
  await measured.getByRole("button", { name: "Correct the model: performance ratio 76.64 %" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Set performance ratio 76.64 %" }).click();
  await expectToast(
    "Model Not Corrected",
    "Nothing was changed.",
    "The days have changed since this was shown. Look at the new figures first.",
  );
  await expect
    .element(measured.getByRole("button", { name: "Correct the model: performance ratio 75 %" }))
    .toBeVisible();
});

test("§11 Measured: a station proposes a factor on particles; one that was entered says so", async () => {
  const station = { days: 20, bias: { value: 1.5, low: 1.3, high: 1.7 } };
  const proposed = [{ fact: "soiling_rate_factor" as const, from: 1, to: 1.61 }];
  when(measuredComparison).answer(comparisonOf({ station, proposed }));
  when(siteSoiling).answer({ ...unknownSoiling, model: "hsu", soiling_rate_factor: 1.4 });
  await openConsole(TAB);
  await expectContains(
    page.getByRole("region", { name: "Soiling", exact: true }),
    "HSU model, from particles (×1.4) and rain",
  );
  await expectContains(
    page.getByRole("group", { name: "The model is corrected" }),
    "Particles ×1.4, as entered in the form of the site.",
  );
  const part = measured.getByRole("region", { name: "Station against the model" });
  await expectContains(part, "1.50 times the model’s");
  await part.getByRole("button", { name: "Correct the model: particles ×1.61" }).click();
  await expectContains(page.getByRole("dialog"), "The model counts with particles ×1.61 instead of particles ×1.");
});

test("§11 Measured: control rows show what cleaning brings, with its interval, or that it is not measurable", async () => {
  const control = {
    missing: [],
    days: 34,
    gain: { value: 0.032, low: 0.024, high: 0.04 },
    detectable: 0.018,
    verdict: "VERIFIED" as const,
  };
  const days = comparisonOf().days.map((day) => ({ ...day, control_gain: 0.032 }));
  when(measuredComparison).answer(comparisonOf({ control, days }));
  await openConsole(TAB);
  const part = measured.getByRole("region", { name: "Control rows" });
  await expectContains(part, "3.2 % more energyBetween 2.4 and 4.0 % (in 95 of 100 cases), from 34 days that count.");
  await expectContains(measured.getByRole("table", { name: "Measured days" }), "+3.2 %");
  await part.getByRole("button", { name: "About control rows" }).click();
  await expectContains(page.getByRole("dialog", { name: "About control rows" }), "left out on purpose");
});

test.each([
  [
    { days: 34, gain: { value: 0.008, low: -0.002, high: 0.018 }, detectable: 0.02 },
    "Not measurableBetween -0.2 and 1.8 % (in 95 of 100 cases), from 34 days that count. These days show a gain from 2.0 % on: rows differ by 1.0 % anyway.",
  ],
  [
    { days: 34, gain: { value: -0.1, low: -0.12, high: -0.08 }, detectable: 0.03 },
    "Cleaned rows gave less: check the capacity of the control rows.",
  ],
  [{ days: 1, gain: null, detectable: null }, "Not known yet1 day that counts of the 3 that it takes."],
])("§11 Measured: control rows without a result: %j", async (figures, words) => {
  const control = { missing: [], ...figures, verdict: "NOT_MEASURABLE" as const };
  when(measuredComparison).answer(comparisonOf({ control }));
  await openConsole(TAB);
  await expectContains(measured.getByRole("region", { name: "Control rows" }), words);
});

test("§11 Measured: control rows without their capacity lead to the site's form", async () => {
  const missing = ["control_capacity_kwp" as const];
  const none = { days: 0, gain: null, detectable: null, verdict: "NOT_MEASURABLE" as const };
  when(measuredComparison).answer(comparisonOf({ control: { missing, ...none } }));
  await openConsole(TAB);
  const part = measured.getByRole("region", { name: "Control rows" });
  await expectContains(part, "It takes their capacity, beside that of the site.");
  await part.getByRole("button", { name: "Enter them" }).click();
  await expect.element(page.getByRole("dialog").getByLabelText("Control rows (kWp)")).toBeVisible();
});

test("§11 Measured: where there are no control rows it is said how to set them up", async () => {
  when(measuredComparison).answer(comparisonOf());
  await openConsole(TAB);
  const part = measured.getByRole("region", { name: "Control rows" });
  await expectContains(part, "None yet");
  await part.getByRole("button", { name: "How to set them up" }).click();
  const how = page.getByRole("dialog", { name: "About control rows" });
  await expectContains(how, "Enter their capacity in the site’s form");
  await expectAccessible(how);
});

test("§11 Measured: a bias whose interval contains the model is none", async () => {
  when(measuredComparison).answer(
    comparisonOf({
      source: "inverter",
      energy: { days: 12, bias: { value: 0.99, low: 0.97, high: 1.01 } },
      station: { days: 30, bias: { value: 1.42, low: 1.2, high: 1.6 } },
    }),
  );
  await openConsole(TAB);
  await expectContains(measured.getByRole("region", { name: "Energy against the model" }), "As modelled");
  await expectContains(measured, "by the inverters");
  await expectContains(measured.getByRole("region", { name: "Station against the model" }), "1.42 times the model’s");
});

test("§11 Measured: days from before the model's say so", async () => {
  when(measuredComparison).answer(comparisonOf({ days: [], source: null, cleanings: [] }));
  await openConsole(TAB);
  await expectContains(measured, "The days that are measured are older than those of the model.");
});

test("§11 Measured: a file is checked row by row, then stored, and the comparison follows", async () => {
  let stored = false;
  when(measuredComparison).answer(() => (stored ? comparisonOf() : comparisonOf({ ...none })));
  const sent = when(importMeasurements).answer(({ body }) => {
    stored = body.apply ?? false;
    return {
      message: "",
      applied: stored,
      rows: [{ row: 2, name: "2026-05-01", day: "2026-05-01", problems: [] }],
      problems: [],
    };
  });
  await openConsole(TAB);
  await measured.getByRole("button", { name: "Import" }).click();
  const dialog = page.getByRole("dialog", { name: "Import Measurements" });
  await expectContains(dialog, `For ${BHADLA}: start is a day`);
  await expectContains(dialog, "control_energy_kwh");
  const input = dialog.element().querySelector("input[type=file]");
  if (input === null) throw new Error("There is no file input.");
  const file = new File(["start,meter_energy_kwh\n2026-05-01,41000\n"], "meter.csv", { type: "text/csv" });
  await page.elementLocator(input).upload(file);
  await expectContains(dialog.getByRole("row").nth(1), "Can be stored");
  await dialog.getByRole("button", { name: "Import 1 measurement" }).click();
  await expectToast("Measurements Imported", "1 measurement has been successfully stored.");
  expect(sent.map(({ params, body }) => [params.siteId, body.apply])).toEqual([
    [1, false],
    [1, true],
  ]);
  await expectContains(measured, "4.2 % less than modelled");
});

const none = { first: null, last: null, source: null, days: [], cleanings: [] } satisfies Partial<SiteComparison>;

test("§11 Measured: days are exported as a file, and deleted after a question; a refusal stays there", async () => {
  when(measuredComparison).answer(comparisonOf({ first: "2024-01-01" }));
  const exported = when(exportMeasurements).answer("start\n");
  await openConsole(TAB);
  await measured.getByRole("button", { name: "Export" }).click();
  expect((await nextSavedFile()).text).toBe("start\n");
  // As many days as one file has.
  expect(exported).toMatchObject([{ query: { from: "2025-05-06", to: "2026-06-09" } }]);

  await measured.getByRole("button", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete Measurements" });
  await dialog.getByLabelText("From").fill("1 May 2026");
  when(deleteMeasurements).fail(503, { message: "The database is busy." });
  await dialog.getByRole("button", { name: "Delete Measurements" }).click();
  await expectContains(dialog, "The database is busy.");
  const deleted = when(deleteMeasurements).answer({ message: "40 measurements were deleted.", deleted: 40 });
  await dialog.getByRole("button", { name: "Try again" }).click();
  await expectToast("Measurements Deleted", "40 measurements were deleted.");
  expect(deleted).toMatchObject([{ query: { from: "2026-05-01", to: "2026-06-09" } }]);
  await expectCount(dialog, 0);
});

test("§11 Measured: a failed call says so, and Retry reads again", async () => {
  when(measuredComparison).fail(500, { message: "Broken." });
  await openConsole(TAB);
  await expectContains(measured, "What is measured at this site could not be loaded.");
  await pressRetry(() => when(measuredComparison).answer(comparisonOf()), measured.getByRole("table"), measured);
});

for (const width of [390, 768, 1024, 1280, 1440]) {
  test(`§11 Measured: nothing is wider than the screen, and the days are seen whole, ${width} px wide`, async () => {
    await page.viewport(width, 844);
    when(measuredComparison).answer(comparisonOf());
    await openConsole(TAB);
    await expectContains(measured, "4.2 % less than modelled");
    await expectNoSidewaysScroll();
    await expectColumnsSeen(measured);
    await expectAccessible(measured);
  });
}
