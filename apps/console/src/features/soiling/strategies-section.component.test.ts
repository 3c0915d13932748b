import { type SiteStrategies, siteStrategies } from "@suncrew/contract/soiling/soiling-strategies.ts";
import { siteSoiling } from "@suncrew/contract/soiling/soiling.ts";
import { beforeEach, expect, test } from "vitest";
import { page } from "vitest/browser";
import { when } from "../../../test/answers.ts";
import {
  expectAccessible,
  expectContains,
  expectCount,
  expectNoSidewaysScroll,
  pressRetry,
} from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";
import { sampleSoiling } from "../../../test/sample-fleet.ts";
import { chooseTheme } from "../../ui/theme/theme-choice.ts";

beforeEach(() => when(siteSoiling).answer(sampleSoiling()));

const TAB = "/dashboard?site=1&tab=soiling";
const card = page.getByRole("region", { name: "Cleaning by need" });
const rowOf = (name: string) => card.getByRole("row").filter({ has: page.getByRole("rowheader", { name }) });

type Outcome = SiteStrategies["strategies"][number];
const outcome = (kind: Outcome["kind"], cleanings: number, cost: number, lost: number): Outcome => {
  const banded = (value: number, fixed = 0) => ({
    value: value + fixed,
    low: value / 2 + fixed,
    high: value * 2 + fixed,
  });
  return {
    kind,
    cleanings,
    runs: cleanings * 20,
    loss_percent: lost / 400_000,
    lost_kwh: banded(lost / 2.5),
    lost_money: banded(lost),
    cleaning_cost: cost,
    cost: banded(lost, cost),
  };
};
const compared = (change: Partial<SiteStrategies> = {}): SiteStrategies => ({
  site_id: 1,
  basis: "modelled",
  missing: [],
  source: "open-meteo",
  model: "hsu",
  from: "2025-06-15",
  to: "2026-06-14",
  days: 365,
  known_days: 340,
  least_days: 2,
  most_days: 21,
  local_time: "20:30",
  rows: 20,
  currency: "INR",
  strategies: [
    outcome("BY_NEED", 39, 312_000, 412_000),
    outcome("DAILY", 365, 2_920_000, 93_000),
    outcome("WEEKLY", 52, 416_000, 410_000),
    outcome("NEVER", 0, 0, 2_178_000),
  ],
  ...change,
});

test("§11 Cleaning by need: a year of it is compared with daily and weekly, with what is assumed", async () => {
  when(siteStrategies).answer(compared());
  await openConsole(TAB);
  await expectContains(
    card,
    "In the last year, cleaning when worth it would have cost ₹724,000, ₹102,000 less than cleaning weekly, with 39 runs of each row instead of 52.",
  );
  await expectCount(card.getByRole("row"), 5);
  await expectContains(rowOf("Daily"), "₹3,010,000");
  await expectContains(rowOf("When worth it"), "between ₹518,000 and ₹1,140,000");
  await expectContains(rowOf("Weekly"), "52");
  await expectContains(card, "of 365 days, 340 are known; what is missing counts as clean air without rain and sun");
  await expectContains(card, "All 20 rows are cleaned together at 20:30, by need 2 to 21 days apart, and begin clean.");
  await expectContains(card, "The rain of the next two days is taken as known, which no forecast is");
  await expectCount(card.getByText("Sample", { exact: true }), 0);
  for (const [width, theme] of [
    [1440, "light"],
    [390, "dark"],
  ] as const) {
    await page.viewport(width, 900);
    chooseTheme(theme);
    await expectNoSidewaysScroll();
    await expectAccessible();
  }
});

test("§11 Cleaning by need: the comparison says if it would have cost more, and if its weather is a sample", async () => {
  const strategies = [outcome("BY_NEED", 300, 500_000, 100_000), outcome("DAILY", 365, 400_000, 90_000)];
  when(siteStrategies).answer(compared({ source: "sample", strategies, known_days: 365 }));
  await openConsole(TAB);
  await expectContains(card, "₹110,000 more than cleaning daily");
  await expectContains(card, "Sample");
  await expectContains(card, "of 365 days, 365 are known.");
  await expectCount(card.getByText("what is missing"), 0);
});

test("§11 Cleaning by need: without facts or a known day nothing is compared, and it says what is missing", async () => {
  when(siteStrategies).answer(compared({ strategies: [], missing: ["tariff_per_kwh", "cleaning_price"] }));
  await openConsole(TAB);
  await expectContains(card, "against daily and weekly, needs tariff and price of a cleaning.");
  await expectCount(card.getByRole("table"), 0);
});

test("§11 Cleaning by need: a comparison that cannot be loaded says so, and Retry loads it", async () => {
  when(siteStrategies).fail(503, { message: "Not now." });
  await openConsole(TAB);
  await expectContains(card, "The comparison over a year could not be loaded.");
  await pressRetry(() => when(siteStrategies).answer(compared()), rowOf("Weekly"), card);
  expect(rowOf("Never").element()).toBeInTheDocument();
});
