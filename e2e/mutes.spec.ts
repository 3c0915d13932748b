import type { Page } from "@playwright/test";
import { createMute, endMute, muteList } from "@suncrew/contract/notifications/mutes.ts";
import { deliveryList } from "@suncrew/contract/notifications/deliveries.ts";
import { alertList } from "@suncrew/contract/alerts/alerts.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { expectAccessible } from "./support/axe.ts";
import { expectStatus, expectToast, robotCard } from "./support/dashboard.ts";
import { expect, test as base } from "./support/suncrew.ts";

const SERIAL = "SCR-1002";

/** What a test mutes is muted no longer after it. */
const test = base.extend<{ readonly unmuted: void }>({
  unmuted: [
    async ({ apiAs }, use) => {
      await use();
      const admin = await apiAs("admin");
      for (const { id } of await admin.call(muteList, { query: {} })) {
        await admin.call(endMute, { params: { muteId: id } });
      }
    },
    { auto: true },
  ],
});

const mutedText = (page: Page) => robotCard(page, SERIAL).root.getByText("Muted", { exact: true });

/** Where Start is on the page, below and beside its title, wherever the page is scrolled to. */
async function placeOfStart(page: Page) {
  const title = await page.getByRole("heading", { level: 1 }).elementHandle();
  return robotCard(page, SERIAL).start.evaluate((start, heading) => {
    if (!(heading instanceof HTMLElement)) throw new Error("The page does not show its title.");
    const [inner, outer] = [start.getBoundingClientRect(), heading.getBoundingClientRect()];
    return { x: inner.x - outer.x, y: inner.y - outer.y };
  }, title);
}

/** Opens the dialog of the card, and types when the mute ends: in three days at 18:45. */
async function fillMute(page: Page, reason: string) {
  await robotCard(page, SERIAL).root.getByRole("button", { name: "Mute", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: `Mute: ${SERIAL}` });
  await dialog.getByLabel("Until a date and time").check();
  const day = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
  await dialog.getByLabel(/^Date/).fill(day);
  await dialog.getByLabel(/^Time/).fill("18:45");
  await dialog.getByLabel("Reason").fill(reason);
  return dialog;
}

test("mutes: a robot is muted from its card until a time; its partner sees that without a reload, its alert shows and is told to nobody, and is told once the partner ends the mute", async ({
  page,
  signIn,
  simulator,
  openBrowser,
  apiAs,
}) => {
  await signIn(page, "admin");
  const other = await openBrowser();
  await signIn(other, "partner");
  await expect(robotCard(other, SERIAL).root.getByRole("button", { name: "Mute", exact: true })).toBeVisible();
  const place = await placeOfStart(page);
  const dialog = await fillMute(page, "A new brush arrives");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Mute", exact: true }).click();
  await expectToast(page, "Muted", `Nobody is sent messages about alerts of ${SERIAL}.`);
  await expect(mutedText(page)).toBeVisible();
  await expect(mutedText(other)).toBeVisible();
  expect(await placeOfStart(page)).toEqual(place);

  // The one of another robot, which comes later, is told first.
  const admin = await apiAs("admin");
  const jamOf = async (serial: string) => {
    await simulator.fault(serial, { kind: "jam" });
    await expect(robotCard(other, serial).root.getByText("1 alert")).toBeVisible();
    const { alerts } = await admin.call(alertList, { query: {} });
    return alerts.find(({ serial_number }) => serial_number === serial)?.id ?? "";
  };
  const toldOf = async (id: string) => (await admin.call(deliveryList, { query: { alert_id: id } })).total;
  const muted = await jamOf(SERIAL);
  const heard = await jamOf("SCR-1001");
  await expect.poll(() => toldOf(heard)).toBeGreaterThan(0);
  expect(await toldOf(muted)).toBe(0);

  await robotCard(other, SERIAL).root.getByRole("button", { name: "Muted", exact: true }).click();
  const shown = other.getByRole("dialog", { name: `Mute of ${SERIAL}` });
  await expect(shown).toContainText(/18:45 by .*: A new brush arrives/);
  await shown.getByRole("button", { name: `End mute of ${SERIAL}` }).click();
  await expect(mutedText(other)).toHaveCount(0);
  await expect(mutedText(page)).toHaveCount(0);
  await expect.poll(() => toldOf(muted)).toBeGreaterThan(0);
  for (const serial of [SERIAL, "SCR-1001"]) {
    await simulator.clear(serial);
    await expectStatus(robotCard(page, serial), "Idle");
  }
});

test("mutes: on a phone a call that fails says so and loses nothing that was typed", async ({
  page,
  signIn,
  problems,
}) => {
  problems.allow(/status of 503 .*notifications\/mutes/);
  await page.setViewportSize({ width: 390, height: 844 });
  await signIn(page, "partner");
  const refuse = "**/api/notifications/mutes";
  await page.route(refuse, (route) =>
    route.request().method() === "POST"
      ? route.fulfill({ status: 503, json: { message: "The database is busy. Please try again." } })
      : route.continue(),
  );
  const dialog = await fillMute(page, "Repair");
  await dialog.getByRole("button", { name: "Mute", exact: true }).click();
  await expectToast(page, "Not Muted", /.*/);
  await expect(dialog.getByLabel("Reason")).toHaveValue("Repair");
  await expect(dialog.getByLabel(/^Time/)).toHaveValue("18:45");
  await page.unroute(refuse);
  await dialog.getByRole("button", { name: "Mute", exact: true }).click();
  await expect(dialog).toBeHidden();
  await expect(mutedText(page)).toBeVisible();
});

test("§6 PARTNER: sees what is muted at its own sites, changes and ends it, and sees nothing of others", async ({
  page,
  signIn,
  apiAs,
}) => {
  const admin = await apiAs("admin");
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const sites = await admin.call(siteDetails, {});
  for (const { id } of sites) {
    await admin.call(createMute, { body: { site_id: id, until, reason: "The grid is being repaired" } });
  }
  await signIn(page, "partner", { at: "/notifications?tab=muted" });
  const rows = page.getByRole("list", { name: "Muted" }).getByRole("listitem");
  const own = await (await apiAs("partner")).call(siteDetails, {});
  await expect(rows).toHaveCount(own.length);
  expect(own.length).toBeLessThan(sites.length);
  for (const { name } of own) await expect(rows.filter({ hasText: name })).toContainText("Whole site");
  const [first] = own;
  const row = rows.filter({ hasText: first?.name ?? "" });
  await page.getByRole("button", { name: `Change the mute of ${first?.name}` }).click();
  const dialog = page.getByRole("dialog", { name: `Mute: ${first?.name}` });
  await expect(dialog.getByLabel("Reason")).toHaveValue("The grid is being repaired");
  await dialog.getByLabel("1 week").check();
  await dialog.getByLabel("Reason").fill("The grid is being replaced");
  await dialog.getByRole("button", { name: "Change Mute" }).click();
  await expect(row).toContainText("The grid is being replaced");
  await page.getByRole("button", { name: `End mute of ${first?.name}` }).click();
  await expect(rows).toHaveCount(own.length - 1);
});
