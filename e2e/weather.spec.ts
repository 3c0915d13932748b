import type { Weather } from "@suncrew/contract/weather/weather.ts";
import type { Locator, Page } from "@playwright/test";
import { expectAccessible } from "./support/axe.ts";
import { toasts } from "./support/dashboard.ts";
import { expect, test } from "./support/suncrew.ts";

const WEATHER_CALL = "**/api/weather/*";
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

test("§9 Themes: the weather card is accessible", async ({ page, signIn }) => {
  await page.route(WEATHER_CALL, (route) => route.fulfill({ json: forecast("caution", 60) }));
  await signIn(page, "admin");
  await weatherCard(page).getByRole("button", { name: "7-day forecast" }).click();
  await expect(page.getByRole("dialog", { name: "7-day forecast" }).getByRole("row")).toHaveCount(8);
  await expectAccessible(page);
});
