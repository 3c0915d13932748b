import { updateSite } from "@suncrew/contract/sites/site-forms.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { siteSoiling } from "@suncrew/contract/soiling/soiling.ts";
import { expectAccessible } from "./support/axe.ts";
import { expect, test } from "./support/suncrew.ts";

/** The server asks for air and weather, computes, and the console asks again while nothing is known. */
const FIRST_FIGURES_MS = 90_000;

test("§11 Soiling: the dashboard's energy at risk and a soiled site that needs attention lead to a tab with modelled figures, which says what is missing or out of date", async ({
  page,
  signIn,
  apiAs,
  suncrew,
}) => {
  test.setTimeout(120_000 + FIRST_FIGURES_MS);
  await signIn(page, "admin");
  const risk = page.getByRole("region", { name: "Energy at risk tonight" });
  await expect(risk).toContainText(/Wh/, { timeout: FIRST_FIGURES_MS });
  await risk.getByRole("button", { name: "Show sites" }).click();
  await risk.getByRole("list", { name: "Sites by energy at risk" }).getByRole("link").first().click();
  await expect(page).toHaveURL(/tab=soiling/);
  const card = page.getByRole("region", { name: "Soiling", exact: true });
  await expect(card).toContainText("Modelled, not measured");
  await expect(card).toContainText("Sample");
  await expect(card.getByRole("region", { name: "Soiling ratio now" })).toContainText(/\d\s%/);
  await expect(card.getByRole("figure", { name: /^Loss: from/ })).toBeVisible();
  await expectAccessible(page, card);
  await card.getByRole("button", { name: "Show as table" }).click();
  await expect(card.getByRole("table", { name: "Loss day by day" })).toContainText("forecast");
  const api = await apiAs("admin");
  const tab = page.url();
  const siteId = Number(new URL(tab).searchParams.get("site"));
  const site = (await api.call(siteDetails, {})).find(({ id }) => id === siteId);
  if (site === undefined) throw new Error("There is no such site");
  const ofSite = `where site_id = ${siteId} and superseded_at is null`;
  try {
    // By the sample of the day it may be soiled anyway.
    await suncrew.sql(`insert into alerts (site_id, source, severity, code, text, raised_at)
      values (${siteId}, 'SERVER', 'WARNING', 'SITE_SOILED', 'Loss by soiling as a test says.', now())
      on conflict do nothing`);
    await suncrew.sql(`update sites set tariff_per_kwh = null, version = version + 1 where id = ${siteId}`);
    await page.goto("/dashboard");
    await page
      .getByRole("region", { name: "Attention" })
      .getByRole("listitem")
      .filter({ hasText: site.name })
      .filter({ hasText: "soiling" })
      .getByRole("button", { name: /^Open/ })
      .click();
    await expect(page).toHaveURL(new RegExp(`site=${siteId}&tab=soiling`));
    await expect(card.getByRole("group", { name: "Some facts are missing" })).toContainText("tariff");
    await suncrew.sql(`update site_air_days set confirmed_at = confirmed_at - interval '2 days' ${ofSite}`);
    await page.reload();
    await expect(card).toContainText("The forecast is out of date");
  } finally {
    await suncrew.sql(`update site_air_days set confirmed_at = confirmed_at + interval '2 days' ${ofSite}`);
    await suncrew.sql(
      `update sites set tariff_per_kwh = ${site.tariff_per_kwh}, version = version - 1 where id = ${siteId}`,
    );
  }
});

test("§11 Measured: a file is imported and compared, the model corrected by a press and taken back, control rows show what cleaning brings", async ({
  page,
  signIn,
  apiAs,
  problems,
}) => {
  test.setTimeout(150_000 + FIRST_FIGURES_MS);
  const api = await apiAs("admin");
  const bhadla = (await api.call(siteDetails, {})).find(({ name }) => name === "Bhadla Solar Park");
  if (bhadla === undefined) throw new Error("There is no Bhadla");
  const params = { siteId: bhadla.id };
  const known = async () => (await api.call(siteSoiling, { params })).days.filter((day) => !day.is_forecast);
  await expect.poll(async () => (await known()).length, { timeout: FIRST_FIGURES_MS }).toBeGreaterThan(60);

  await signIn(page, "admin", { at: `/dashboard?site=${bhadla.id}&tab=soiling` });
  const measured = page.getByRole("region", { name: "Measured", exact: true });
  await expect(measured).toContainText("Nothing yet.");
  await expectAccessible(page, measured);

  // 6 % less than the model at a place half as dusty again, whose control rows give 4 % less for each kWp.
  const rows = (await known()).slice(0, -1).map(({ date, energy_kwh: clean, ratio }) => {
    const energy = 0.94 * (clean ?? 0) * (ratio?.value ?? 0);
    const control = (energy * 0.02 * 0.96) / (0.98 + 0.02 * 0.96);
    return [date, energy.toFixed(3), control.toFixed(3), (1 - 1.5 * (1 - (ratio?.value ?? 1))).toFixed(6)].join(",");
  });
  const csv = ["start,meter_energy_kwh,control_energy_kwh,soiling_ratio", ...rows].join("\n");
  await measured.getByRole("button", { name: "Import" }).click();
  const dialog = page.getByRole("dialog", { name: "Import Measurements" });
  const file = { name: "meter.csv", mimeType: "text/csv", buffer: Buffer.from(csv) };
  await dialog.locator('input[type="file"]').setInputFiles(file);
  await dialog.getByRole("button", { name: `Import ${rows.length} measurements` }).click();
  await expect(dialog).toContainText(`${rows.length} measurements stored from meter.csv.`);
  await dialog.getByRole("button", { name: "Close" }).last().click();
  const energy = measured.getByRole("region", { name: "Energy against the model" });
  await expect(energy).toContainText("6.0 % less than modelled");
  await expect(energy).toContainText(/from \d+ clear days by the meter/);

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
  const soiling = page.getByRole("region", { name: "Soiling", exact: true });
  await expect(soiling).toContainText(/from sample particles \(×1\.6\d?\) and rain/);
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
  const comparison = `**/api/measurements/${bhadla.id}/comparison`;
  await page.route(comparison, (route) => route.fulfill({ status: 503, json: { message: "Busy." } }));
  await page.reload();
  await expect(measured).toContainText("What is measured at this site could not be loaded.", { timeout: 30_000 });
  await page.unroute(comparison);
  await measured.getByRole("button", { name: "Retry" }).click();
  await expect(control).toContainText("4.2 % more energy");

  await measured.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog", { name: "Delete Measurements" }).getByRole("button", { name: "Delete" }).click();
  await expect(measured).toContainText("Nothing yet.");
  await api.call(updateSite, {
    params: { id: bhadla.id },
    body: { ...bhadla, control_capacity_kwp: null, version: undefined },
  });
});
