import type { Page } from "@playwright/test";
import { siteGuard, updateSiteGuard } from "@suncrew/contract/guard/site-guard.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import type { ApiClient } from "./support/api.ts";
import { expectAccessible } from "./support/axe.ts";
import { closePages } from "./support/close-pages.ts";
import {
  BHADLA,
  expectDisabled,
  expectEnabled,
  expectStatus,
  expectToast,
  robotCard,
  siteFacts,
  startRobot,
} from "./support/dashboard.ts";
import { expect, test as base } from "./support/suncrew.ts";

const NONE = { max_gust_kmh: null, max_rain_mm: null, min_temperature_c: null, max_temperature_c: null };
/** The weather is compared with limits every few seconds, and the browser hears of it. */
const JUDGED_MS = 20_000;
/** The demo stores its sample weather in its first minutes. */
const FORECAST_MS = 90_000;

/** Weather limits of Bhadla Solar Park, as somebody else changes them; there are none after the test. */
class BhadlaLimits {
  readonly siteId: number;
  readonly #api: ApiClient;

  private constructor(api: ApiClient, siteId: number) {
    this.#api = api;
    this.siteId = siteId;
  }

  static async begin(api: ApiClient): Promise<BhadlaLimits> {
    const site = (await api.call(siteDetails, {})).find(({ name }) => name === BHADLA);
    if (site === undefined) throw new Error(`There is no site ${BHADLA}`);
    const limits = new BhadlaLimits(api, site.id);
    await expect.poll(async () => (await limits.read()).hours.length, { timeout: FORECAST_MS }).toBe(2);
    return limits;
  }

  read() {
    return this.#api.call(siteGuard, { params: { siteId: this.siteId } });
  }

  async set(change: Partial<typeof NONE | { max_gust_kmh: number; max_temperature_c: number }>): Promise<void> {
    await this.#api.call(updateSiteGuard, { params: { siteId: this.siteId }, body: { ...NONE, ...change } });
  }
}

const test = base.extend<{ readonly limits: BhadlaLimits }>({
  limits: async ({ apiAs, browser }, use) => {
    const limits = await BhadlaLimits.begin(await apiAs("admin"));
    await use(limits);
    await closePages(browser);
    await limits.set({});
  },
});

const noticeOf = (page: Page) => page.getByRole("status").filter({ hasText: "Wind and rain guard" });

async function openLimits(page: Page) {
  await siteFacts(page).getByRole("button", { name: "Weather limits" }).first().click();
  const dialog = page.getByRole("dialog", { name: `Weather Limits: ${BHADLA}` });
  await expect(dialog.getByLabel("Highest gust (km/h)")).toBeFocused();
  return dialog;
}

test("§11 Wind and rain guard: a partner sets limits; a passed one stops the robots of the site and disables Start with its reason, until the limit is gone", async ({
  page,
  signIn,
  simulator,
  limits,
}) => {
  test.setTimeout(120_000 + FORECAST_MS);
  await signIn(page, "partner", { at: `/dashboard?site=${limits.siteId}` });
  const card = robotCard(page, "SCR-1001");
  await startRobot(card, simulator);

  await test.step("within generous limits the site says so, and the robot carries on", async () => {
    const dialog = await openLimits(page);
    await expect(dialog).toContainText("Sample forecast");
    await dialog.getByLabel("Highest gust (km/h)").fill("200");
    await expect(dialog).toContainText("The forecast of this hour and the next is within these limits.");
    await dialog.getByRole("button", { name: "Save" }).click();
    await expectToast(page, "Weather Limits Saved", `The weather limits of ${BHADLA} have been saved.`);
    await expect(siteFacts(page)).toContainText("Within limits", { timeout: JUDGED_MS });
    await expectStatus(card, "Normal");
  });

  await test.step("a limit that the forecast passes stops it", async () => {
    const dialog = await openLimits(page);
    await dialog.getByLabel("Highest temperature (°C)").fill("5");
    await expect(dialog).toContainText("With these limits no robot could run now");
    await expectAccessible(page, dialog);
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(noticeOf(page)).toContainText("No robot starts: the weather passes a limit of this site", {
      timeout: JUDGED_MS,
    });
    await expect(noticeOf(page)).toContainText(/°C \(not above 5 °C\) is (forecast|measured)\./);
    await expect(noticeOf(page)).toContainText(
      /Passed since .+\)\. Sample forecast, received .+\. Sensor WX-1001: last/,
    );
    await expectStatus(card, "Idle", { timeout: JUDGED_MS });
    const { state } = await limits.read();
    await expectDisabled(card.start, state?.text ?? "");
  });

  await test.step("Needs attention names the site, the robot's page the limit and its run why it ended", async () => {
    const attention = page.getByRole("region", { name: "Attention" });
    // The site may be soiled as well.
    const item = attention.getByRole("listitem").filter({ hasText: BHADLA }).filter({ hasText: "Wind and rain guard" });
    await expect(item).toBeVisible({ timeout: JUDGED_MS });
    await card.root.getByRole("link", { name: "SCR-1001" }).click();
    await expect(noticeOf(page)).toContainText("(not above 5 °C)");
    await expect(page.getByRole("region", { name: "Records" })).toContainText("not above 5 °C");
    await page.goBack();
  });

  await test.step("without limits nothing is said, and robots can start", async () => {
    const dialog = await openLimits(page);
    await dialog.getByLabel("Highest gust (km/h)").fill("");
    await dialog.getByLabel("Highest temperature (°C)").fill("");
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(noticeOf(page)).toHaveCount(0);
    await expectEnabled(card.start);
    await expect(siteFacts(page)).not.toContainText("Within limits");
  });
});

test("§11 Wind and rain guard: where the forecast is old, the weather is not known, and no robot starts", async ({
  page,
  signIn,
  suncrew,
  limits,
}) => {
  test.setTimeout(120_000 + FORECAST_MS);
  await limits.set({ max_gust_kmh: 200 });
  await signIn(page, "admin", { at: `/dashboard?site=${limits.siteId}` });
  await expect(siteFacts(page)).toContainText("Within limits", { timeout: JUDGED_MS });
  const age = (by: string) =>
    suncrew.sql(`update site_weather_days set confirmed_at = confirmed_at ${by} interval '7 hours'
      where site_id = ${limits.siteId}`);
  await age("-");
  await expect(noticeOf(page)).toContainText("No robot starts: the weather at this site is not known", {
    timeout: JUDGED_MS,
  });
  await expect(noticeOf(page)).toContainText("One that is older than six hours counts for nothing.");
  const { state } = await limits.read();
  await expectDisabled(robotCard(page, "SCR-1001").start, state?.text ?? "");
  await expectAccessible(page, noticeOf(page));
  await age("+");
  await expect(siteFacts(page)).toContainText("Within limits", { timeout: JUDGED_MS });
});

test("§11 Wind and rain guard: on a phone, notice and limits survive a failing call, and Retry brings them", async ({
  page,
  signIn,
  limits,
  problems,
}) => {
  test.setTimeout(120_000 + FORECAST_MS);
  await page.setViewportSize({ width: 390, height: 844 });
  await limits.set({ max_temperature_c: 5 });
  problems.allow(/api\/sites\/guard/);
  await page.route("**/api/sites/guard/*", (route) => route.abort());
  await signIn(page, "admin", { at: `/dashboard?site=${limits.siteId}` });
  await expect(noticeOf(page)).toContainText("(not above 5 °C)", { timeout: JUDGED_MS });
  await expect(noticeOf(page)).toContainText("Since when could not be read.", { timeout: JUDGED_MS });
  await noticeOf(page).getByRole("button", { name: "Weather limits" }).click();
  const dialog = page.getByRole("dialog", { name: `Weather Limits: ${BHADLA}` });
  await expect(dialog).toContainText("The weather limits could not be loaded.", { timeout: JUDGED_MS });
  await page.unroute("**/api/sites/guard/*");
  await dialog.getByRole("button", { name: "Retry" }).click();
  await expect(dialog.getByLabel("Highest temperature (°C)")).toHaveValue("5");
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(390);
  await expectAccessible(page, dialog);
});
