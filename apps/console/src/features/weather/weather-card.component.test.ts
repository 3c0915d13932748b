import { siteWeather, type Weather } from "@suncrew/contract/weather/weather.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { Refusal, when } from "../../../test/answers.ts";
import {
  expectAccessible,
  expectCount,
  expectNoToast,
  expectToast,
  pressRetry,
  siteButton,
} from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";
import { BHADLA, CHARANKA, sampleWeather } from "../../../test/sample-fleet.ts";
import { chooseTheme } from "../../ui/theme/theme-choice.ts";

const REFUSAL = "The weather is not available at the moment. Please try again.";

const weatherCard = page.getByRole("region", { name: "Weather" });

/** A forecast from the service, with this chance of precipitation on its first days. */
function forecast(advice: Weather["advice"], ...percents: readonly number[]): Weather {
  const days = ["15", "16", "17", "18", "19", "20", "21"];
  return {
    current: {
      temperature: 31.4,
      description: "Light rain",
      icon: "rain",
      humidity: 88,
      wind_speed: 22.6,
      pressure: 998.7,
    },
    forecast: days.map((day, index) => ({
      date: `2026-06-${day}`,
      min_temperature: 24.4 + index,
      max_temperature: 33.6 + index,
      description: "Thunderstorm with heavy hail",
      icon: "thunderstorm",
      precipitation_percent: percents[index] ?? 10,
      wind_speed: 30,
    })),
    advice,
    source: "open-meteo",
    fetched_at: new Date().toISOString(),
  };
}

for (const { advice, percents, badge, sentence } of [
  { advice: "recommended", percents: [50, 50, 50], badge: "Good to Clean", sentence: "Good conditions for cleaning" },
  {
    advice: "caution",
    percents: [20, 51, 0],
    badge: "Plan Carefully",
    sentence: "Some rain expected - plan accordingly",
  },
  {
    advice: "not-recommended",
    percents: [90, 80, 70],
    badge: "Not Recommended",
    sentence: "Heavy rain expected - cleaning not recommended",
  },
] as const) {
  test(`§4 Weather recommendation: ${badge}`, async () => {
    when(siteWeather).answer(forecast(advice, ...percents));
    await openConsole("/dashboard", "partner");
    await expect.element(weatherCard.getByText(badge, { exact: true })).toBeVisible();
    await expect.element(weatherCard.getByText(sentence, { exact: true })).toBeVisible();
    await expect.element(weatherCard.getByText("31 °C Light rain")).toBeVisible();
    await expectCount(weatherCard.getByText("Sample forecast"), 0);
    await expect
      .element(weatherCard.getByRole("link", { name: "Open-Meteo" }))
      .toHaveAttribute("href", "https://open-meteo.com/");
    await expectAccessible();
  });
}

test("§9 Themes: the weather card is accessible with its table open", async () => {
  when(siteWeather).answer(forecast("caution", 60));
  await openConsole("/dashboard");
  await weatherCard.getByRole("button", { name: "7-day forecast" }).click();
  await expectCount(page.getByRole("dialog", { name: "7-day forecast" }).getByRole("row"), 8);
  for (const theme of ["light", "dark"] as const) {
    chooseTheme(theme);
    await expect.poll(() => document.documentElement.dataset["theme"]).toBe(theme);
    await expectAccessible();
  }
});

test("§3 Weather: each day of the week has its icon and its chance of rain, labelled as such", async () => {
  when(siteWeather).answer(forecast("caution", 60, 5, 100));
  await openConsole("/dashboard");
  const week = weatherCard.getByRole("img");
  await expect
    .poll(() => week.element().textContent.replaceAll("\u00a0", " "))
    .toBe("RainMon60 %Tue5 %Wed100 %Thu10 %Fri10 %Sat10 %Sun10 %");
  expect(week.element().querySelectorAll("svg")).toHaveLength(7);
});

test("§8 Weather: a failure shows a toast and says so on the card, and Retry loads it", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const asked = when(siteWeather).answer(async () => {
    if (asked.length === 2) await released;
    throw new Refusal(503, { message: REFUSAL });
  });
  await openConsole("/dashboard");
  await expectToast("Weather", "Failed to load weather data", REFUSAL);
  await expect.element(weatherCard.getByText("Weather data unavailable")).toBeVisible();
  await expectAccessible();
  expect(asked).toHaveLength(1);
  await expectNoToast();
  const retry = weatherCard.getByRole("button", { name: "Retry" });
  await retry.click();
  await expect.element(retry).toHaveAttribute("aria-disabled", "true");
  await expect.element(weatherCard.getByText("Weather data unavailable")).toBeVisible();
  release();
  await expectToast("Weather", "Failed to load weather data", REFUSAL);
  await expect.element(retry).toHaveAttribute("aria-disabled", "false");
  await expect.element(retry).toHaveFocus();
  expect(asked).toHaveLength(2);
  // The robots are unaffected.
  await expectCount(page.getByRole("article"), 2);
  await pressRetry(() => when(siteWeather).answerAsUsual(), weatherCard.getByText("34 °C Clear sky"), weatherCard);
  await expectCount(weatherCard.getByText("Weather data unavailable"), 0);
});

test("§8 Weather: no connection is a failure too", async () => {
  when(siteWeather).offline();
  await openConsole("/dashboard");
  await expectToast("Weather", "Failed to load weather data");
  await expect.element(weatherCard.getByText("Weather data unavailable")).toBeVisible();
});

for (const { width, height } of [
  { width: 1440, height: 900 },
  { width: 1280, height: 800 },
  { width: 1024, height: 800 },
  { width: 390, height: 844 },
]) {
  test(`while the weather loads a skeleton holds its place, ${width} px wide`, async () => {
    await page.viewport(width, height);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    when(siteWeather).answer(() => released.then(() => sampleWeather()));
    await openConsole("/dashboard");
    const heightNow = () => weatherCard.element().getBoundingClientRect().height;
    await expect.element(weatherCard.getByText("Loading weather")).toBeInTheDocument();
    await expect.element(page.getByRole("article").first()).toBeInTheDocument();
    const heightBefore = heightNow();
    release();
    await expect.element(weatherCard.getByText("34 °C Clear sky")).toBeVisible();
    expect(heightNow()).toBe(heightBefore);
  });
}

test("each site has its own weather call; a site seen before is not requested again", async () => {
  const asked = when(siteWeather).answer(() => sampleWeather());
  await openConsole("/dashboard");
  await expect.element(weatherCard.getByText("Sample forecast")).toBeVisible();
  for (const site of [CHARANKA, BHADLA]) {
    await siteButton(site).click();
    await expect.element(page.getByRole("heading", { level: 2, name: site })).toBeVisible();
    await expect.element(weatherCard.getByText("Sample forecast")).toBeVisible();
  }
  expect(asked.map(({ params }) => params.siteId)).toEqual([1, 2]);
});

for (const width of [360, 390]) {
  test(`the weather card and its table fit a screen ${width} px wide`, async () => {
    await page.viewport(width, 844);
    when(siteWeather).answer(forecast("not-recommended", 90, 80, 70));
    await openConsole("/dashboard");
    const scrollWidth = () => document.documentElement.scrollWidth;
    await expect.element(weatherCard.getByText("Not Recommended", { exact: true })).toBeVisible();
    expect(scrollWidth()).toBe(width);
    await expectAccessible();
    await weatherCard.getByRole("button", { name: "7-day forecast" }).click();
    const table = page.getByRole("dialog", { name: "7-day forecast" });
    await expectCount(table.getByRole("row"), 8);
    expect(scrollWidth()).toBe(width);
    // What is behind the table may be half covered by it.
    await expectAccessible(weatherCard);
    await expectAccessible(table);
  });
}
