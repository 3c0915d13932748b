import { robotStatus } from "@suncrew/contract/commands/commands.ts";
import { config } from "@suncrew/contract/config/config.ts";
import { live } from "@suncrew/contract/live/live.ts";
import { deleteSite } from "@suncrew/contract/sites/site-forms.ts";
import { siteDetails, type Site } from "@suncrew/contract/sites/sites.ts";
import { exportSites, importSites } from "@suncrew/contract/sites/site-files.ts";
import { robotDetailsWithSettings } from "@suncrew/contract/robots/robots.ts";
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { when } from "../../../../test/answers.ts";
import {
  expectAddress,
  expectContains,
  expectCount,
  expectDisabled,
  expectNoToast,
  expectText,
  expectToast,
  pressRetry,
} from "../../../../test/expectations.ts";
import { closeConsole, openConsole } from "../../../../test/open-console.tsx";
import {
  BHADLA,
  CHARANKA,
  fleetSnapshot,
  livePart,
  sampleRobots,
  sampleSite,
  sampleSites,
} from "../../../../test/sample-fleet.ts";

const allSites = page.getByRole("region", { name: "All Sites" });
const rows = page.getByRole("list", { name: "All Sites" }).getByRole("listitem");
const search = page.getByPlaceholder("Search by name, address, or district");
const siteRow = (name: string) => allSites.getByRole("listitem", { name, exact: true });

/** The sample sites, and enough others to make 2,000. */
function twoThousandSites(): Site[] {
  const more = Array.from({ length: 2000 - sampleSites.length }, (_, index) =>
    sampleSite({
      id: 10_000 + index,
      name: `Zone ${String(index + 1).padStart(4, "0")} Solar Park`,
      latitude: 8 + index / 100,
    }),
  );
  return [...sampleSites, ...more];
}

test("§8 Robot fetch failure on Site Management: the list is emptied, robots online is 0, and Retry loads them", async () => {
  when(robotDetailsWithSettings).fail(500, { message: "Broken" });
  await openConsole("/sites");
  await allSites.getByRole("button", { name: BHADLA }).click();
  await expect.element(page.getByText("The robots could not be loaded.")).toBeVisible();
  await expectContains(page.getByRole("region", { name: "Selected site" }), "0 of 2 robots online");
  await expectNoToast();
  await pressRetry(() => when(robotDetailsWithSettings).answerAsUsual(), page.getByRole("article").first());
  await expectCount(page.getByRole("article"), 2);
});

test("§9 Simulated fallback: Site Management shows a dash for a battery level that was never reported, and nothing simulated", async () => {
  const [never, away] = sampleRobots
    .filter(({ site_id }) => site_id === sampleRobots[0]?.site_id)
    .map((robot) => ({ ...robot, online: false, status: "offline" as const, battery_level: 100 }));
  if (never === undefined || away === undefined) throw new Error("The sample fleet has no two robots.");
  const robots = [
    { ...never, last_updated_at: null },
    { ...away, battery_level: 33 },
  ];
  when(config).answer({ mode: "demo", demo_sign_ins: [], map_tiles: null });
  when(robotDetailsWithSettings).answer({ robots });
  when(live).stream(() => ({
    type: "snapshot",
    at: new Date().toISOString(),
    robots: robots.map(livePart),
    sites: [...sampleSites],
  }));
  // The demo's monitoring view would show simulated values.
  when(robotStatus).fail(504, { message: "The robot is offline." });
  await openConsole("/sites");
  await allSites.getByRole("button", { name: BHADLA }).click();
  const neverRow = page.getByRole("article", { name: never.serial_number });
  const awayRow = page.getByRole("article", { name: away.serial_number });
  for (const row of [neverRow, awayRow]) {
    await row.getByRole("button", { name: "Refresh status" }).click();
    const serial = row === neverRow ? never.serial_number : away.serial_number;
    await expectToast("Using Mock Data", `API call failed, using simulated data for ${serial}`);
  }
  await expectContains(neverRow, "Battery not known yet");
  await expect.poll(() => neverRow.element().textContent).not.toContain("%");
  await expectContains(awayRow, "33 %");
});

test("§2 Site Management page: search by name, address or district; with few matches each site shows more", async () => {
  await openConsole("/sites");
  await search.fill("jodhPUR");
  await expectCount(rows, 1);
  await expectContains(rows.first(), "Bhadla, Phalodi tehsil, Jodhpur, Rajasthan 342301");
  await expectAddress(/q=jodhPUR/);
  await rows.first().getByRole("button", { name: "SunCare Services" }).click();
  await expect.element(page.getByRole("dialog", { name: "SunCare Services" })).toBeVisible();
  await userEvent.keyboard("{Escape}");
  const address = location.pathname + location.search;
  await closeConsole();

  await openConsole(address);
  await expect.element(search).toHaveValue("jodhPUR");
  await expectCount(rows, 1);
  await rows.first().getByRole("button", { name: BHADLA }).click();
  const heading = page.getByRole("heading", { level: 2, name: BHADLA });
  await expect.element(heading).toBeVisible();
  await search.fill("nowhere at all");
  await expect.element(allSites.getByText("No sites match.")).toBeVisible();
  await expect.element(heading).toBeVisible();
});

test("2,000 sites: only a few rows are rendered, and the keyboard moves through rows and their buttons", async () => {
  when(siteDetails).answer(twoThousandSites());
  await openConsole("/sites");
  await expect.element(page.getByText("2,000 sites")).toBeVisible();
  await expect.element(rows.first()).toHaveAttribute("aria-setsize", "2000");
  expect(rows.elements().length).toBeLessThan(60);
  search.element().focus();
  await userEvent.keyboard("{Tab}");
  await expect.element(siteRow(BHADLA).getByRole("button").first()).toHaveFocus();
  await userEvent.keyboard("{ArrowDown}");
  await expect.element(siteRow(CHARANKA).getByRole("button").first()).toHaveFocus();
  await userEvent.keyboard("{ArrowRight}");
  await expect.element(siteRow(CHARANKA).getByRole("button", { name: "Edit" })).toHaveFocus();
  await userEvent.keyboard("{End}");
  const last = siteRow("Zone 1997 Solar Park");
  await expect.element(last.getByRole("button", { name: "Edit" })).toHaveFocus();
  await userEvent.keyboard("{Tab}");
  await expect.element(last.getByRole("button", { name: "Delete" })).toHaveFocus();
  expect(rows.elements().length).toBeLessThan(60);
  await search.fill("Zone 0777");
  await expectCount(rows, 1);
  await expect.element(page.getByText("1 of 2,000")).toBeVisible();
});

test("keyboard: after the last button of the row in a long list, Tab moves on to the selected site", async () => {
  when(siteDetails).answer(twoThousandSites());
  await openConsole("/sites?site=1");
  const detail = page.getByRole("region", { name: "Selected site" });
  await expectCount(detail.getByRole("article"), 2);
  const row = siteRow(BHADLA);
  row.getByRole("button", { name: "Edit" }).element().focus();
  await userEvent.keyboard("{Tab}");
  await expect.element(row.getByRole("button", { name: "Delete" })).toHaveFocus();
  await userEvent.keyboard("{Tab}");
  await expect.element(detail.getByRole("button", { name: "SunCare Services" })).toHaveFocus();
  for (const name of ["Weather limits", "Mute messages"]) {
    await expect.element(detail.getByRole("button", { name })).toBeVisible();
    await userEvent.keyboard("{Tab}");
    await expect.element(detail.getByRole("button", { name })).toHaveFocus();
  }
  await userEvent.keyboard("{Tab}");
  await expect.element(detail.getByRole("tab", { name: "Individual Robots" })).toHaveFocus();
});

test("no site yet: the page says so and offers to add the first one; sites that cannot be loaded can be retried", async () => {
  when(siteDetails).fail(500, { message: "Broken" });
  await openConsole("/sites");
  await expect.element(page.getByText("The sites could not be loaded.")).toBeVisible();
  // The toolbar stays in place, and says what it is waiting for.
  await expectDisabled(page.getByRole("button", { name: "Add New Site" }), "The sites are not known yet.");
  await page.getByRole("button", { name: "Import / Export" }).click();
  await expect.element(page.getByRole("menuitem", { name: "Import Sites" })).toBeDisabled();
  await expect.element(page.getByRole("menuitem", { name: "Export Sites" })).toBeEnabled();
  await userEvent.keyboard("{Escape}");
  await pressRetry(() => when(siteDetails).answer([]), page.getByText("No sites yet"));
  await allSites.getByRole("button", { name: "Add New Site" }).click();
  await expect.element(page.getByRole("dialog", { name: "Add New Site" })).toBeVisible();
});

test("a failed export and a failed check say so, and the file can be chosen again", async () => {
  when(exportSites).fail(500, { message: "Broken" });
  when(importSites).fail(500, { message: "Broken" });
  await openConsole("/sites");
  const openMenu = () => page.getByRole("button", { name: "Import / Export" }).click();
  await openMenu();
  await page.getByRole("menuitem", { name: "Export Sites" }).click();
  await expectToast("Export Failed", "Failed to export sites. Please try again.", "Broken");
  await openMenu();
  await page.getByRole("menuitem", { name: "Import Sites" }).click();
  const dialog = page.getByRole("dialog", { name: "Import Sites" });
  const choose = async () => {
    const field = (await dialog.findElement()).querySelector('input[type="file"]');
    if (field === null) throw new Error("The dialog takes no file.");
    await page.elementLocator(field).upload(new File(["name\nTonk Solar\n"], "sites.csv", { type: "text/csv" }));
  };
  await choose();
  await expectContains(dialog.getByRole("alert"), "The file could not be checked. Broken");
  when(importSites).answer({
    message: "Nothing was created.",
    applied: false,
    rows: [{ row: 2, name: "Tonk Solar", day: "2026-11-01", problems: [] }],
    problems: [],
  });
  await choose();
  await expectText(dialog.getByRole("status"), "1 row, none with problems");
  await expect.element(dialog.getByRole("cell", { name: "Sun 1 Nov 2026" })).toBeVisible();
});

test("Live: what was added and deleted while the stream was lost is in the list, or not, once it is back, with the right counts", async () => {
  const [first, second] = sampleRobots;
  if (first === undefined || second === undefined) throw new Error("The sample fleet has no two robots.");
  const added = { ...second, robot_id: 99, serial_number: "SCR-1099" };
  let robots = [first, second];
  when(robotDetailsWithSettings).answer(() => ({ robots }));
  when(live).offline();
  await openConsole(`/sites?site=${first.site_id}`);
  await expect.element(page.getByRole("article", { name: second.serial_number })).toBeVisible();
  robots = [first, added];
  when(live).stream(() => fleetSnapshot(sampleRobots.map((robot) => (robot === second ? added : robot))));
  await expect.element(page.getByRole("article", { name: "SCR-1099" })).toBeVisible();
  await expectCount(page.getByRole("article"), 2);
});

test("site management: the page opens with the worst site chosen, and keeps it; an unknown or deleted selection says so", async () => {
  const select = page.getByText("Select a site to manage its robots");
  const detail = page.getByRole("region", { name: "Selected site" });
  const [bhadla, charanka, ...others] = sampleSites;
  if (bhadla === undefined || charanka === undefined) throw new Error("The sample fleet has no two sites.");
  when(siteDetails).answer([{ ...bhadla, status: "warning" }, { ...charanka, status: "fault" }, ...others]);
  await openConsole("/sites");
  await expect.element(detail.getByRole("heading", { level: 2, name: CHARANKA })).toBeVisible();
  await expectAddress("/sites");
  await expect.element(siteRow(CHARANKA).getByRole("button").first()).toHaveAttribute("aria-current", "true");
  await closeConsole();

  when(siteDetails).answer([...sampleSites]);
  when(deleteSite).answer({ message: "Site deleted successfully" });
  await openConsole("/sites?site=99999");
  await expect.element(select).toBeVisible();
  await expect.element(detail.getByText("Site not found, or no access")).toBeVisible();
  await detail.getByRole("button", { name: "Show all sites" }).click();
  // No site is worse than another one: the first.
  await expect.element(detail.getByRole("heading", { level: 2, name: BHADLA })).toBeVisible();
  when(siteDetails).answer(sampleSites.filter(({ name }) => name !== BHADLA));
  await siteRow(BHADLA).getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog", { name: "Delete Site" }).getByRole("button", { name: "Delete Site" }).click();
  await expect.element(select).toBeVisible();
});

test("site management: all sites as a table, the worst first, sorted by a press on a title; a press on a name chooses the site", async () => {
  const sites = twoThousandSites().map((site) =>
    site.name === CHARANKA ? { ...site, status: "fault" as const } : site,
  );
  when(siteDetails).answer(sites);
  await openConsole("/sites?site=1");
  await allSites.getByRole("button", { name: "Show as a table" }).click();
  const dialog = page.getByRole("dialog", { name: "All Sites" });
  const table = dialog.getByRole("table", { name: "All sites" });
  const firstRow = table.getByRole("row").nth(1);
  await expectContains(firstRow, CHARANKA);
  await expectContains(firstRow, "Fault");
  await expect.element(table).toHaveAttribute("aria-rowcount", "2001");
  expect(table.getByRole("row").elements().length).toBeLessThan(60);
  const title = table.getByRole("columnheader", { name: "Name" });
  await title.getByRole("button").click();
  await expect.element(title).toHaveAttribute("aria-sort", "ascending");
  await expectContains(firstRow, BHADLA);
  await title.getByRole("button").click();
  await expect.element(title).toHaveAttribute("aria-sort", "descending");
  await expectContains(firstRow, "Zone 1997 Solar Park");
  await dialog.getByPlaceholder("Search by name, address, or district").fill("nowhere at all");
  await expect.element(dialog.getByText("No sites match.")).toBeVisible();
  await dialog.getByPlaceholder("Search by name, address, or district").fill("Zone 0777");
  await firstRow.getByRole("button", { name: "Zone 0777 Solar Park" }).click();
  await expectCount(dialog, 0);
  await expect.element(page.getByRole("heading", { level: 2, name: "Zone 0777 Solar Park" })).toBeVisible();
});
