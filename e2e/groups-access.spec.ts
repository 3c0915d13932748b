import type { Locator, Page } from "@playwright/test";
import { expectAccessible } from "./support/axe.ts";
import { BHADLA, chooseSite, expectToast, expectTruth, PAVAGADA, siteButton } from "./support/dashboard.ts";
import {
  expect,
  groupCard,
  groupRow,
  managementAddress,
  openManagedGroups,
  siteAddress,
  test,
} from "./support/group-fixtures.ts";
import { deliverPendingStop } from "./support/leftovers.ts";

/** The smallest size of a touch target, in pixels. */
const TOUCH_PX = 44;

async function openGroupControl(page: Page, siteName: string): Promise<void> {
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Dashboard" }).click();
  await chooseSite(page, siteName);
  await page.getByRole("tab", { name: "Group Control" }).click();
}

async function expectNoOverflow(page: Page): Promise<void> {
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
}

test("groups have no axe violations on any page or dialog", async ({
  page,
  signIn,
  groups,
  simulator,
  problems,
  standing,
}) => {
  problems.allow(/status of 504/);
  const group = await groups.make(PAVAGADA, "Blocks", ["SCR-1005", "SCR-1006", "SCR-1007"]);
  await groups.schedule(group, { startTime: "2999-01-01 06:30:00" });
  await simulator.fault("SCR-1006", { kind: "refuse", code: "FAULT" });
  await signIn(page, "admin", { at: "/sites" });
  await expect(page.getByRole("heading", { name: "Cleaning Robots" })).toBeVisible();
  await expectAccessible(page);
  await openManagedGroups(page, BHADLA);
  await expect(page.getByText("No robot groups yet")).toBeVisible();
  await page.getByRole("button", { name: "Create Group" }).click();
  await expect(page.getByRole("checkbox")).toHaveCount(4);
  await expectAccessible(page);
  await page.getByRole("dialog", { name: "Create Group" }).getByRole("button", { name: "Cancel" }).click();
  await openManagedGroups(page, PAVAGADA);
  await expect(groupRow(page, "Blocks")).toBeVisible();
  await expectAccessible(page);
  await groupRow(page, "Blocks").getByRole("button", { name: "Delete", exact: true }).click();
  const deletion = page.getByRole("dialog", { name: "Delete Robot Group" });
  await expect(deletion).toBeVisible();
  await expectAccessible(page, deletion);
  await deletion.getByRole("button", { name: "No", exact: true }).click();

  await openGroupControl(page, PAVAGADA);
  const card = groupCard(page, "Blocks");
  await expect(card.getByText("Online: 2/3")).toBeVisible();
  await card.getByRole("button", { name: "Start All" }).click();
  const question = page.getByRole("dialog", { name: /^Start all robots/ });
  await expect(question).toContainText("1 robot will be skipped");
  await expectAccessible(page, question);
  await page.getByRole("button", { name: "Start 2 robots" }).click();
  await expect(card.getByRole("region", { name: "Result for Blocks" }).getByRole("listitem")).toHaveCount(2);
  await expectAccessible(page);
  await card.getByRole("button", { name: "Stop All" }).click();
  await expectTruth(simulator, "SCR-1005", { motion: "STOPPED" });
  await expect.poll(async () => (await standing.read())["SCR-1007"]).toContain("STOP is open");
  await deliverPendingStop(simulator, standing.read, "SCR-1007");
});

test("groups on a phone, 360 and 390 px: nothing is cut off, and every button is large enough to touch", async ({
  page,
  signIn,
  groups,
  simulator,
}) => {
  const serials = ["SCR-1001", "SCR-1002", "SCR-1003", "SCR-1004"];
  const longName = "Everything east of the old irrigation canal, by day and by night";
  const group = await groups.make(BHADLA, longName, serials);
  const atEachWidth = async (look: (width: number) => Promise<void>) => {
    for (const width of [390, 360]) {
      await page.setViewportSize({ width, height: 780 });
      await look(width);
    }
  };
  await page.setViewportSize({ width: 390, height: 780 });
  await signIn(page, "partner", { at: siteAddress(group, "groups") });
  const card = groupCard(page, longName);
  await expect(card.getByRole("listitem")).toHaveCount(4);
  const stopAllTop = async () => {
    const whole = await card.elementHandle();
    return card
      .getByRole("button", { name: "Stop All" })
      .evaluate((button, outer) => button.getBoundingClientRect().y - (outer?.getBoundingClientRect().y ?? 0), whole);
  };
  const stopAllTops = new Map<number, number>();
  await atEachWidth(async (width) => {
    await expectNoOverflow(page);
    for (const name of ["Schedule", "Maintenance", "Start All", "Stop All"]) {
      const box = await card.getByRole("button", { name, exact: true }).boundingBox();
      expect(box?.height, name).toBeGreaterThanOrEqual(TOUCH_PX);
    }
    stopAllTops.set(width, await stopAllTop());
  });
  await card.getByRole("button", { name: "Start All" }).click();
  await atEachWidth(() => expectNoOverflow(page));
  await page.getByRole("button", { name: "Start 4 robots" }).click();
  await expectTruth(simulator, "SCR-1001", { motion: "MOVING" });
  await expect(card).toContainText("Warning");
  // Even if the card's text changes during the touch, the finger is still on Stop All when it lifts.
  await atEachWidth(async (width) => expect(await stopAllTop()).toBe(stopAllTops.get(width)));
  await card.getByRole("button", { name: "Stop All" }).click();
  for (const serial of serials) await expectTruth(simulator, serial, { motion: "STOPPED" });

  await page.getByRole("button", { name: "Open navigation" }).click();
  await page.getByRole("menuitem", { name: "Site Management" }).click();
  await page.getByRole("region", { name: "All Sites" }).getByRole("button", { name: BHADLA }).click();
  await page.getByRole("tab", { name: "Robot Groups" }).click();
  await atEachWidth(async () => {
    for (const name of ["Edit", "Delete"]) {
      const box = await groupRow(page, longName).getByRole("button", { name, exact: true }).boundingBox();
      expect(box?.height, name).toBeGreaterThanOrEqual(TOUCH_PX);
    }
    await expectNoOverflow(page);
  });
  await groupRow(page, longName).getByRole("button", { name: "Edit" }).click();
  await expect(page.getByRole("checkbox")).toHaveCount(4);
  await atEachWidth(() => expectNoOverflow(page));
  await expectAccessible(page);
});

test("a group is created, started, stopped and deleted using only the keyboard", async ({
  page,
  signIn,
  groups,
  simulator,
}) => {
  const site = await groups.site(BHADLA);
  await signIn(page, "admin", { at: managementAddress(site) });
  const press = async (name: string, within: Page | Locator = page) => {
    await within.getByRole("button", { name, exact: true }).press("Enter");
  };
  await expect(page.getByText("No robot groups yet")).toBeVisible();
  await press("Create Group");
  await expect(page.getByLabel("Group name")).toBeFocused();
  await page.keyboard.type("Night shift");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("checkbox", { name: "SCR-1001" })).toBeFocused();
  await page.keyboard.press("Space");
  await press("Create");
  await expectToast(page, "Group Created", 'Robot group "Night shift" has been created successfully.');

  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Dashboard" }).press("Enter");
  await siteButton(page, BHADLA).press("Enter");
  await page.getByRole("tab", { name: "Individual Robots" }).press("ArrowRight");
  await expect(groupCard(page, "Night shift").getByText("Online: 1/1")).toBeVisible();
  await press("Start All");
  await expect(page.getByRole("button", { name: "Start 1 robot" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expectTruth(simulator, "SCR-1001", { motion: "MOVING" });
  // The dialog traps the focus until it closes, and then returns it.
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Stop All", exact: true })).toBeEnabled();
  await press("Stop All");
  await expectTruth(simulator, "SCR-1001", { motion: "STOPPED" });

  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Site Management" }).press("Enter");
  await page.getByRole("region", { name: "All Sites" }).getByRole("button", { name: BHADLA }).press("Enter");
  await page.getByRole("tab", { name: "Individual Robots" }).press("ArrowRight");
  await expect(groupRow(page, "Night shift")).toBeVisible();
  await press("Delete", groupRow(page, "Night shift"));
  await expect(page.getByRole("button", { name: "No", exact: true })).toBeFocused();
  await press("Yes");
  await expect(page.getByText("No robot groups yet")).toBeVisible();
});
