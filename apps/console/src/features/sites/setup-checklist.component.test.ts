import { robotStatus } from "@suncrew/contract/commands/commands.ts";
import { groupList } from "@suncrew/contract/groups/groups.ts";
import { live } from "@suncrew/contract/live/live.ts";
import { config } from "@suncrew/contract/config/config.ts";
import { robotDetailsWithSettings } from "@suncrew/contract/robots/robots.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { Refusal, when } from "../../../test/answers.ts";
import { expectContains, expectCount, expectTexts, expectToast } from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";
import { fleetSnapshot, sampleRobots, sampleSites } from "../../../test/sample-fleet.ts";

const checklist = page.getByRole("region", { name: "Setting up this site" });
const detail = page.getByRole("region", { name: "Selected site" });

test("a new site: its robots wait for the first connection, which is no warning, and what is still to do leads there", async () => {
  const robots = sampleRobots.map((row) => ({
    ...row,
    status: "offline" as const,
    online: false,
    last_updated_at: null,
    last_cleaned_at: null,
  }));
  when(siteDetails).answer(sampleSites.map((site) => ({ ...site, status: "warning" as const, online_robots: 0 })));
  when(robotDetailsWithSettings).answer({ robots: robots.filter(({ site_id }) => site_id === 1) });
  when(live).stream(() => fleetSnapshot(robots));
  when(groupList).answer([]);
  await openConsole("/sites?site=1");
  await expectContains(checklist, "2 of 5 done");
  await expectTexts(checklist.getByRole("listitem"), [
    "Robots",
    "First connectionDevices",
    "GroupCreate a group",
    "Schedule",
    "Contacts",
  ]);
  await expect.element(detail.getByText("Waiting for the first connection", { exact: true })).toBeVisible();
  // The other one is a choice of the filter.
  await expectCount(detail.getByText("Warning", { exact: true }), 1);
  const row = page.getByRole("article", { name: robots[0]?.serial_number ?? "" });
  await expectContains(row, "Waiting for the first connection");
  await expect.element(row.getByText("Waiting", { exact: true })).toBeVisible();
  await expectCount(row.getByText("Offline", { exact: true }), 0);
  await checklist.getByRole("link", { name: "Create a group" }).click();
  await expect.element(page.getByRole("tab", { name: "Robot Groups" })).toHaveAttribute("aria-selected", "true");
});

test("a new site: its robots stay where they are while what it still needs is loading", async () => {
  const robots = sampleRobots.map((row) => ({ ...row, last_cleaned_at: null }));
  when(robotDetailsWithSettings).answer({ robots: robots.filter(({ site_id }) => site_id === 1) });
  when(live).stream(() => fleetSnapshot(robots));
  const { promise, resolve } = Promise.withResolvers<void>();
  when(groupList).answer(async () => {
    await promise;
    return [];
  });
  await openConsole("/sites?site=1");
  const firstRobot = page.getByRole("article").first();
  await expect.element(firstRobot).toBeVisible();
  await expect.poll(() => document.querySelector('section[aria-label="Setting up this site"]')).not.toBeNull();
  const topOf = () => firstRobot.element().getBoundingClientRect().top;
  const before = topOf();
  resolve();
  await expectContains(checklist, "Create a group");
  expect(topOf()).toBe(before);
});

test("§9 Status polling: a robot that was never heard is not queried, so that it still waits for its first connection", async () => {
  const [never, away] = sampleRobots
    .filter(({ site_id }) => site_id === 1)
    .map((row) => ({ ...row, status: "offline" as const, online: false }));
  if (never === undefined || away === undefined) throw new Error("The sample fleet has no two robots.");
  const robots = [{ ...never, last_updated_at: null }, away];
  when(config).answer({ mode: "demo", demo_sign_ins: [], map_tiles: null });
  when(robotDetailsWithSettings).answer({ robots });
  when(live).stream(() => fleetSnapshot(robots));
  const asked: string[] = [];
  when(robotStatus).answer(({ query }) => {
    asked.push(query.robotId);
    throw new Refusal(504, { message: "The robot is offline." });
  });
  await openConsole("/sites?site=1");
  // Both are due in the same moment.
  await expectToast("Using Mock Data", `API call failed, using simulated data for ${away.serial_number}`);
  expect(asked).not.toContain(never.serial_number);
  await expectContains(page.getByRole("article", { name: never.serial_number }), "Waiting for the first connection");
});

test("§9 Status polling: without the stream a robot that was never heard is queried, too, so that it becomes known", async () => {
  const never = sampleRobots
    .filter(({ site_id }) => site_id === 1)
    .map((row) => ({ ...row, status: "offline" as const, online: false, last_updated_at: null }));
  when(robotDetailsWithSettings).answer({ robots: never });
  when(live).offline();
  const asked: string[] = [];
  when(robotStatus).answer(({ query }) => {
    asked.push(query.robotId);
    throw new Refusal(504, { message: "The robot is offline." });
  });
  await openConsole("/sites?site=1");
  await expect.poll(() => asked.toSorted()).toEqual(never.map(({ serial_number: serial }) => serial));
  for (const { serial_number: serial } of never) {
    await expectContains(page.getByRole("article", { name: serial }), "Waiting for the first connection");
  }
});

test("a new site without robots: Add robots opens the dialog; a site that has cleaned has no checklist", async () => {
  when(robotDetailsWithSettings).answer(({ params }) => ({
    robots: params.siteId === 1 ? [] : sampleRobots.filter(({ site_id }) => site_id === params.siteId),
  }));
  when(groupList).answer([]);
  await openConsole("/sites?site=1");
  await checklist.getByRole("link", { name: "Add robots" }).click();
  const dialog = page.getByRole("dialog", { name: "Add New Robot" });
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expectCount(dialog, 0);
  await page
    .getByRole("list", { name: "All Sites" })
    .getByRole("button", { name: sampleSites[1]?.name ?? "" })
    .first()
    .click();
  await expectCount(page.getByRole("article"), 2);
  await expectCount(checklist, 0);
});
