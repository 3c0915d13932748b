import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { Page } from "@playwright/test";
import {
  contactPointList,
  createContactPoint,
  deleteContactPoint,
  notificationOptions,
} from "@suncrew/contract/notifications/contact-points.ts";
import {
  createNotificationRule,
  createTeam,
  deleteNotificationRule,
  deleteTeam,
} from "@suncrew/contract/notifications/notification-rules.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { expectAccessible } from "./support/axe.ts";
import { BHADLA, expectToast } from "./support/dashboard.ts";
import { freePort } from "./support/server-process.ts";
import { expect, test as base } from "./support/suncrew.ts";

const SERIAL = "SCR-1003";
/** Another one, so that its alert is a new one. */
const OTHER_SERIAL = "SCR-1002";
const NAME = "Pager";

/** A program that takes calls once it runs. */
class Receiver {
  readonly port: number;
  readonly calls: string[] = [];
  #server: Server | null = null;

  constructor(port: number) {
    this.port = port;
  }

  async start(): Promise<void> {
    this.#server = createServer((request, response) => {
      this.calls.push(String(request.headers["webhook-id"]));
      request.resume().on("end", () => response.writeHead(204).end());
    });
    await once(this.#server.listen(this.port, "127.0.0.1"), "listening");
  }

  stop(): void {
    this.#server?.close();
  }
}

/** The pager of a team that is told of one site, and by no rule of the demo; all of it is deleted after the test. */
const test = base.extend<{ readonly receiver: Receiver }>({
  receiver: async ({ apiAs }, use) => {
    const admin = await apiAs("admin");
    const receiver = new Receiver(await freePort());
    const { people } = await admin.call(notificationOptions, {});
    const members = people.filter(({ role }) => role === "SUPER_ADMIN").map(({ id }) => id);
    const site = (await admin.call(siteDetails, {})).find(({ name }) => name === BHADLA);
    const { teamId } = await admin.call(createTeam, { body: { name: "Night shift", member_ids: members } });
    const { contactPointId } = await admin.call(createContactPoint, {
      body: {
        owner: { kind: "TEAM", id: teamId },
        name: NAME,
        channel: "WEBHOOK",
        url: `http://127.0.0.1:${receiver.port}/pager`,
        timezone: "Asia/Kolkata",
        quiet_from: null,
        quiet_to: null,
        days_off: [],
        critical_pierces: true,
        enabled: true,
      },
    });
    const { ruleId } = await admin.call(createNotificationRule, {
      body: {
        name: "For the pager",
        filter: { kinds: [], severities: ["CRITICAL"], site_ids: [site?.id ?? 0], states: [], partner_ids: [] },
        enabled: true,
        wait_seconds: 0,
        repeat_minutes: null,
        tells_cleared: false,
        steps: [{ after_minutes: 0, to: [{ kind: "CONTACT_POINT", id: contactPointId }] }],
      },
    });
    await use(receiver);
    receiver.stop();
    await admin.call(deleteNotificationRule, { params: { ruleId } });
    await admin.call(deleteContactPoint, { params: { contactPointId } });
    await admin.call(deleteTeam, { params: { teamId } });
  },
});

const table = (page: Page) => page.getByRole("table", { name: "Sent messages" });
const rows = (page: Page) =>
  table(page)
    .getByRole("row")
    .filter({ has: page.getByRole("cell") });
const toPager = (page: Page, port: number) => rows(page).filter({ hasText: `127.0.0.1:${port}` });

async function choose(page: Page, filter: string, option: string): Promise<void> {
  await page.getByRole("combobox", { name: filter, exact: true }).click();
  await page.getByRole("option", { name: option }).click();
}

test("sent messages: one that nobody takes is shown with each of its tries, given up and sent again; lists are narrowed by address, state, channel, kind and day, which the URL keeps; all of it on a phone, too", async ({
  page,
  signIn,
  simulator,
  suncrew,
  receiver,
  problems,
  held,
}) => {
  const { port } = receiver;
  const details = page.getByRole("dialog");
  const tries = details.getByRole("region", { name: "Tries" });

  await held.tries();
  await test.step("a list that cannot be loaded, then a message that waits for its next try", async () => {
    problems.allow(/status of 503 .*deliveries/);
    const address = "**/api/notifications/deliveries?*";
    await page.route(address, (route) => route.fulfill({ status: 503, json: { message: "Not now." } }));
    await signIn(page, "admin", { at: "/notifications?tab=sent" });
    await expect(page.getByText("The messages could not be loaded.")).toBeVisible();
    await page.unroute(address);
    await simulator.fault(SERIAL, { kind: "jam" });
    await page.getByRole("button", { name: "Retry" }).click();
    await expect(toPager(page, port)).toContainText("Waiting");
    await expect(toPager(page, port)).toContainText("could not be reached");
    // Of a long list the table has only what is in view.
    await expect(rows(page).filter({ hasText: "Night watch" }).first()).toBeVisible();
    await page.getByRole("combobox", { name: "Contact point" }).fill(NAME);
    await page.getByRole("option", { name: new RegExp(NAME) }).click();
    await expect(rows(page)).toHaveCount(1);
  });

  await test.step("after a day it is given up, and its details tell each try with its answer", async () => {
    await held.release();
    const ofPager = `contact_point_name = '${NAME}' and status = 'WAITING'`;
    await suncrew.sql(
      `update deliveries set created_at = created_at - interval '2 days', due_at = now() where ${ofPager}`,
    );
    await expect(toPager(page, port)).toContainText("Given up");
    await toPager(page, port)
      .getByRole("button", { name: /^Details/ })
      .click();
    await expect(tries.getByRole("listitem")).toHaveText([/could not be reached/, /could not be reached/]);
    await expect(details.getByRole("region", { name: "About" })).toContainText(`Bhadla Row 03`);
    await expect(details).toContainText("The brush is jammed");
    await expectAccessible(page, details);
  });

  await test.step("it is sent again, and taken", async () => {
    await receiver.start();
    await details.getByRole("button", { name: "Send again" }).click();
    await expectToast(page, "Message Sent Again", /^A new message to .* is on its way\.$/);
    await expect(details).toHaveCount(0);
    const sent = toPager(page, port).filter({ hasText: "Delivered to the receiver." });
    await expect(sent).toContainText("Sent");
    await sent.getByRole("button", { name: /^Details/ }).click();
    await expect(tries.getByRole("listitem")).toHaveText([/Delivered to the receiver\./]);
    expect(receiver.calls).toHaveLength(1);
    await page.keyboard.press("Escape");
  });

  await test.step("filters, which a reload keeps", async () => {
    await expect(rows(page)).toHaveCount(2);
    await choose(page, "State", "Given up");
    await expect(rows(page)).toHaveCount(1);
    await expect(page).toHaveURL(/status=FAILED/);
    await page.reload();
    await expect(rows(page)).toHaveCount(1);
    await expect(page.getByRole("combobox", { name: "State", exact: true })).toHaveValue("Given up");
    const today = new Intl.DateTimeFormat("en-CA").format(new Date());
    await page.getByLabel("From", { exact: true }).fill(today);
    await expect(page.getByText("No messages match the filters.")).toBeVisible();
    await expect(page).toHaveURL(new RegExp(`from=${today}`));
    await page.getByRole("button", { name: "Clear filters" }).click();
    await choose(page, "Channel", "Slack");
    await expect(rows(page).first()).toContainText("Night watch");
    await expect(toPager(page, port)).toHaveCount(0);
    await choose(page, "Kind", "Test");
    await page.getByRole("button", { name: "Show all messages" }).click();
    await expect(page).toHaveURL(/\?tab=sent$/);
    await choose(page, "State", "Given up");
    await expect(toPager(page, port)).toHaveCount(1);
  });

  await test.step("390 px", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await expect(toPager(page, port).filter({ hasText: "Given up" })).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await expectAccessible(page);
  });
});

test("sent messages: a partner sees what was sent to its people and its sites' contacts, and nothing else", async ({
  page,
  signIn,
  apiAs,
  simulator,
  receiver,
  problems,
}) => {
  problems.allow(/status of 404 .*deliveries/);
  await receiver.start();
  await simulator.fault(OTHER_SERIAL, { kind: "jam" });
  const admin = await apiAs("admin");
  const pager = (await admin.call(contactPointList, { query: {} })).find(({ name }) => name === NAME);
  await signIn(page, "partner", { at: "/notifications?tab=sent" });
  await expect(rows(page).filter({ hasText: "asha.rathore" }).first()).toBeVisible();
  await expect.poll(() => receiver.calls.length).toBe(1);
  await expect(rows(page).filter({ hasText: /Night watch|Night shift|Vikram Mehta/ })).toHaveCount(0);
  await page.getByRole("combobox", { name: "Contact point" }).click();
  await expect(page.getByRole("option").first()).toBeVisible();
  await expect(page.getByRole("option", { name: /Night watch|Night shift|Vikram Mehta/ })).toHaveCount(0);
  await page.goto(`/notifications?tab=sent&contact=${pager?.id}`);
  await expect(page.getByText("The messages could not be loaded.")).toBeVisible();
  await expect(page.getByText(NAME)).toHaveCount(0);
});
