import type { Locator, Page } from "@playwright/test";
import { expectAccessible } from "./support/axe.ts";
import { toasts } from "./support/dashboard.ts";
import { expect, test } from "./support/suncrew.ts";

const weatherCard = (page: Page): Locator => page.getByRole("region", { name: "Weather" });

test("§2 Detail panel, §3 Weather: the card with current weather and the sample forecast, labelled as such, day by day, as text, and as a table", async ({
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
  // The first day is today at the site; midnight there may pass during the test.
  await expect(first.getByRole("rowheader")).toHaveText(
    new RegExp([0, -86_400_000].map((ms) => today.format(new Date(Date.now() + ms)).replace(",", "")).join("|")),
  );
  await expect(first.getByRole("cell")).toHaveText(["Clear sky", "24 to 36 °C", "0 %", "14 km/h"]);
  await expectAccessible(page, table);
  await page.keyboard.press("Escape");
  await expect(table).toBeHidden();
  await expect(opener).toBeFocused();
});
