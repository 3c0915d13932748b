import type { Weather } from "@suncrew/contract/weather/weather.ts";
import type { Locator, Page } from "@playwright/test";
import { expectAccessible } from "./support/axe.ts";
import { BHADLA, CHARANKA, chooseSite, expectToast, toasts } from "./support/dashboard.ts";
import { expect, test } from "./support/suncrew.ts";

const WEATHER_CALL = "**/api/weather/*";
const REFUSAL = "The weather cannot be had at the moment. Please try again.";

const weatherCard = (page: Page): Locator => page.getByRole("region", { name: "Weather" });

/** A forecast of the service, with this chance of precipitation on its first days. */
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

test("§2 Detail panel: the weather card with current weather and the sample forecast, labelled as such", async ({
  page,
  signIn,
}) => {
  await signIn(page, "admin");
  const card = weatherCard(page);
  await expect(card.getByText("34 °C Clear sky")).toBeVisible();
  await expect(card.getByRole("listitem")).toHaveText(["Wind 12 km/h", "Humidity 28 %", "Pressure 1006 hPa"]);
  await expect(card.getByText("Sample forecast")).toBeVisible();
  await expect(card.getByText("Good to Clean", { exact: true })).toBeVisible();
  await expect(card.getByText("Good conditions for cleaning")).toBeVisible();
  await expect(toasts(page)).toHaveCount(0);
});

test("§3 Weather: the 7-day forecast as bars, in words, and as a table", async ({ page, signIn }) => {
  await signIn(page, "admin");
  const card = weatherCard(page);
  await expect(card.getByRole("img")).toHaveAccessibleName(
    /^(\w{3} \d+ \w{3,4}: [^.]+, \d+ to \d+\s°C, precipitation \d+\s%\.\s?){7}$/,
  );
  const opener = card.getByRole("button", { name: "7-day forecast" });
  await opener.focus();
  await page.keyboard.press("Enter");
  const table = page.getByRole("dialog", { name: "7-day forecast" });
  await expect(table.getByRole("columnheader")).toHaveText(["Day", "Weather", "Temperature", "Rain", "Wind"]);
  await expect(table.getByRole("row")).toHaveCount(8);
  const day = { weekday: "short", day: "numeric", month: "short" } as const;
  const today = new Intl.DateTimeFormat("en-GB", { ...day, timeZone: "Asia/Kolkata" });
  const first = table.getByRole("row").nth(1);
  // The first day is the site's today; its midnight may pass while this runs.
  await expect(first.getByRole("rowheader")).toHaveText(
    new RegExp([0, -86_400_000].map((ms) => today.format(new Date(Date.now() + ms)).replace(",", "")).join("|")),
  );
  await expect(first.getByRole("cell")).toHaveText(["Clear sky", "24 to 36 °C", "0 %", "14 km/h"]);
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(table).toBeHidden();
  await expect(opener).toBeFocused();
});

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
  test(`§4 Weather recommendation: ${badge}`, async ({ page, signIn }) => {
    await page.route(WEATHER_CALL, (route) => route.fulfill({ json: forecast(advice, ...percents) }));
    await signIn(page, "partner");
    const card = weatherCard(page);
    await expect(card.getByText(badge, { exact: true })).toBeVisible();
    await expect(card.getByText(sentence, { exact: true })).toBeVisible();
    await expect(card.getByText("31 °C Light rain")).toBeVisible();
    await expect(card.getByText("Sample forecast")).toHaveCount(0);
    await expect(card.getByRole("link", { name: "Open-Meteo" })).toHaveAttribute("href", "https://open-meteo.com/");
    await expectAccessible(page);
  });
}

test("§8 Weather: a failure is told in a toast and on the card, and Retry loads it", async ({
  page,
  signIn,
  problems,
}) => {
  problems.allow(/status of 503/);
  let calls = 0;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(WEATHER_CALL, async (route) => {
    calls += 1;
    if (calls === 2) await released;
    await route.fulfill({ status: 503, json: { message: REFUSAL } });
  });
  await signIn(page, "admin");
  const card = weatherCard(page);
  await expectToast(page, "Weather", "Failed to load weather data", REFUSAL);
  await expect(card.getByText("Weather data unavailable")).toBeVisible();
  await expectAccessible(page);
  expect(calls).toBe(1);
  await expect(toasts(page)).toHaveCount(0);
  const retry = card.getByRole("button", { name: "Retry" });
  await retry.click();
  await expect(retry).toHaveAttribute("aria-disabled", "true");
  await expect(card.getByText("Weather data unavailable")).toBeVisible();
  release();
  await expectToast(page, "Weather", "Failed to load weather data", REFUSAL);
  await expect(retry).toHaveAttribute("aria-disabled", "false");
  await expect(retry).toBeFocused();
  expect(calls).toBe(2);
  // The robots are no worse for it.
  await expect(page.getByRole("article")).toHaveCount(4);
  await page.unroute(WEATHER_CALL);
  await retry.click();
  await expect(card.getByText("34 °C Clear sky")).toBeVisible();
  await expect(card.getByText("Weather data unavailable")).toHaveCount(0);
});

test("§8 Weather: no connection is a failure too", async ({ page, signIn, problems }) => {
  problems.allow(/Failed to load resource/);
  await page.route(WEATHER_CALL, (route) => route.abort());
  await signIn(page, "admin");
  await expectToast(page, "Weather", "Failed to load weather data");
  await expect(weatherCard(page).getByText("Weather data unavailable")).toBeVisible();
});

for (const { width, height } of [
  { width: 1440, height: 900 },
  { width: 1280, height: 800 },
  { width: 1024, height: 800 },
  { width: 390, height: 844 },
]) {
  test(`while the weather loads a skeleton holds its place, ${width} px wide`, async ({ page, signIn }) => {
    await page.setViewportSize({ width, height });
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route(WEATHER_CALL, async (route) => {
      await released;
      await route.continue();
    });
    await signIn(page, "admin");
    const card = weatherCard(page);
    await expect(card.getByText("Loading weather")).toBeAttached();
    await expect(page.getByRole("article").first()).toBeAttached();
    const heightBefore = (await card.boundingBox())?.height;
    release();
    await expect(card.getByText("34 °C Clear sky")).toBeVisible();
    expect((await card.boundingBox())?.height).toBe(heightBefore);
  });
}

test("each site has its own weather call; a site seen before is not asked again", async ({ page, signIn }) => {
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/api/weather/")) asked.push(new URL(request.url()).pathname);
  });
  await signIn(page, "admin");
  await expect(weatherCard(page).getByText("Sample forecast")).toBeVisible();
  await chooseSite(page, CHARANKA);
  await expect(weatherCard(page).getByText("Sample forecast")).toBeVisible();
  await chooseSite(page, BHADLA);
  await expect(weatherCard(page).getByText("Sample forecast")).toBeVisible();
  expect(asked).toHaveLength(2);
  expect(new Set(asked).size).toBe(2);
});

for (const width of [360, 390]) {
  test(`the weather card and its table fit a screen ${width} px wide`, async ({ page, signIn }) => {
    await page.setViewportSize({ width, height: 844 });
    await page.route(WEATHER_CALL, (route) => route.fulfill({ json: forecast("not-recommended", 90, 80, 70) }));
    await signIn(page, "admin");
    const scrollWidth = () => page.evaluate(() => document.documentElement.scrollWidth);
    await expect(weatherCard(page).getByText("Not Recommended", { exact: true })).toBeVisible();
    expect(await scrollWidth()).toBe(width);
    await weatherCard(page).getByRole("button", { name: "7-day forecast" }).click();
    const table = page.getByRole("dialog", { name: "7-day forecast" });
    await expect(table.getByRole("row")).toHaveCount(8);
    expect(await scrollWidth()).toBe(width);
    await expectAccessible(page);
  });
}

test("§9 Themes: the weather card is accessible", async ({ page, signIn }) => {
  await page.route(WEATHER_CALL, (route) => route.fulfill({ json: forecast("caution", 60) }));
  await signIn(page, "admin");
  await weatherCard(page).getByRole("button", { name: "7-day forecast" }).click();
  await expect(page.getByRole("dialog", { name: "7-day forecast" }).getByRole("row")).toHaveCount(8);
  await expectAccessible(page);
});
