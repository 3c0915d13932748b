import type { Page } from "@playwright/test";
import type { BodyOf } from "@suncrew/contract/http/route.ts";
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
  expectTruth,
  robotCard,
  siteFacts,
  startRobot,
} from "./support/dashboard.ts";
import { expect, localText, siteAddress, test as base } from "./support/group-fixtures.ts";

const ZONE = "Asia/Kolkata";
const NONE = {
  max_gust_kmh: null,
  max_rain_mm: null,
  min_temperature_c: null,
  max_temperature_c: null,
  without_sensor: "FORECAST",
} satisfies BodyOf<typeof updateSiteGuard>;
/** The weather sensor of the site. */
const SENSOR = "WX-1001";
/** The demo stores its sample weather in its first minutes. */
const FORECAST_MS = 180_000;

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

  async set(change: Partial<BodyOf<typeof updateSiteGuard>>): Promise<void> {
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
    await expect(siteFacts(page)).toContainText("Within limits");
    await expectStatus(card, "Normal");
  });

  await test.step("a limit that the forecast passes stops it", async () => {
    const dialog = await openLimits(page);
    await dialog.getByLabel("Highest temperature (°C)").fill("5");
    await expect(dialog).toContainText("With these limits no robot could run now");
    await expectAccessible(page, dialog);
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(noticeOf(page)).toContainText("No robot starts: the weather passes a limit of this site");
    await expect(noticeOf(page)).toContainText(/°C \(not above 5 °C\) is (forecast|measured)\./);
    await expect(noticeOf(page)).toContainText(
      /Passed since .+\)\. Sample forecast, received .+\. Sensor WX-1001: last/,
    );
    await expectStatus(card, "Idle");
    const { state } = await limits.read();
    await expectDisabled(card.start, state?.text ?? "");
  });

  await test.step("Needs attention names the site, the robot's page the limit and its run why it ended", async () => {
    const attention = page.getByRole("region", { name: "Attention" });
    // The site may be soiled as well.
    const item = attention.getByRole("listitem").filter({ hasText: BHADLA }).filter({ hasText: "Wind and rain guard" });
    await expect(item).toBeVisible();
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
  await limits.set({ max_gust_kmh: 200 });
  await signIn(page, "admin", { at: `/dashboard?site=${limits.siteId}` });
  await expect(siteFacts(page)).toContainText("Within limits");
  const age = (by: string) =>
    suncrew.sql(`update site_weather_days set confirmed_at = confirmed_at ${by} interval '7 hours'
      where site_id = ${limits.siteId}`);
  await age("-");
  await expect(noticeOf(page)).toContainText("No robot starts: the weather at this site is not known");
  await expect(noticeOf(page)).toContainText("One that is older than six hours counts for nothing.");
  const { state } = await limits.read();
  await expectDisabled(robotCard(page, "SCR-1001").start, state?.text ?? "");
  await expectAccessible(page, noticeOf(page));
  await age("+");
  await expect(siteFacts(page)).toContainText("Within limits");
});

test("§11 Wind and rain guard: on a phone, notice and limits survive a failing call, and Retry brings them", async ({
  page,
  signIn,
  limits,
  problems,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await limits.set({ max_temperature_c: 5 });
  problems.allow(/api\/sites\/guard/);
  await page.route("**/api/sites/guard/*", (route) => route.abort());
  await signIn(page, "admin", { at: `/dashboard?site=${limits.siteId}` });
  await expect(noticeOf(page)).toContainText("(not above 5 °C)");
  await expect(noticeOf(page)).toContainText("Since when could not be read.");
  await noticeOf(page).getByRole("button", { name: "Weather limits" }).click();
  const dialog = page.getByRole("dialog", { name: `Weather Limits: ${BHADLA}` });
  await expect(dialog).toContainText("The weather limits could not be loaded.");
  await page.unroute("**/api/sites/guard/*");
  await dialog.getByRole("button", { name: "Retry" }).click();
  await expect(dialog.getByLabel("Highest temperature (°C)")).toHaveValue("5");
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(390);
  await expectAccessible(page, dialog);
});

test("§11 Wind and rain guard: gusts at the site's weather sensor bring a running robot to rest, whatever is forecast", async ({
  page,
  signIn,
  simulator,
  limits,
}) => {
  // Above all that the sample forecasts.
  await limits.set({ max_gust_kmh: 60 });
  await signIn(page, "partner", { at: `/dashboard?site=${limits.siteId}` });
  await expect(siteFacts(page)).toContainText("Within limits");
  const card = robotCard(page, "SCR-1001");
  await startRobot(card, simulator);
  try {
    await simulator.weather(SENSOR, { kind: "gusts", kmh: 87 });
    const reason = "Gusts of 87 km/h (limit 60 km/h) are measured";
    await expectTruth(simulator, "SCR-1001", { motion: "STOPPED" });
    await expectStatus(card, "Idle");
    await expect(noticeOf(page)).toContainText(reason, { ignoreCase: true });
    const { state, sensor } = await limits.read();
    await expectDisabled(card.start, state?.text ?? "");
    expect(sensor).toMatchObject({ serial: SENSOR, gust_kmh: 87, fresh: true });
    const item = page
      .getByRole("region", { name: "Attention" })
      .getByRole("listitem")
      .filter({ hasText: reason.slice(1) });
    await expect(item).toContainText(BHADLA);
    const dialog = await openLimits(page);
    await expect(dialog).toContainText("Measured: 87 km/h.");
  } finally {
    await simulator.calmWeather(SENSOR);
  }
});

test("§11 Wind and rain guard: a site may take a silent sensor for a passed limit: its robots stop, and none starts", async ({
  page,
  signIn,
  simulator,
  suncrew,
  limits,
}) => {
  await limits.set({ max_gust_kmh: 200 });
  await signIn(page, "admin", { at: `/dashboard?site=${limits.siteId}` });
  const card = robotCard(page, "SCR-1001");
  await expect(siteFacts(page)).toContainText("Within limits");
  await startRobot(card, simulator);
  try {
    await simulator.weather(SENSOR, { kind: "silent" });
    // What it has published by then may still be on its way.
    const silence = () =>
      suncrew.sql(`update site_sensors set received_at = received_at - interval '2 minutes', sensor_ts = sensor_ts - interval '2 minutes'
        where site_id = ${limits.siteId} and received_at > now() - interval '90 seconds'`);
    await expect.poll(silence).toBe(0);
    await test.step("by the forecast alone it carries on", async () => {
      const dialog = await openLimits(page);
      const sensor = dialog.getByRole("region", { name: "Weather sensor" });
      await expect(sensor).toContainText(/last reading .+, which does not count any more/);
      await expectTruth(simulator, "SCR-1001", { motion: "MOVING" });
      await sensor.getByRole("switch", { name: "A silent sensor is as bad as a passed limit" }).check({ force: true });
      await expect(dialog).toContainText("With these limits no robot could run now");
      await dialog.getByRole("button", { name: "Save" }).click();
      await expect(dialog).toBeHidden();
    });
    await expect(noticeOf(page)).toContainText("there is no reading of the site's weather sensor within 90 seconds");
    await expectTruth(simulator, "SCR-1001", { motion: "STOPPED" });
    const { state } = await limits.read();
    await expectDisabled(card.start, state?.text ?? "");
  } finally {
    await simulator.calmWeather(SENSOR);
  }
});

test("§11 Wind and rain guard: a due run that the weather skipped says so in the calendar and in the history of its robots", async ({
  page,
  signIn,
  suncrew,
  groups,
  limits,
}) => {
  const group = await groups.make(BHADLA, "Stormy rows", ["SCR-1001"]);
  await limits.set({ max_temperature_c: 5 });
  await signIn(page, "admin", { at: siteAddress(group, "calendar") });
  await expect(noticeOf(page)).toContainText("(not above 5 °C)");
  await groups.schedule(group, { startTime: localText(new Date(Date.now() + 120_000), ZONE), minutes: 1 });
  await suncrew.sql(
    `update schedules set next_run_at = date_trunc('second', now()),
      start_time = date_trunc('second', now()) at time zone '${ZONE}' where group_id = ${group.id}`,
  );
  const entry = page.getByRole("region", { name: "Week of cleaning" }).getByRole("button", { name: "Stormy rows" });
  await expect(async () => {
    // Other tests' runs of the day may come first.
    for (const more of await page.getByRole("button", { name: /^Show \d+ more$/ }).all()) await more.click();
    await expect(entry).toContainText("Skipped", { timeout: 2_000 });
  }).toPass();
  await entry.click();
  const details = page.getByRole("dialog", { name: /^Stormy rows at / });
  await expect(details.getByRole("list", { name: "Reasons" })).toContainText(
    /SCR-1001 skipped: Wind and rain guard: .*\(not above 5 °C\)/,
  );
  await page.goto("/robots/SCR-1001");
  await expect(page.getByRole("region", { name: "Records" })).toContainText(/Skipped.*\(not above 5 °C\)/);
});
