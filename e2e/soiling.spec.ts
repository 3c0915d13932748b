import type { Page } from "@playwright/test";
import { energyFactsSchema } from "@suncrew/contract/sites/site-energy-facts.ts";
import { energyAtRisk } from "@suncrew/contract/soiling/soiling.ts";
import { expectAccessible } from "./support/axe.ts";
import { BHADLA, expectDisabled, expectToast } from "./support/dashboard.ts";
import { expect, SAMBHAR, type SiteBody } from "./support/site-fixtures.ts";
import { FIRST_FIGURES_MS, test } from "./support/soiling-fixtures.ts";

const soilingOf = (page: Page) => page.getByRole("region", { name: "Soiling", exact: true });
const figureOf = (page: Page, name: string) => soilingOf(page).getByRole("region", { name });
const gapsOf = (page: Page) => soilingOf(page).getByRole("group", { name: "Some facts are missing" });
const measuredOf = (page: Page) => page.getByRole("region", { name: "Measured", exact: true });
const riskOf = (page: Page) => page.getByRole("region", { name: "Energy at risk tonight" });

test("§11 Soiling: each fact that is missing is named with what it leaves unknown, and with the way to enter it", async ({
  page,
  signIn,
  sites,
}) => {
  const facts = energyFactsSchema.parse(await sites.named(BHADLA));
  const site = await sites.make({ ...SAMBHAR, ...facts });
  const tab = `/dashboard?site=${site.id}&tab=soiling`;
  await signIn(page, "admin", { at: tab });
  const lines = gapsOf(page).getByRole("listitem");
  const enter = gapsOf(page).getByRole("button", { name: "Enter them" });
  await expect(lines.first()).toContainText(/The soiling ratio needs .*robots/, { timeout: FIRST_FIGURES_MS });
  await expect(gapsOf(page).getByRole("link", { name: "Add robots" })).toBeVisible();
  await expect(enter).toHaveCount(0);

  const each: [Partial<SiteBody>, RegExp][] = [
    [{ tilt_degrees: null }, /The soiling ratio needs .*tilt/],
    [{ azimuth_degrees: null }, /Energy needs azimuth/],
    [{ performance_ratio_percent: null }, /Energy needs performance ratio/],
    [{ tariff_per_kwh: null }, /Money needs tariff\./],
    // Which both prices need.
    [{ currency: null, tariff_per_kwh: null, cleaning_price: null }, /Money needs tariff and currency\./],
    [{ cleaning_price: null }, /The next worthwhile night needs price of a cleaning\./],
    [{ dc_capacity_kwp: null, control_capacity_kwp: null }, /Energy needs DC capacity/],
  ];
  for (const [missing, words] of each) {
    await sites.change(site, missing);
    await page.reload();
    await expect(lines.filter({ hasText: words })).toHaveCount(1);
    await expect(enter).toBeVisible();
  }

  await enter.click();
  const form = page.getByRole("dialog", { name: "Edit Site" });
  await form.getByLabel("DC capacity (kWp)").fill("12000");
  await form.getByRole("button", { name: "Save" }).click();
  await expect(lines.filter({ hasText: "DC capacity" })).toHaveCount(0);
  await expect(enter).toHaveCount(0);
});

test("§11 Soiling: the tab says which inputs are missing and what that leaves unknown, and which are out of date", async ({
  page,
  signIn,
  bhadla,
  inputs,
}) => {
  const { id } = bhadla.site;
  const card = soilingOf(page);
  await inputs.hide("site_air_days", id);
  await signIn(page, "admin", { at: bhadla.tab });
  await expect(card).toContainText("Kimber's rule of thumb, from sample rain alone");
  await expect(figureOf(page, "Soiling ratio now")).toContainText(/between [\d.]+ and/);
  await expect(gapsOf(page)).toContainText("Better than a rule of thumb needs particles in the air.");
  await expect(gapsOf(page)).toContainText("Suncrew reads particles, rain and irradiation by itself");

  await inputs.hide("site_weather_days", id);
  await page.reload();
  await expect(card).toContainText("How soiled this site is is not known yet.");
  await expect(gapsOf(page)).toContainText("The soiling ratio needs rain.");
  await expect(gapsOf(page)).toContainText("Energy needs irradiation.");
  await expect(figureOf(page, "Soiling ratio now")).toHaveCount(0);
  await expectAccessible(page, card);

  await inputs.restore();
  const outOfDate = card.getByRole("status").filter({ hasText: "The forecast is out of date" });
  for (const old of ["site_air_days", "site_weather_days"] as const) {
    await inputs.age(old, id);
    await page.reload();
    await expect(outOfDate).toContainText("Particles and rain were last received 2 d ago.");
    await expect(figureOf(page, "A run tonight is worth")).toContainText("Not known");
    await expect(figureOf(page, "Next worthwhile night")).toContainText("Not known");
    await expect(figureOf(page, "Soiling ratio now")).toContainText(/\d\s%/);
    await expect(gapsOf(page)).toHaveCount(0);
    await inputs.restore();
  }
  await page.reload();
  await expect(figureOf(page, "A run tonight is worth")).toContainText(/Wh/);
  await expect(outOfDate).toHaveCount(0);
});

test("§11 Measured: the performance ratio is corrected by a press, unless its figures have changed meanwhile, and taken back", async ({
  page,
  signIn,
  problems,
  bhadla,
}) => {
  const entered = bhadla.site.performance_ratio_percent ?? 0;
  const percent = (share: number) => String(Math.round(100 * entered * share) / 100);
  await bhadla.measure(0.94);
  await signIn(page, "admin", { at: bhadla.tab });
  const energy = measuredOf(page).getByRole("region", { name: "Energy against the model" });
  await expect(energy).toContainText("6.0 % less than modelled");
  const press = async (to: string) => {
    await energy.getByRole("button", { name: `Correct the model: performance ratio ${to} %` }).click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: `Set performance ratio ${to} %` })
      .click();
  };

  problems.allow(/status of 409 .*\/correction\)/);
  await bhadla.measure(0.9);
  await press(percent(0.94));
  await expectToast(
    page,
    "Model Not Corrected",
    "Nothing was changed.",
    "The days have changed since this was shown. Look at the new figures first.",
  );
  await expect(energy).toContainText("10.0 % less than modelled");
  const corrected = page.getByRole("group", { name: "The model is corrected" });
  await expect(corrected).toHaveCount(0);

  const clean = async () => (await bhadla.pastDays()).reduce((sum, day) => sum + day.energy, 0);
  const before = await clean();
  await press(percent(0.9));
  await expectToast(
    page,
    "Model Corrected",
    `The soiling model counts with performance ratio ${percent(0.9)}\u00a0% now.`,
  );
  await expect(corrected).toContainText(
    `Performance ratio ${percent(0.9)} % instead of performance ratio ${entered} %`,
  );
  await expect(energy).toContainText("As modelled");
  await expect(energy.getByRole("button")).toHaveCount(0);
  expect((await clean()) / before).toBeCloseTo(0.9, 3);
  await corrected.getByRole("button", { name: /^Take back/ }).click();
  await expect(corrected).toHaveCount(0);
  await expect(energy).toContainText("10.0 % less than modelled");
});

test("§11 Measured: a file is imported once its wrong row is mended, and compared; the factor on particles is corrected and taken back, control rows show what cleaning brings", async ({
  page,
  signIn,
  problems,
  bhadla,
}) => {
  await signIn(page, "admin", { at: bhadla.tab });
  const measured = measuredOf(page);
  await expect(measured).toContainText("Nothing yet.");
  await expectAccessible(page, measured);

  // 6 % less than the model at a place half as dusty again, whose control rows give 4 % less for each kWp.
  const rows = (await bhadla.pastDays()).map(({ date, energy: modelled, ratio }) => {
    const energy = 0.94 * modelled;
    const control = (energy * 0.02 * 0.96) / (0.98 + 0.02 * 0.96);
    return [date, energy.toFixed(3), control.toFixed(3), (1 - 1.5 * (1 - ratio)).toFixed(6)].join(",");
  });
  await measured.getByRole("button", { name: "Import" }).click();
  const dialog = page.getByRole("dialog", { name: "Import Measurements" });
  const choose = (name: string, lines: readonly string[]) => {
    const csv = ["start,meter_energy_kwh,control_energy_kwh,soiling_ratio", ...lines].join("\n");
    const file = { name, mimeType: "text/csv", buffer: Buffer.from(csv) };
    return dialog.locator('input[type="file"]').setInputFiles(file);
  };
  await choose("wrong.csv", rows.toSpliced(1, 1, rows[1]?.replace(/,/, ",-") ?? ""));
  const wrong = dialog.getByRole("row").filter({ hasText: "Meter energy must be a number from 0 to" });
  await expect(wrong.getByRole("cell").first()).toHaveText("3");
  await expectDisabled(
    dialog.getByRole("button", { name: "Import", exact: true }),
    "Fix the row with a problem first: all rows are imported, or none.",
  );
  await choose("meter.csv", rows);
  await dialog.getByRole("button", { name: `Import ${rows.length} measurements` }).click();
  await expect(dialog).toContainText(`${rows.length} measurements stored from meter.csv.`);
  await dialog.getByRole("button", { name: "Close" }).last().click();
  const energy = measured.getByRole("region", { name: "Energy against the model" });
  await expect(energy).toContainText("6.0 % less than modelled");
  await expect(energy).toContainText(/from \d+ clear days by the meter/);
  await expect(energy).toContainText(/Not counted: .*\d+ (cloudy|with rain)|Every day counts/);
  await expect(measured).toContainText("the last 92 days are compared with the model");
  const station = measured.getByRole("region", { name: "Station against the model" });
  await expect(station).toContainText("1.50 times the model\u2019s");
  await station.getByRole("button", { name: /^Correct the model: particles ×1\.6/ }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Set particles/ })
    .click();
  const corrected = page.getByRole("group", { name: "The model is corrected" });
  await expect(corrected).toContainText(/Particles ×1\.6\d? instead of particles ×1, by .+ on /);
  await expect(station).toContainText(/As modelled|(0\.99|1\.0[01]) times the model/);
  await expect(station.getByRole("button")).toHaveCount(0);
  await expect(soilingOf(page)).toContainText(/from sample particles \(×1\.6\d?\) and rain/);
  await expectAccessible(page, corrected);
  await corrected.getByRole("button", { name: /^Take back/ }).click();
  await expect(corrected).toHaveCount(0);
  await expect(station).toContainText("1.50 times the model\u2019s");

  const control = measured.getByRole("region", { name: "Control rows" });
  await control.getByRole("button", { name: "Enter them" }).click();
  const form = page.getByRole("dialog", { name: "Edit Site" });
  await form.getByLabel("Control rows (kWp)").fill("200");
  await form.getByRole("button", { name: "Save" }).click();
  await expect(control).toContainText("4.2 % more energy");
  await expect(measured.getByRole("table", { name: "Measured days" })).toContainText("+4.2 %");
  await expectAccessible(page, measured);

  problems.allow(/status of 503 .*\/comparison\)/);
  const comparison = `**/api/measurements/${bhadla.site.id}/comparison`;
  await page.route(comparison, (route) => route.fulfill({ status: 503, json: { message: "Busy." } }));
  await page.reload();
  await expect(measured).toContainText("What is measured at this site could not be loaded.");
  await page.unroute(comparison);
  await measured.getByRole("button", { name: "Retry" }).click();
  await expect(control).toContainText("4.2 % more energy");

  await measured.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog", { name: "Delete Measurements" }).getByRole("button", { name: "Delete" }).click();
  await expect(measured).toContainText("Nothing yet.");
});

test("§11 Soiling: the dashboard's energy at risk and a soiled site that needs attention lead to a tab with modelled figures", async ({
  page,
  signIn,
  sites,
  suncrew,
  held,
}) => {
  await signIn(page, "admin");
  await expect(riskOf(page)).toContainText(/Wh/, { timeout: FIRST_FIGURES_MS });
  await riskOf(page).getByRole("button", { name: "Show sites" }).click();
  await riskOf(page).getByRole("list", { name: "Sites by energy at risk" }).getByRole("link").first().click();
  await expect(page).toHaveURL(/tab=soiling/);
  const card = soilingOf(page);
  await expect(card).toContainText("Modelled, not measured");
  await expect(card).toContainText("Sample");
  await expect(figureOf(page, "Soiling ratio now")).toContainText(/\d\s%/);
  await expect(card.getByRole("figure", { name: /^Loss: from/ })).toBeVisible();
  await expectAccessible(page, card);
  await card.getByRole("button", { name: "Show as table" }).click();
  await expect(card.getByRole("table", { name: "Loss day by day" })).toContainText("Forecast");

  const siteId = Number(new URL(page.url()).searchParams.get("site"));
  const name = (await sites.listed()).find(({ id }) => id === siteId)?.name;
  // By the sample of the day it may be soiled anyway.
  await held.soiling();
  await suncrew.sql(`insert into alerts (site_id, source, severity, code, text, raised_at)
    values (${siteId}, 'SERVER', 'WARNING', 'SITE_SOILED', 'Loss by soiling as a test says.', now())
    on conflict do nothing`);
  await page.goto("/dashboard");
  await page
    .getByRole("region", { name: "Attention" })
    .getByRole("listitem")
    .filter({ hasText: name })
    .filter({ hasText: "soiling" })
    .getByRole("button", { name: /^Open/ })
    .click();
  await expect(page).toHaveURL(new RegExp(`site=${siteId}&tab=soiling`));
});

test("§11 Energy at risk: it says which sites are left out, for want of facts, of air and weather, or of current ones", async ({
  page,
  signIn,
  apiAs,
  sites,
  bhadla,
  suncrew,
  held,
}) => {
  const admin = await apiAs("admin");
  const waiting = async () => (await admin.call(energyAtRisk, {})).waiting_sites;
  await expect.poll(waiting, { timeout: FIRST_FIGURES_MS }).toBe(0);
  await held.soiling();
  const { missing_facts_sites: factless } = await admin.call(energyAtRisk, {});
  const sitesText = (count: number) => `${count} ${count === 1 ? "site" : "sites"}`;
  await signIn(page, "admin");
  await expect(riskOf(page)).toContainText(/Wh/);
  const showSites = async () => {
    await page.reload();
    await riskOf(page).getByRole("button", { name: "Show sites" }).click();
  };
  const site = await sites.make();
  await showSites();
  await expect(riskOf(page)).toContainText(`Left out: ${sitesText(factless + 1)} without facts.`);

  await sites.change(site, energyFactsSchema.parse(bhadla.site));
  await showSites();
  await expect(riskOf(page)).toContainText(
    `Left out: ${sitesText(factless)} without facts, 1 site still waiting for particles and rain.`,
  );

  const age = (by: string, of: string) =>
    suncrew.sql(`update site_soiling set received_at = received_at ${by} interval '2 days' where ${of}`);
  const isOld = "received_at < now() - interval '1 day'";
  try {
    await age("-", `site_id = ${bhadla.site.id}`);
    await showSites();
    await expect(riskOf(page)).toContainText("1 site out of date.");
    await expect(riskOf(page).getByRole("link", { name: BHADLA })).toHaveCount(0);
    await age("-", `not ${isOld}`);
    await page.reload();
    await expect(riskOf(page)).toContainText("Energy at risk tonight is not known now.");
    await expect(riskOf(page)).toContainText(/The forecasts of \d+ sites are out of date; Suncrew keeps asking\./);
    await expectAccessible(page, riskOf(page));
  } finally {
    await age("+", isOld);
  }
});
