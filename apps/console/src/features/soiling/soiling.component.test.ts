import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import {
  energyAtRisk,
  type SiteSoiling,
  siteSoiling,
  SOILING_PAST_DAYS,
  type SoilingDay,
} from "@suncrew/contract/soiling/soiling.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { when } from "../../../test/answers.ts";
import {
  expectAccessible,
  expectColumnsSeen,
  expectAddress,
  expectContains,
  expectCount,
  expectNoSidewaysScroll,
  expectTexts,
  pressRetry,
} from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";
import { BHADLA, CHARANKA, REWA } from "../../../test/sample-fleet.ts";
import { todayIn } from "../../ui/days.ts";
import { chooseTheme } from "../../ui/theme/theme-choice.ts";

const DAY_MS = 86_400_000;
const FORECAST_DAYS = 5;
const today = todayIn("Asia/Kolkata", new Date());
const dateOf = (daysAhead: number) => new Date(Date.parse(today) + daysAhead * DAY_MS).toISOString().slice(0, 10);

const card = page.getByRole("region", { name: "Soiling", exact: true });
const figure = (name: string) => card.getByRole("region", { name });
const missingFacts = card.getByRole("group", { name: "Some facts are missing" });
const course = card.getByRole("region", { name: "Loss day by day" });
const atRisk = page.getByRole("region", { name: "Energy at risk tonight" });

const TAB = "/dashboard?site=1&tab=soiling";

/** Dust that gathers by 0.4 % a day, and goes every third week by rain, or by runs of half of the rows in between. */
function sampleDays(): SoilingDay[] {
  let loss = 0.01;
  return Array.from({ length: SOILING_PAST_DAYS + FORECAST_DAYS }, (_, nth) => {
    const isForecast = nth >= SOILING_PAST_DAYS;
    const isRain = nth % 21 === 9;
    const runs = !isForecast && nth % 6 === 4 ? 2 : 0;
    loss = isRain ? 0 : loss * (runs > 0 ? 0.5 : 1) + 0.004;
    const ratio = { value: 1 - loss, low: 1 - 1.8 * loss, high: 1 - 0.55 * loss };
    return {
      date: dateOf(nth - SOILING_PAST_DAYS + 1),
      is_forecast: isForecast,
      ratio,
      ratio_if_cleaned: isForecast ? 1 - 0.004 * (nth - SOILING_PAST_DAYS + 1) : null,
      rain_mm: isRain ? 14.2 : nth % 21 === 10 ? 2.4 : 0,
      pm2_5: 60 + 20 * Math.sin(nth),
      pm10: 150 + 60 * Math.sin(nth),
      energy_kwh: 45_000,
      lost_kwh: { value: 45_000 * loss, low: 25_000 * loss, high: 80_000 * loss },
      runs,
      cleaned_share: runs > 0 ? 0.5 : 0,
    };
  });
}

function soilingOf(change: Partial<SiteSoiling> = {}): SiteSoiling {
  return {
    site_id: 1,
    basis: "modelled",
    model: "hsu",
    missing: [],
    source: "open-meteo",
    received_at: new Date(Date.now() - 2 * 3_600_000).toISOString(),
    is_stale: false,
    soiling_rate_factor: 1,
    corrections: [],
    is_beyond_measured: false,
    coverage_percent: 96.4,
    ratio: { value: 0.967, low: 0.941, high: 0.982 },
    second_opinion: 0.961,
    last_cleaning: { at: new Date(Date.now() - 9 * DAY_MS).toISOString(), cause: "RUN" },
    lost_kwh: { value: 4213, low: 2310, high: 7480 },
    lost_money: { value: 10_533, low: 5775, high: 18_700 },
    currency: "INR",
    cleaning_price: 8000,
    tonight_gain_kwh: { value: 812, low: 447, high: 1461 },
    tonight_gain_money: { value: 2030, low: 1118, high: 3653 },
    next_night: {
      date: dateOf(2),
      is_extrapolated: false,
      reason: "WORTH_IT",
      reason_params: { lost: 8120, price: 8000, currency: "INR" },
      text: "By then ₹8,120 are lost since the last cleaning, which costs ₹8,000.",
    },
    worth_from_percent: 2.4,
    best_interval_days: 5.963,
    uncounted_runs: 0,
    days: sampleDays(),
    ...change,
  };
}

const nothing: Partial<SiteSoiling> = {
  model: null,
  source: null,
  received_at: null,
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
  next_night: { date: null, is_extrapolated: false, reason: "UNKNOWN", reason_params: {}, text: "Facts are missing." },
  worth_from_percent: null,
  best_interval_days: null,
  days: [],
};

test("§11 Soiling: each figure has its band, and says that it is modelled, from what and how old", async () => {
  const asked = when(siteSoiling).answer(soilingOf());
  await openConsole("/dashboard");
  await page.getByRole("tab", { name: "Soiling" }).click();
  await expectAddress(/tab=soiling/);
  await expectContains(
    card,
    "Modelled, not measured HSU model, from particles and rain of Open-Meteo (Copernicus CAMS)",
  );
  await expectContains(card, "received 2 h ago. 96 % of the hours of the last 92 days are known.");
  await expectContains(figure("Soiling ratio now"), "96.7 % between 94.1 and 98.2 %");
  await expectContains(figure("Soiling ratio now"), "Second opinion, from rain alone: 96.1 %.");
  const lost = figure("Lost since the last cleaning");
  await expectContains(lost, "4.21 MWh ₹10,533between 2.31 and 7.48 MWhbetween ₹5,775 and ₹18,700");
  await expectContains(lost, "Since the run that ended on");
  const gain = figure("A run tonight is worth");
  await expectContains(gain, "812 kWh ₹2,030between 447 kWh and 1.46 MWhbetween ₹1,118 and ₹3,653");
  await expectContains(gain, "It costs ₹8,000.");
  await expectContains(figure("Next worthwhile night"), "By then ₹8,120 are lost since the last cleaning");
  await expectContains(figure("Next worthwhile night"), "Cleaning pays from a loss of 2.4 %.");
  await expectContains(figure("Next worthwhile night"), "Best interval at the present rate: 6 days.");
  expect(asked.map(({ params }) => params.siteId)).toEqual([1]);
  await expect
    .element(course.getByRole("figure", { name: /^Loss: from .* to .*; the table has every day$/ }))
    .toBeVisible();
  await expect
    .element(course.getByRole("figure", { name: /^Rain and particles: rain on \d of 35 days/ }))
    .toBeVisible();
  await expectCount(missingFacts, 0);
  for (const theme of ["light", "dark"] as const) {
    chooseTheme(theme);
    await expectAccessible(card);
  }
});

test("§11 Soiling: how it is known, with the assumptions and the runs that do not count", async () => {
  when(siteSoiling).answer(soilingOf({ uncounted_runs: 3 }));
  await openConsole(TAB);
  await card.getByRole("button", { name: "How this is known" }).click();
  const popover = page.getByRole("dialog", { name: "How this is known" });
  await expectContains(popover, "Nothing here is measured on the panels.");
  await expectContains(popover, "half and with twice the particles");
  await expectContains(popover, "3 ended runs are not counted");
  await expectAccessible(popover);
});

test("§11 Soiling: the table has every day shown, the newest first, with the forecast marked", async () => {
  when(siteSoiling).answer(soilingOf());
  await openConsole(TAB);
  await course.getByRole("button", { name: "Show as table" }).click();
  const table = course.getByRole("table", { name: "Loss day by day" });
  await expect.element(table).toHaveAttribute("aria-rowcount", "36");
  await expectContains(table.getByRole("row").nth(1), "Forecast");
  await expectContains(table.getByRole("row").nth(6), "µg/m³");
  await expectAccessible(card);
  await course.getByText("92 days").click();
  await expect.element(table).toHaveAttribute("aria-rowcount", "98");
  await course.getByRole("button", { name: "Show chart" }).click();
  await expectCount(course.getByRole("figure"), 2);
});

for (const { gap, line, entered } of [
  { gap: "dc_capacity_kwp", line: "Energy needs DC capacity.", entered: "Enter them" },
  { gap: "tilt_degrees", line: "Energy needs tilt.", entered: "Enter them" },
  { gap: "azimuth_degrees", line: "Energy needs azimuth.", entered: "Enter them" },
  { gap: "performance_ratio_percent", line: "Energy needs performance ratio.", entered: "Enter them" },
  { gap: "tariff_per_kwh", line: "Money needs tariff.", entered: "Enter them" },
  { gap: "currency", line: "Money needs currency.", entered: "Enter them" },
  { gap: "cleaning_price", line: "The next worthwhile night needs price of a cleaning.", entered: "Enter them" },
  { gap: "robots", line: "Also missing: robots.", entered: "Add robots" },
  { gap: "particles", line: "Better than a rule of thumb needs particles in the air.", entered: null },
  { gap: "rain", line: "Also missing: rain.", entered: null },
  { gap: "irradiation", line: "Energy needs irradiation.", entered: null },
] as const) {
  test(`§11 Soiling: without ${gap} it says what that leaves unknown, and who can mend it`, async () => {
    when(siteSoiling).answer(soilingOf({ missing: [gap] }));
    await openConsole(TAB, "partner");
    const missing = missingFacts;
    await expectTexts(missing.getByRole("listitem"), [line]);
    await expectContains(missing, entered ?? "Suncrew reads particles, rain and irradiation by itself");
    await expectAccessible(card);
  });
}

test("§11 Soiling: what is not known is not invented, and the site's form opens in place to enter it", async () => {
  const missing = ["dc_capacity_kwp", "azimuth_degrees", "tariff_per_kwh", "currency", "cleaning_price"] as const;
  const none = { lost_kwh: null, lost_money: null, tonight_gain_kwh: null, tonight_gain_money: null, currency: null };
  const { next_night } = nothing;
  when(siteSoiling).answer(
    soilingOf({
      ...none,
      cleaning_price: null,
      missing: [...missing],
      ...(next_night !== undefined && { next_night }),
    }),
  );
  await openConsole(TAB);
  await expectTexts(missingFacts.getByRole("listitem"), [
    "Energy needs DC capacity and azimuth.",
    "Money needs tariff and currency.",
    "The next worthwhile night needs price of a cleaning.",
  ]);
  for (const name of ["Lost since the last cleaning", "A run tonight is worth", "Next worthwhile night"])
    await expectContains(figure(name), "Not known");
  await expectContains(figure("Soiling ratio now"), "96.7 %");
  await expectContains(figure("Next worthwhile night"), "Facts are missing.");
  await card.getByRole("button", { name: "Enter them" }).click();
  await expect.element(page.getByRole("dialog", { name: "Edit Site" })).toBeVisible();
});

test("§11 Soiling: without any input nothing is shown but what is awaited", async () => {
  when(siteSoiling).answer(soilingOf({ ...nothing, missing: ["particles", "rain", "irradiation"] }));
  await openConsole(TAB);
  await expectContains(card, "How soiled this site is is not known yet.");
  await expectContains(card, "The soiling ratio needs rain.");
  await expectCount(course, 0);
  await expectCount(figure("Soiling ratio now"), 0);
  await expectAccessible(card);
});

test("§11 Soiling: stale inputs are said with their age", async () => {
  const received_at = new Date(Date.now() - 14 * 3_600_000).toISOString();
  when(siteSoiling).answer(soilingOf({ is_stale: true, received_at }));
  await openConsole(TAB);
  await expectContains(
    card,
    "The forecast is out of dateParticles and rain were last received 14 h ago. Until newer ones come, nothing is said of tonight and of the next days; Suncrew keeps asking.",
  );
  await expectAccessible(card);
});

test("§11 Soiling: sample inputs are marked so", async () => {
  when(siteSoiling).answer(soilingOf({ source: "sample" }));
  await openConsole(TAB);
  await expectContains(card, "Modelled, not measured Sample HSU model, from sample particles and rain, received");
  await expectCount(card.getByRole("link", { name: "Open-Meteo" }), 0);
});

test("§11 Soiling: Kimber's rule of thumb says why it counts and what its band is of", async () => {
  const days = sampleDays().map((day) => ({ ...day, pm10: null, pm2_5: null }));
  const kimber = { model: "kimber", second_opinion: null, days } as const;
  const about = page.getByRole("dialog", { name: "How this is known" });
  when(siteSoiling).answer(soilingOf({ ...kimber, missing: ["particles"] }));
  await openConsole(TAB);
  await expectContains(card, "Kimber's rule of thumb, from rain alone of Open-Meteo, received");
  await expectContains(figure("Soiling ratio now"), "96.7 % between 94.1 and 98.2 %");
  await card.getByRole("button", { name: "How this is known" }).click();
  await expectContains(about, "Particles are not known for this place, so a rule of thumb counts");
  await expectContains(about, "with half and with twice of it; it covers no bird droppings");
});

test("§11 Soiling: without the tilt a rule of thumb counts, for particles settle by it", async () => {
  when(siteSoiling).answer(soilingOf({ model: "kimber", second_opinion: null, missing: ["tilt_degrees"] }));
  await openConsole(TAB);
  await card.getByRole("button", { name: "How this is known" }).click();
  const about = page.getByRole("dialog", { name: "How this is known" });
  await expectContains(about, "The tilt is not known, by which particles settle, so a rule of thumb counts");
});

test("§11 Soiling: clean panels have no band", async () => {
  when(siteSoiling).answer(soilingOf({ ratio: { value: 1, low: 1, high: 1 } }));
  await openConsole(TAB);
  await expectContains(figure("Soiling ratio now"), "100.0 % Clean panels: 100 %.");
});

const nights: readonly (readonly [string, SiteSoiling["next_night"]])[] = [
  ["Tonight", { ...soilingOf().next_night, date: today }],
  [
    "Wait for the rain",
    {
      date: null,
      is_extrapolated: false,
      reason: "RAIN_NEAR",
      reason_params: { rain_mm: 8, day: dateOf(1) },
      text: "Rain of 8 mm is forecast tomorrow.",
    },
  ],
  [
    "None foreseen",
    {
      date: null,
      is_extrapolated: false,
      reason: "NOT_YET",
      reason_params: { loss_percent: 0.4, worth_from_percent: 1.1 },
      text: "The loss is 0.4 %, worth from 1.1 %.",
    },
  ],
  ["Beyond the forecast, by the mean loss of the last days.", { ...soilingOf().next_night, is_extrapolated: true }],
];
for (const [words, next_night] of nights) {
  test(`§11 Soiling: the next night has its reason: ${words}`, async () => {
    when(siteSoiling).answer(soilingOf({ next_night }));
    await openConsole(TAB);
    await expectContains(figure("Next worthwhile night"), words);
    await expectContains(figure("Next worthwhile night"), next_night.text);
  });
}

test("§11 Soiling: a failing call says so in the tab, Retry brings it, and the robots are unaffected", async () => {
  when(siteSoiling).fail(503, { message: "Not now." });
  await openConsole(TAB);
  await expectContains(card, "The soiling of this site could not be loaded.");
  await expectContains(card, "Not now.");
  await pressRetry(() => when(siteSoiling).answer(soilingOf()), figure("Soiling ratio now"), card);
  await page.getByRole("tab", { name: "Individual Robots" }).click();
  await expectCount(page.getByRole("article"), 2);
});

for (const width of [360, 390, 768, 1024, 1280, 1440]) {
  test(`§11 Soiling: fits a screen ${width} px wide, with the longest texts`, async () => {
    // So high that nothing lies half under the bar.
    await page.viewport(width, 3000);
    when(siteSoiling).answer(
      soilingOf({
        missing: ["dc_capacity_kwp", "azimuth_degrees", "tilt_degrees", "performance_ratio_percent", "cleaning_price"],
        is_stale: true,
        lost_kwh: { value: 1_234_567, low: 812_345, high: 2_345_678 },
        lost_money: { value: 98_765_432, low: 48_765_432, high: 198_765_432 },
      }),
    );
    await openConsole(TAB);
    await expectCount(course.getByRole("figure"), 2);
    await expectNoSidewaysScroll();
    await course.getByRole("button", { name: "Show as table" }).click();
    await expectNoSidewaysScroll();
    await expectColumnsSeen(course);
    await expectAccessible(card);
  });
}

/** Four sites with figures, four without and one whose inputs are out of date. */
function riskOf(change: Partial<ResponseOf<typeof energyAtRisk>> = {}): ResponseOf<typeof energyAtRisk> {
  const names = [BHADLA, CHARANKA, REWA, "Pavagada Solar Park"];
  return {
    sites: names.map((site_name, nth) => ({
      site_id: nth + 1,
      site_name,
      ratio: { value: 0.96, low: 0.93, high: 0.98 },
      gain_kwh: { value: 2200 / (nth + 1), low: 1100 / (nth + 1), high: 4100 / (nth + 1) },
      soiling_rate_factor: nth === 1 ? 1.4 : 1,
      gain_money: nth === 3 ? null : { value: 5500 / (nth + 1), low: 2700 / (nth + 1), high: 11_000 / (nth + 1) },
      currency: nth === 3 ? null : "INR",
      source: "open-meteo",
      computed_at: new Date(Date.now() - 3_600_000).toISOString(),
    })),
    total_kwh: { value: 4583, low: 2291, high: 8542 },
    totals_money: [{ currency: "INR", money: { value: 10_083, low: 4950, high: 20_167 } }],
    known_sites: 4,
    unknown_sites: 4,
    missing_facts_sites: 2,
    waiting_sites: 1,
    stale_sites: 1,
    factor_sites: 1,
    ...change,
  };
}

test("§11 Energy at risk: the total with its band, the sites with most as links, and what is left out", async () => {
  when(energyAtRisk).answer(riskOf());
  when(siteSoiling).answer(soilingOf());
  await page.viewport(1440, 900);
  await openConsole("/dashboard");
  await expectContains(atRisk, "Energy at risk tonight 4.58 MWh₹10,083");
  await expectContains(
    atRisk,
    "Modelled, between 2.29 and 8.54 MWh, with a factor on particles at 1 site, 1 h ago. 5 sites left out.",
  );
  const top = atRisk.getByRole("list", { name: "Sites with most at risk" });
  await expectTexts(top.getByRole("listitem"), [`${BHADLA} 2.20 MWh`, `${CHARANKA} 1.10 MWh`, `${REWA} 733 kWh`]);
  await atRisk.getByRole("button", { name: "Show sites" }).click();
  await expectContains(
    atRisk,
    "Left out: 2 sites without facts, 1 site still waiting for particles and rain, 1 site not known, 1 site out of date.",
  );
  const ranking = atRisk.getByRole("list", { name: "Sites by energy at risk" });
  await expectTexts(ranking.getByRole("listitem"), [
    /^Bhadla Solar Park 2\.20 MWh₹5,500between 1\.10 and 4\.10 MWh; soiling ratio 96\.0 %, between 93\.0 and 98\.0 %$/,
    /^Charanka.*; particles \u00d71\.4$/,
    /^Rewa/,
    /^Pavagada Solar Park 550 kWhbetween/,
  ]);
  for (const theme of ["light", "dark"] as const) {
    chooseTheme(theme);
    await expectAccessible(atRisk);
  }
  await ranking.getByRole("link", { name: CHARANKA }).click();
  await expectAddress("/dashboard?site=2&tab=soiling");
  await expectContains(card, "Modelled, not measured");
});

test("§11 Energy at risk: where nothing is known it says what to enter, and leads there", async () => {
  await openConsole("/dashboard", "partner");
  await expectContains(atRisk, "Energy at risk tonight is not known for any site.");
  await expectContains(atRisk, "3 sites need capacity, tilt, azimuth and performance ratio.");
  await expectAccessible(atRisk);
  await atRisk.getByRole("link", { name: "Enter facts" }).click();
  await expectAddress(/^\/sites/);
});

test("§11 Energy at risk: what is still on its way is told apart from facts that somebody must enter", async () => {
  const nothing = { sites: [], total_kwh: null, totals_money: [], known_sites: 0, stale_sites: 0, factor_sites: 0 };
  when(energyAtRisk).answer({ ...nothing, unknown_sites: 2, missing_facts_sites: 0, waiting_sites: 2 });
  await openConsole("/dashboard", "partner");
  await expectContains(atRisk, "not known for any site.The first particles and rain of 2 sites are on their way.");
  await expectCount(atRisk.getByRole("link"), 0);
});

test("§11 Energy at risk: if all inputs are out of date there is no figure, and nothing to enter", async () => {
  when(energyAtRisk).answer(
    riskOf({
      sites: [],
      total_kwh: null,
      totals_money: [],
      known_sites: 0,
      unknown_sites: 0,
      missing_facts_sites: 0,
      waiting_sites: 0,
      stale_sites: 4,
    }),
  );
  await openConsole("/dashboard");
  await expectContains(atRisk, "is not known now.The forecasts of 4 sites are out of date; Suncrew keeps asking.");
  await expectCount(atRisk.getByRole("link"), 0);
});

test("§11 Energy at risk: sample inputs are marked so", async () => {
  when(energyAtRisk).answer(riskOf({ sites: riskOf().sites.map((site) => ({ ...site, source: "sample" })) }));
  await openConsole("/dashboard");
  await expect.element(atRisk.getByText("Sample", { exact: true })).toBeVisible();
});

test("§11 Energy at risk: a failing call is one line with Retry; the robots are there all the same", async () => {
  when(energyAtRisk).fail(503, { message: "Not now." });
  await openConsole("/dashboard");
  await expectContains(atRisk, "The energy at risk tonight could not be loaded.");
  await expectCount(page.getByRole("article"), 2);
  await expectAccessible(atRisk);
  await pressRetry(() => when(energyAtRisk).answer(riskOf()), atRisk.getByText("4.58 MWh"), atRisk);
});

for (const width of [360, 390, 768, 1440]) {
  test(`§11 Energy at risk: nothing moves while it loads, and it fits, ${width} px wide`, async () => {
    await page.viewport(width, 844);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    when(energyAtRisk).answer(() => released.then(() => riskOf()));
    await openConsole("/dashboard?site=1");
    const topOf = () => page.getByRole("region", { name: "Site details" }).element().getBoundingClientRect().top;
    await expect.element(page.getByRole("article").first()).toBeInTheDocument();
    await expect.element(page.getByText("Nothing needs attention.")).toBeVisible();
    await expect.element(atRisk.getByRole("status", { name: "Loading the energy at risk" })).toBeVisible();
    const before = topOf() + scrollY;
    release();
    await expect.element(atRisk.getByText("4.58 MWh")).toBeVisible();
    expect(topOf() + scrollY).toBe(before);
    await atRisk.getByRole("button", { name: "Show sites" }).click();
    await expectNoSidewaysScroll();
    await expectAccessible(atRisk);
  });
}
