import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { deleteWebhook, webhookList } from "@suncrew/contract/events/webhook-endpoints.ts";
import { robotMaintenance } from "@suncrew/contract/maintenance/maintenance.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { robotDetailsWithSettings } from "@suncrew/contract/robots/robots.ts";
import type { ApiClient } from "./support/api.ts";
import { expectAccessible } from "./support/axe.ts";
import { BHADLA, expectToast } from "./support/dashboard.ts";
import { freePort } from "./support/server-process.ts";
import { expect, test as base } from "./support/suncrew.ts";

const EXAMPLE = fileURLToPath(new URL("../docs/examples/webhook-receiver.mjs", import.meta.url));
const SERIAL = "SCR-1002";
const ROBOT = "Bhadla Row 02";
const NAME = "Ticket system";

/** The program of `docs/`, which prints the events whose signature it has checked, and answers 401 to others. */
class Receiver {
  readonly port: number;
  readonly printed: string[] = [];
  #process: ChildProcess | null = null;

  constructor(port: number) {
    this.port = port;
  }

  async start(secret: string): Promise<void> {
    const child = spawn(process.execPath, [EXAMPLE], {
      env: { ...process.env, WEBHOOK_SECRET: secret, PORT: String(this.port) },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#process = child;
    createInterface(child.stdout).on("line", (line) => this.printed.push(line));
    await once(child.stderr, "data");
  }

  async stop(): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (child === null) return;
    const ended = once(child, "exit");
    child.kill();
    await ended;
  }

  /** The types of the events that it took, in order. */
  types(): string[] {
    return this.printed.map((line) => /^\{"type":"([a-z.]+)"/.exec(line)?.[1] ?? line);
  }
}

/** It is stopped after the test, and webhooks that the test adds are deleted. */
const test = base.extend<{ readonly receiver: Receiver }>({
  receiver: async ({ apiAs }, use) => {
    const receiver = new Receiver(await freePort());
    await use(receiver);
    await receiver.stop();
    const admin = await apiAs("admin");
    for (const { id, name } of await admin.call(webhookList, {})) {
      if (name === NAME) await admin.call(deleteWebhook, { params: { webhookId: id } });
    }
  },
});

async function lockAndRelease(api: ApiClient): Promise<void> {
  const site = (await api.call(siteDetails, {})).find(({ name }) => name === BHADLA);
  const { robots } = await api.call(robotDetailsWithSettings, { params: { siteId: site?.id ?? 0 } });
  const robot = robots.find(({ serial_number: serial }) => serial === SERIAL);
  const params = { robotId: robot?.robot_id ?? 0 };
  await api.call(robotMaintenance, { params, body: { enabled: true, reason: "A new brush" } });
  await api.call(robotMaintenance, { params, body: { enabled: false } });
}

const cards = (page: Page) => page.getByRole("list", { name: "Webhooks" }).getByRole("listitem");
const card = (page: Page) => cards(page).and(page.getByRole("listitem", { name: NAME }));
const rows = (page: Page) =>
  page.getByRole("table", { name: "Deliveries" }).getByRole("row").filter({ hasText: ROBOT });

/** Reads the secret from the dialog that shows it once. */
async function takeSecret(page: Page): Promise<string> {
  const dialog = page.getByRole("dialog", { name: "Signing Secret" });
  await expect(dialog).toContainText(NAME);
  const secret = await dialog.getByText(/^whsec_/).textContent();
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(page.getByText(/whsec_/)).toHaveCount(0);
  return secret ?? "";
}

test("webhooks: a program is told of events with valid signatures; what it missed is shown, given up and replayed in its order; its secret is replaced; all of it on a phone, too", async ({
  page,
  signIn,
  apiAs,
  suncrew,
  receiver,
  problems,
}) => {
  let secret = "";
  const sendTest = async () => {
    const answered = page.waitForResponse(/\/api\/webhooks\/\d+\/test$/);
    await page.getByRole("button", { name: `Send test event to ${NAME}` }).click();
    await answered;
  };

  await test.step("a list that cannot be loaded, then the webhook that every demo has, with what it got", async () => {
    problems.allow(/status of 503 .*api\/webhooks/);
    await page.route("**/api/webhooks", (route) => route.fulfill({ status: 503, json: { message: "Not now." } }));
    await signIn(page, "admin", { at: "/webhooks" });
    await expect(page).toHaveTitle(/^(\(\d+\) )?Webhooks - Suncrew$/);
    await expect(page.getByText("The webhooks could not be loaded.")).toBeVisible();
    await page.unroute("**/api/webhooks");
    await page.getByRole("button", { name: "Retry" }).click();
    await expect(cards(page).filter({ hasText: "Control room" })).toContainText("Works");
    await expect(
      page.getByRole("table", { name: "Deliveries" }).getByRole("row").filter({ hasText: "Sent" }),
    ).not.toHaveCount(0);
    await expectAccessible(page);
  });

  await test.step("one is added; its secret is shown once", async () => {
    await page.getByRole("button", { name: "Add Webhook" }).click();
    const adding = page.getByRole("dialog", { name: "Add Webhook" });
    await adding.getByLabel(/^Name/).fill(NAME);
    await adding.getByLabel(/^Address/).fill(`http://127.0.0.1:${receiver.port}/suncrew?key=hidden`);
    await adding.getByRole("checkbox", { name: /^All/ }).uncheck();
    await adding.getByRole("group", { name: "Care" }).getByRole("checkbox").first().check();
    await adding.getByRole("group", { name: "Care" }).getByRole("checkbox").nth(1).check();
    await expectAccessible(page, adding);
    await page.keyboard.press("Enter");
    secret = await takeSecret(page);
    await expect(card(page)).toContainText("2 kinds of events");
    await page.getByRole("combobox", { name: "Webhook" }).click();
    await page.getByRole("option", { name: NAME }).click();
    await expect(page.getByText("hidden")).toHaveCount(0);
  });

  await test.step("a test tells the real answer", async () => {
    await sendTest();
    await expect(card(page).getByRole("status")).toContainText("could not be reached");
    await receiver.start(secret);
    await sendTest();
    await expect(card(page).getByRole("status")).toHaveText(`127.0.0.1:${receiver.port} took the test event.`);
    expect(receiver.types()).toEqual(["webhook.test"]);
    await receiver.stop();
  });

  await test.step("while it is gone, events wait for it, and are given up after a day", async () => {
    await lockAndRelease(await apiAs("admin"));
    await expect(card(page)).toContainText(/Fails since .*: .*could not be reached/);
    await expect(card(page)).toContainText("2 waiting");
    await expect(rows(page).filter({ hasText: "Waiting" })).toHaveCount(2);
    await suncrew.sql(
      "update event_deliveries set created_at = now() - interval '2 days', due_at = now() where status = 'WAITING'",
    );
    await suncrew.sql("update webhooks set paused_until = null");
    await expect(rows(page).filter({ hasText: "Given up" })).toHaveCount(2);
  });

  await test.step("it comes back, and gets what it missed in its order", async () => {
    await receiver.start(secret);
    await page.getByRole("button", { name: `Replay events of ${NAME}` }).click();
    await page.getByRole("dialog", { name: "Replay Events" }).getByRole("button", { name: "Last hour" }).click();
    await expectToast(page, "Events Replayed", "2 events are sent again.");
    await expect(rows(page).filter({ hasText: "Sent" }).filter({ hasText: "replayed" })).toHaveCount(2);
    expect(receiver.types()).toEqual(["webhook.test", "maintenance.on", "maintenance.off"]);
    await expect(card(page)).toContainText("Works");
  });

  await test.step("one delivery is looked at, with its body", async () => {
    await page.getByRole("combobox", { name: "Status" }).click();
    await page.getByRole("option", { name: "Sent" }).click();
    await expect(rows(page)).toHaveCount(2);
    await rows(page).first().getByRole("button", { name: /^Show/ }).click();
    const delivery = page.getByRole("dialog");
    await expect(delivery.getByLabel("Body", { exact: true })).toContainText(`"serial_number": "${SERIAL}"`);
    await expectAccessible(page, delivery);
    await page.keyboard.press("Escape");
  });

  await test.step("390 px: a new secret works at once, and the former one still does; it is deleted", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole("button", { name: `Replace signing secret of ${NAME}` }).click();
    await page.getByRole("button", { name: "Replace Secret" }).click();
    const replaced = await takeSecret(page);
    await expect(card(page)).toContainText("Signed with the former secret, too");
    await sendTest();
    await expect(card(page).getByRole("status")).toContainText("took the test event");
    await receiver.stop();
    await receiver.start(replaced);
    await sendTest();
    await expect.poll(() => receiver.types().filter((type) => type === "webhook.test")).toHaveLength(3);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await expectAccessible(page);
    await page.getByRole("button", { name: `Delete ${NAME}` }).click();
    await page.getByRole("dialog", { name: "Delete Webhook" }).getByRole("button", { name: "Delete Webhook" }).click();
    await expect(card(page)).toHaveCount(0);
  });
});
