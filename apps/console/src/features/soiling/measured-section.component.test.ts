import {
  correctModel,
  measuredComparison,
  type SiteComparison,
} from "@suncrew/contract/measurements/measured-against-model.ts";
import {
  deleteMeasurements,
  exportMeasurements,
  importMeasurements,
} from "@suncrew/contract/measurements/measurements.ts";
import { siteSoiling } from "@suncrew/contract/soiling/soiling.ts";
import { beforeEach, expect, test } from "vitest";
import { page } from "vitest/browser";
import { when } from "../../../test/answers.ts";
import {
  expectAccessible,
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
      not_counted: nth === 3 ? "CURTAILED" : nth % 10 === 5 ? "CLOUDY" : null,
    })),
    energy: { days: 35, bias: { value: 0.958, low: 0.94, high: 0.971 } },
    correction: { from: 80, to: 76.64 },
    station: { days: 5, bias: null },
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
  when(siteSoiling).answer({
    site_id: 1,
    basis: "modelled",
    model: null,
    missing: [],
    source: null,
    received_at: null,
    is_stale: false,
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
  });
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

test("§11 Measured: the model is corrected after a question that says what changes, and not without", async () => {
  let corrected = false;
  when(measuredComparison).answer(() => comparisonOf(corrected ? { correction: null } : {}));
  const sent = when(correctModel).answer(() => {
    corrected = true;
    return { message: "The performance ratio is 76.64 % now.", performance_ratio_percent: 76.64 };
  });
  await openConsole(TAB);
  const button = measured.getByRole("button", { name: "Correct the model" });
  await button.click();
  const question = page.getByRole("dialog", { name: "Correct the Model" });
  await expectContains(question, "The performance ratio of clean panels becomes 76.64 % instead of 80 %.");
  await question.getByRole("button", { name: "Cancel" }).click();
  expect(sent).toEqual([]);
  await button.click();
  await question.getByRole("button", { name: "Set 76.64 %" }).click();
  await expectToast("Model Corrected", "The performance ratio is 76.64 % now.");
  expect(sent).toMatchObject([{ params: { siteId: 1 }, body: { from: 80, to: 76.64 } }]);
  await expectCount(button, 0);
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

test("§11 Measured: on a phone nothing is wider than the screen", async () => {
  await page.viewport(390, 844);
  when(measuredComparison).answer(comparisonOf());
  await openConsole(TAB);
  await expectContains(measured, "4.2 % less than modelled");
  await expectNoSidewaysScroll();
  await expectAccessible(measured);
});
