import { type Alert, alertList } from "@suncrew/contract/alerts/alerts.ts";
import { firmwareList, rolloutList } from "@suncrew/contract/firmware/firmware.ts";
import { expect, test } from "vitest";
import { type Locator, page } from "vitest/browser";
import { when } from "../../../test/answers.ts";
import { expectCount, expectNoSidewaysScroll, expectTexts } from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";
import { sampleWeather } from "../../../test/sample-fleet.ts";
import { siteWeather } from "@suncrew/contract/weather/weather.ts";

const boxOf = async (locator: Locator) => (await locator.findElement()).getBoundingClientRect();

test("§2 Top navigation bar: at no width does a link overlap what is at the end of the bar", async () => {
  await openConsole("/dashboard");
  const bar = page.getByRole("banner");
  await expect.element(bar.getByText("Live", { exact: true })).toBeVisible();
  for (const width of [992, 1040, 1089, 1130, 1200, 1265, 1281, 1345, 1409, 1440, 1537, 1601]) {
    await page.viewport(width, 800);
    const links = bar.getByRole("navigation", { name: "Main" }).getByRole("link").elements();
    const end = links.length === 0 ? 0 : (links.at(-1)?.getBoundingClientRect().right ?? 0);
    expect(end, `at ${width} px`).toBeLessThan((await boxOf(bar.getByText("Live", { exact: true }))).left - 16);
    await expectNoSidewaysScroll();
  }
});

test("§6: a partner's navigation has no page that it may not open", async () => {
  await openConsole("/dashboard", "partner");
  await expectTexts(page.getByRole("navigation", { name: "Main" }).getByRole("link"), [
    "Dashboard",
    "Robots",
    "Calendar",
    "Site Management",
    "Site Reports",
    "Notifications",
  ]);
});

test("§2 Map panel: its buttons are beside the map", async () => {
  await openConsole("/dashboard?site=1&map=shown");
  const map = await boxOf(page.getByRole("region", { name: /^Map of sites/ }));
  for (const name of ["Zoom in", "Zoom out", "Reset the map"]) {
    const button = await boxOf(page.getByRole("button", { name }));
    expect(button.bottom).toBeLessThanOrEqual(map.top);
  }
});

test("Alerts: no row is lower than its content, not even on a phone", async () => {
  const alert: Alert = {
    id: "1",
    severity: "CRITICAL",
    source: "SERVER",
    code: "AWAY",
    text: "The robot has been offline for more than 30 minutes and was last seen while it was cleaning its row.",
    raised_at: new Date(Date.now() - 400 * 86_400_000).toISOString(),
    cleared_at: new Date(Date.now() - 399 * 86_400_000).toISOString(),
    times: 12,
    site_id: 1,
    site_name: "Bhadla Solar Park",
    robot_id: 11,
    robot_name: "Bhadla Row 04",
    serial_number: "SCR-1011",
    acknowledged_at: new Date().toISOString(),
    acknowledged_by: "Somebody with quite a long name of her own",
    sample: true,
  };
  const alerts = Array.from({ length: 4 }, (_, nth) => ({ ...alert, id: String(nth + 1) }));
  const open = { CRITICAL: 0, WARNING: 0, INFO: 0 };
  when(alertList).answer({ alerts, total: 4, total_exact: true, open, next_cursor: null });
  await openConsole("/dashboard?dialog=alerts&state=cleared");
  const rows = page.getByRole("dialog", { name: "Alerts" }).getByRole("listitem");
  for (const width of [1280, 390]) {
    await page.viewport(width, 800);
    await expectCount(rows, 4);
    await expect
      .poll(() =>
        rows.elements().filter((row) => row.scrollHeight > row.clientHeight || row.scrollWidth > row.clientWidth),
      )
      .toEqual([]);
    await expect
      .poll(() => {
        const [first, second] = rows.elements().map((row) => row.getBoundingClientRect());
        return (second?.top ?? 0) - (first?.bottom ?? 0);
      })
      .toBeGreaterThanOrEqual(-0.5);
  }
});

test("on a phone Firmware is available and All rollouts fits; the forecast breaks between words; Delete is beside Edit", async () => {
  when(rolloutList).answer([]);
  when(firmwareList).answer([]);
  when(siteWeather).answer(() => {
    const weather = sampleWeather();
    return { ...weather, forecast: weather.forecast.map((day) => ({ ...day, description: "Thunderstorm with hail" })) };
  });
  await page.viewport(390, 800);
  await openConsole("/sites");
  await page.getByRole("button", { name: "Firmware", exact: true }).click();
  await page.getByRole("dialog", { name: "Firmware" }).getByRole("button", { name: "Deploy Firmware" }).click();
  const all = await page.getByRole("button", { name: "All rollouts" }).findElement();
  const words = all.querySelector("[class*=label]") ?? all;
  expect(words.scrollWidth).toBeLessThanOrEqual(words.clientWidth);
  await page.getByRole("button", { name: "Close" }).last().click();

  await page.getByRole("button", { name: "Open navigation" }).click();
  await page.getByRole("menuitem", { name: "Partners" }).click();
  for (const width of [390, 700, 1024, 1180, 1440]) {
    await page.viewport(width, 800);
    const card = page.getByRole("article", { name: "SunCare Services" });
    const edit = await boxOf(card.getByRole("button", { name: "Edit" }));
    expect((await boxOf(card.getByRole("button", { name: "Delete" }))).top, `at ${width} px`).toBe(edit.top);
  }

  await page.viewport(390, 800);
  await page.getByRole("button", { name: "Open navigation" }).click();
  await page.getByRole("menuitem", { name: "Dashboard" }).click();
  await page.getByRole("button", { name: "7-day forecast" }).click();
  const cell = page.getByRole("dialog", { name: "7-day forecast" }).getByText("Thunderstorm with hail").first();
  const text = (await cell.findElement()).lastChild;
  if (text === null) throw new Error("The cell has no words.");
  const word = new Range();
  word.setStart(text, 0);
  word.setEnd(text, "Thunderstorm".length);
  expect(word.getClientRects()).toHaveLength(1);
  await expectNoSidewaysScroll();
});
