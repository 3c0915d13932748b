import type { GuardState } from "@suncrew/contract/guard/guard-state.ts";
import { assignSensor, removeSensor, siteGuard, updateSiteGuard } from "@suncrew/contract/guard/site-guard.ts";
import { groupList } from "@suncrew/contract/groups/groups.ts";
import { live } from "@suncrew/contract/live/live.ts";
import { robotNights } from "@suncrew/contract/robot-history/nights.ts";
import {
  robotBySerial,
  robotChanges,
  robotHistory,
  robotOrders,
} from "@suncrew/contract/robot-history/robot-history.ts";
import { runsList } from "@suncrew/contract/runs/runs.ts";
import type { Schedule } from "@suncrew/contract/schedules/schedules.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { sendOnStream, when } from "../../../test/answers.ts";
import {
  expectAccessible,
  expectContains,
  expectCount,
  expectDisabled,
  expectEnabled,
  expectNoSidewaysScroll,
  expectTexts,
  expectToast,
  press,
  pressRetry,
  siteButton,
} from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";
import {
  BHADLA,
  fleetSnapshot,
  sampleGroup,
  sampleRobots,
  sampleSite,
  sampleSites,
  siteGuardOf,
} from "../../../test/sample-fleet.ts";
import { liveUpdate } from "../../platform/live/test/live-update.ts";
import { chooseTheme } from "../../ui/theme/theme-choice.ts";

const MINUTE_MS = 60_000;
const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE_MS).toISOString();

const GUSTS =
  "Wind and rain guard: gusts of 62 km/h (limit 45 km/h) are forecast. Start is possible once the weather has been within the limits for 10 minutes.";
const PASSED: GuardState = { verdict: "PASSED", text: GUSTS };
const UNKNOWN: GuardState = {
  verdict: "UNKNOWN",
  text: "Wind and rain guard: the weather at the site is not known at the moment, so no robot is started. Robots can still be stopped.",
};
const CLEAR: GuardState = { verdict: "CLEAR", text: null };
const limits = { max_gust_kmh: 45, version: 1 };

const notice = page.getByRole("status").filter({ hasText: "Wind and rain guard" });
const details = page.getByRole("region", { name: "Site details" });
const opener = details.getByRole("button", { name: "Weather limits" }).first();
const dialog = page.getByRole("dialog", { name: `Weather Limits: ${BHADLA}` });
const gust = dialog.getByLabelText("Highest gust (km/h)");
const save = dialog.getByRole("button", { name: "Save" });

/** What the guard of the first site says, in the list of sites and on the live stream. */
function guarded(weather_guard: GuardState | null): void {
  const sites = sampleSites.map((site) => (site.id === 1 ? { ...site, weather_guard } : site));
  when(siteDetails).answer([...sites]);
  when(live).stream(() => {
    const snapshot = fleetSnapshot(sampleRobots);
    return snapshot.type === "snapshot" ? { ...snapshot, sites: [...sites] } : snapshot;
  });
}

function robotCard(serial: string) {
  return page.getByRole("article", { name: serial });
}

test("§11 Wind and rain guard: a site without limits says nothing of them, and its limits can be set, with what they mean now", async () => {
  const saved = when(updateSiteGuard).answer({ message: "Weather limits updated successfully" });
  await openConsole("/dashboard", "partner");
  await expectEnabled(robotCard("SCR-1011").getByRole("button", { name: "Start" }));
  await expectCount(notice, 0);
  await expectCount(page.getByText("Within limits"), 0);
  await opener.click();
  await expect.element(gust).toHaveFocus();
  await expectContains(dialog, "Forecast: 23.4 km/h, next hour 31 km/h.");
  await expectContains(dialog, "Forecast of Open-Meteo, received 20 min ago.");
  await expectContains(dialog, "Without any limit the weather stops no robot of this site.");
  await expectDisabled(save, "Nothing has been changed.");
  await gust.fill("30");
  await expectContains(
    dialog,
    "With these limits no robot could run nowGusts of 31 km/h (limit 30 km/h) are forecast.",
  );
  await gust.fill("45");
  await expectContains(dialog, "The forecast of this hour and the next is within these limits.");
  await dialog.getByLabelText("Lowest temperature (°C)").fill("-5.5");
  await save.click();
  await expectToast("Weather Limits Saved", `The weather limits of ${BHADLA} have been saved.`);
  await expectCount(dialog, 0);
  expect(saved.map(({ params, body }) => [params.siteId, body])).toEqual([
    [
      1,
      {
        max_gust_kmh: 45,
        max_rain_mm: null,
        min_temperature_c: -5.5,
        max_temperature_c: null,
        without_sensor: "FORECAST",
        version: 0,
      },
    ],
  ]);
});

test("§11 Wind and rain guard: limits that make no sense are named at their field, by the rules of the server", async () => {
  await openConsole("/dashboard");
  await opener.click();
  await gust.fill("5");
  await dialog.getByLabelText("Most rain in an hour (mm)").fill("much");
  await dialog.getByLabelText("Lowest temperature (°C)").fill("30");
  await dialog.getByLabelText("Highest temperature (°C)").fill("20");
  await press(gust, "Enter");
  for (const problem of [
    "Highest gust (km/h) must be a number from 10 to 200",
    "Most rain in an hour (mm) must be a number from 0 to 100",
  ])
    await expect.element(dialog.getByText(problem, { exact: true })).toBeVisible();
  await gust.fill("45");
  await dialog.getByLabelText("Most rain in an hour (mm)").fill("0");
  await expect
    .element(dialog.getByText("Highest temperature (°C) must be above the lowest temperature", { exact: true }).first())
    .toBeVisible();
  await expectAccessible(dialog);
});

test("§11 Wind and rain guard: where the forecast is missing, limits can be set, and what that means is said", async () => {
  when(siteGuard).answer(siteGuardOf({ hours: [], forecast_at: null, forecast_source: null }));
  await openConsole("/dashboard");
  await opener.click();
  await expectContains(dialog, "Forecast not known.");
  await expectContains(dialog, "No forecast of this hour and the next has been received. Suncrew keeps asking.");
  await gust.fill("45");
  await expectContains(dialog, "With these limits no robot could start now");
});

test("§11 Wind and rain guard: somebody else's limits are not overwritten", async () => {
  when(siteGuard).answer(siteGuardOf(limits));
  when(updateSiteGuard).fail(409, { code: "EDIT_CONFLICT", message: "Somebody else has changed this site." });
  await openConsole("/dashboard");
  await opener.click();
  await gust.fill("50");
  when(siteGuard).answer(siteGuardOf({ max_gust_kmh: 60, version: 2 }));
  await save.click();
  await expectContains(dialog, "Somebody else changed this site while you were editing");
  await expectContains(dialog.getByRole("table", { name: "What differs" }), "Highest gust (km/h)5060");
});

test("§11 Wind and rain guard: within the limits a site says so, and no more", async () => {
  guarded(CLEAR);
  await openConsole("/dashboard");
  await expect.element(details.getByText("Within limits")).toBeVisible();
  await expectEnabled(robotCard("SCR-1011").getByRole("button", { name: "Start" }));
  await expectCount(notice, 0);
  await expect.element(page.getByText("Good conditions for cleaning")).toBeVisible();
  await expectCount(page.getByText("By rain of 3 days"), 0);
});

test("§11 Wind and rain guard: a passed limit is said with value, limit, source, age and since when, and disables each Start with that reason", async () => {
  guarded(PASSED);
  when(siteGuard).answer(siteGuardOf({ ...limits, state: PASSED, passed_since: ago(12), within_since: ago(3) }));
  when(groupList).answer([sampleGroup()]);
  await openConsole("/dashboard");
  await expectContains(notice, "No robot starts: the weather passes a limit of this site");
  await expectContains(notice, GUSTS);
  await expect
    .poll(() => notice.element().textContent)
    .toMatch(
      /Passed since .*\d{2}:\d{2} \(12 min ago\)\. Within the limits again since .*\d{2}:\d{2}\. Forecast of Open-Meteo, received 20 min ago\./,
    );
  await expectDisabled(robotCard("SCR-1011").getByRole("button", { name: "Start" }), GUSTS);
  await expectContains(siteButton(BHADLA), "Weather limit passed");
  await page.getByRole("tab", { name: "Group Control" }).click();
  await expectDisabled(page.getByRole("button", { name: "Start All" }), GUSTS);
  await notice.getByRole("button", { name: "Weather limits" }).click();
  await expect.element(gust).toHaveValue("45");
});

for (const [state, reason] of [
  [PASSED, "weather limit passed"],
  [UNKNOWN, "weather not known"],
] as const) {
  test(`§4 Weather recommendation: with "${reason}" the card says that its advice is only about rain, and that no robot starts`, async () => {
    guarded(state);
    await openConsole("/dashboard");
    const card = page.getByRole("region", { name: "Weather", exact: true });
    await expectContains(card, "Good to Clean");
    await expectContains(card, `By rain of 3 days only. No robot starts now: ${reason}.`);
  });
}

test("§11 Wind and rain guard: a Start of robots of several sites names those that stay, with one reason for all", async () => {
  guarded(PASSED);
  await openConsole("/robots");
  for (const serial of ["SCR-1011", "SCR-1012", "SCR-1021"])
    await page.getByRole("checkbox", { name: `Select ${serial}` }).click();
  await page.getByRole("group", { name: "Selected robots" }).getByRole("button", { name: "Start" }).click();
  const asked = page.getByRole("dialog", { name: "Start 3 robots?" });
  await expectContains(asked, "1 robot will move.");
  await expectContains(asked, `2 robots will be skipped:SCR-1011, SCR-1012 ${GUSTS}`);
});

test("§11 Wind and rain guard: what was read before the limit was passed is read again at once", async () => {
  guarded(CLEAR);
  when(siteGuard).answer(siteGuardOf({ ...limits, state: CLEAR }));
  await openConsole("/dashboard");
  await opener.click();
  await expect.element(gust).toHaveValue("45");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  when(siteGuard).answer(siteGuardOf({ ...limits, state: PASSED, passed_since: ago(12) }));
  sendOnStream(live, liveUpdate({ at: new Date().toISOString(), sites: [sampleSite({ weather_guard: PASSED })] }));
  await expectContains(notice, "12 min ago");
});

test("§11 Wind and rain guard: weather that nobody knows lets no robot start, either", async () => {
  guarded(UNKNOWN);
  when(siteGuard).answer(siteGuardOf({ ...limits, state: UNKNOWN, hours: [], forecast_at: null }));
  await openConsole("/dashboard");
  await expectContains(notice, "No robot starts: the weather at this site is not known");
  await expectContains(notice, "No forecast of this hour and the next has been received. Suncrew keeps asking.");
  await expectDisabled(robotCard("SCR-1011").getByRole("button", { name: "Start" }), UNKNOWN.text ?? "");
});

test("§11 Wind and rain guard: what the stream says later shows at once, and ends with the weather", async () => {
  guarded(CLEAR);
  await openConsole("/dashboard");
  await expect.element(details.getByText("Within limits")).toBeVisible();
  const now = (weather_guard: GuardState) =>
    sendOnStream(live, liveUpdate({ at: new Date().toISOString(), sites: [sampleSite({ weather_guard })] }));
  now(PASSED);
  await expectContains(notice, GUSTS);
  await expectDisabled(robotCard("SCR-1011").getByRole("button", { name: "Start" }), GUSTS);
  now(CLEAR);
  await expectCount(notice, 0);
  await expectEnabled(robotCard("SCR-1011").getByRole("button", { name: "Start" }));
});

test("§11 Wind and rain guard: a failing call leaves the reason in view and says what is missing; Retry brings it", async () => {
  guarded(PASSED);
  when(siteGuard).fail(503, { message: "Not now." });
  await openConsole("/dashboard");
  await expectContains(notice, GUSTS);
  await expectContains(notice, "Since when could not be read.");
  const known = siteGuardOf({ ...limits, state: PASSED, passed_since: ago(12) });
  await pressRetry(() => when(siteGuard).answer(known), notice.getByText("12 min ago"), notice);
});

test("§11 Wind and rain guard: limits that cannot be loaded or saved are said, and nothing typed is lost", async () => {
  when(siteGuard).fail(503, { message: "Not now." });
  when(updateSiteGuard).fail(500, { message: "No." });
  await openConsole("/dashboard");
  await opener.click();
  await expectContains(dialog, "The weather limits could not be loaded.");
  await pressRetry(() => when(siteGuard).answer(siteGuardOf()), gust, dialog);
  await gust.fill("45");
  await save.click();
  await expectToast("Weather Limits Not Saved", "Failed to save the weather limits. Please try again.", "No.");
  await expect.element(gust).toHaveValue("45");
});

/** With a reading of this moment. */
const sensorNow = () => ({
  serial: "SCR-1100",
  assigned_at: ago(600),
  received_at: new Date().toISOString(),
  age_s: 2,
  fresh: true,
  gust_kmh: 48.2,
  rain_mm_h: 0,
  temperature_c: null,
});
const sensorBox = dialog.getByRole("region", { name: "Weather sensor" });

test("§11 Wind and rain guard: a free device becomes the site's sensor, and the worst of its reading and the forecast counts", async () => {
  const assigned = when(assignSensor).answer(() => {
    when(siteGuard).answer(() => siteGuardOf({ sensor: sensorNow() }));
    return { message: "Device SCR-1100 is the site's weather sensor" };
  });
  const removed = when(removeSensor).answer({ message: "The site has no weather sensor" });
  await openConsole("/dashboard", "partner");
  await opener.click();
  await expectDisabled(sensorBox.getByRole("button", { name: "Assign" }), "Choose a device first.");
  await sensorBox.getByRole("combobox", { name: "Device" }).click();
  await expectTexts(page.getByRole("option"), ["SCR-1100"]);
  await page.getByRole("option", { name: "SCR-1100" }).click();
  await sensorBox.getByRole("button", { name: "Assign" }).click();
  await expectToast("Weather Sensor Assigned", `Device SCR-1100 is the weather sensor of ${BHADLA}.`);
  expect(assigned.map(({ params, body }) => [params.siteId, body])).toEqual([[1, { serial_number: "SCR-1100" }]]);
  await expectContains(sensorBox, "Sensor SCR-1100: last reading");
  await expectContains(sensorBox, "Gusts 48.2 km/h, rain 0 mm/h.");
  await expectContains(dialog, "Forecast: 23.4 km/h, next hour 31 km/h. Measured: 48.2 km/h.");
  await gust.fill("45");
  await expectContains(dialog, "Gusts of 48.2 km/h (limit 45 km/h) are measured.");
  await sensorBox.getByRole("button", { name: "Remove" }).click();
  await expectToast("Weather Sensor Removed", `${BHADLA} has no weather sensor now.`);
  expect(removed).toHaveLength(1);
});

test("§11 Wind and rain guard: a site may take a silent sensor for a passed limit", async () => {
  const silent = { ...sensorNow(), received_at: ago(5), age_s: 300, fresh: false };
  when(siteGuard).answer(siteGuardOf({ ...limits, sensor: silent }));
  const saved = when(updateSiteGuard).answer({ message: "Weather limits updated successfully" });
  await openConsole("/dashboard");
  await opener.click();
  await expectContains(sensorBox, "Sensor SCR-1100: last reading 5 min ago, which does not count any more.");
  await expectCount(dialog.getByText("Measured:"), 0);
  await expectContains(dialog, "The forecast of this hour and the next is within these limits.");
  await sensorBox.getByRole("switch", { name: "A silent sensor is as bad as a passed limit" }).click();
  await expectContains(dialog, "There is no reading of the site's weather sensor within 90 seconds.");
  await expectAccessible(dialog);
  await save.click();
  await expectToast("Weather Limits Saved", `The weather limits of ${BHADLA} have been saved.`);
  expect(saved.map(({ body }) => body)).toMatchObject([{ ...limits, without_sensor: "STOP" }]);
});

test("§11 Wind and rain guard: a sensor that cannot be assigned is said with the server's reason", async () => {
  when(assignSensor).fail(409, { code: "DEVICE_ASSIGNED", message: "A robot or another site already has the device." });
  await openConsole("/dashboard");
  await opener.click();
  await sensorBox.getByRole("combobox", { name: "Device" }).click();
  await page.getByRole("option", { name: "SCR-1100" }).click();
  await sensorBox.getByRole("button", { name: "Assign" }).click();
  await expectToast(
    "Weather Sensor Not Changed",
    "Failed to change the weather sensor. Please try again.",
    "A robot or another site already has the device.",
  );
});

test("§11 Wind and rain guard: why no robot starts names the sensor and its age", async () => {
  guarded(PASSED);
  when(siteGuard).answer(siteGuardOf({ ...limits, state: PASSED, passed_since: ago(12), sensor: sensorNow() }));
  await openConsole("/dashboard");
  await expectContains(notice, "Sensor SCR-1100: last reading");
});

const schedule: Schedule = {
  id: 3,
  group_id: 5,
  site_id: 1,
  action: "START",
  start_time: "2026-06-15 06:00:00",
  duration_minutes: 30,
  frequency: "DAILY",
  skip_on_rain: false,
  status: "ACTIVE",
  next_run_at: null,
  waiting: null,
  least_days: null,
  most_days: null,
  decides_at: null,
  decision: null,
  version: 1,
};

for (const { minutes, within, isSkipped } of [
  { minutes: 5, within: null, isSkipped: true },
  { minutes: 5, within: 2, isSkipped: true },
  { minutes: 5, within: 7, isSkipped: false },
  { minutes: 30, within: null, isSkipped: false },
]) {
  test(`§11 Wind and rain guard: a run in ${minutes} min, within the limits again ${within === null ? "not yet" : `since ${within} min`}, is ${isSkipped ? "certain" : "not said"} to be skipped`, async () => {
    guarded(PASSED);
    const within_since = within === null ? null : ago(within);
    when(siteGuard).answer(siteGuardOf({ ...limits, state: PASSED, passed_since: ago(12), within_since }));
    const next_run_at = new Date(Date.now() + minutes * MINUTE_MS).toISOString();
    when(groupList).answer([sampleGroup({ schedule_type: "DAILY", schedule_details: { ...schedule, next_run_at } })]);
    await openConsole("/dashboard?site=1&tab=groups");
    const summary = page.getByRole("group", { name: "Schedule of East Row" });
    await expectContains(notice, "12 min ago");
    await expectContains(summary, "Next run");
    if (isSkipped) await expectContains(summary, `. It will be skipped. ${GUSTS}`);
    else await expectCount(summary.getByText("It will be skipped"), 0);
  });
}

test("§11 Wind and rain guard: the page of a robot says why its Start is disabled", async () => {
  guarded(PASSED);
  const [robot] = sampleRobots;
  if (robot === undefined) throw new Error("There is no robot.");
  when(robotBySerial).answer({ robot, site_name: BHADLA, group_name: null, timezone: "Asia/Kolkata" });
  for (const route of [robotHistory, robotNights, runsList, robotOrders, robotChanges])
    when(route).fail(503, { message: "Not now." });
  await openConsole(`/robots/${robot.serial_number}`);
  await expectContains(notice, GUSTS);
  await expectDisabled(robotCard(robot.serial_number).getByRole("button", { name: "Start" }), GUSTS);
});

for (const theme of ["light", "dark"] as const) {
  for (const width of [360, 1440]) {
    test(`§11 Wind and rain guard: notice and dialog fit ${width} px and are accessible (${theme})`, async () => {
      chooseTheme(theme);
      await page.viewport(width, 3000);
      guarded(PASSED);
      when(siteGuard).answer(siteGuardOf({ ...limits, state: PASSED, passed_since: ago(12), within_since: ago(3) }));
      await openConsole("/dashboard");
      await expectContains(notice, "12 min ago");
      await expectNoSidewaysScroll();
      await expectAccessible(details);
      await opener.click();
      await gust.fill("12");
      await expectContains(dialog, "With these limits no robot could run now");
      await expectNoSidewaysScroll();
      await expectAccessible(dialog);
    });
  }
}
