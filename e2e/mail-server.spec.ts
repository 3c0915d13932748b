import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import type { Page } from "@playwright/test";
import { demoMessages } from "@suncrew/contract/notifications/deliveries.ts";
import { deleteMailServer, mailServer } from "@suncrew/contract/reports/mail-server.ts";
import { expectAccessible } from "./support/axe.ts";
import { expectToast } from "./support/dashboard.ts";
import { freePort } from "./support/server-process.ts";
import { expect, test as base } from "./support/suncrew.ts";

const TO = "desk@suncrew.example";

/** A mail server that knows nobody else than these. */
class Post {
  readonly recipients: string[] = [];
  readonly #server: Server;

  constructor(known: readonly string[]) {
    this.#server = createServer((socket) => {
      let isMail = false;
      let unread = "";
      socket.on("error", () => {});
      socket.write("220 post\r\n");
      socket.setEncoding("latin1").on("data", (part: string) => {
        unread += part;
        if (!unread.endsWith(isMail ? "\r\n.\r\n" : "\r\n")) return;
        const text = unread;
        unread = "";
        const [, to] = /^RCPT TO:<([^>]*)>/i.exec(text) ?? [];
        if (to !== undefined && !known.includes(to)) {
          socket.write("550 5.1.1 nobody has this address\r\n");
          return;
        }
        if (to !== undefined) this.recipients.push(to);
        isMail = /^DATA/i.test(text);
        socket.write(isMail ? "354 go on\r\n" : "250 queued as 4711\r\n");
      });
    });
  }

  async open(): Promise<number> {
    await once(this.#server.listen(0, "127.0.0.1"), "listening");
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
  }
}

/** The mail server that a test enters is removed after it. */
const test = base.extend<{ readonly post: Post; readonly ownServer: void }>({
  // oxlint-disable-next-line no-empty-pattern -- the fixture library reads the first parameter's pattern
  post: async ({}, use) => {
    const post = new Post([TO]);
    await use(post);
    post.close();
  },
  ownServer: [
    async ({ apiAs }, use) => {
      await use();
      await (await apiAs("admin")).call(deleteMailServer, {});
    },
    { auto: true },
  ],
});

const card = (page: Page) => page.getByRole("region", { name: "Mail server" });

test("a Super Admin sets up the mail server in the console: what is refused is said at its field, a test tells the real answer, and once it is removed the demo's mailbox gets the mail again", async ({
  page,
  signIn,
  apiAs,
  post,
  problems,
}) => {
  const admin = await apiAs("admin");
  const mailsOfDemo = async () =>
    (await admin.call(demoMessages, { query: { channel: "EMAIL" } })).messages.filter(({ to }) => to === TO).length;
  const save = () => card(page).getByRole("button", { name: "Save mail server" }).click();
  const sendTest = async (to: string) => {
    await card(page).getByLabel("Send a test to").fill(to);
    await card(page).getByRole("button", { name: "Send test" }).click();
  };
  const before = await mailsOfDemo();

  await test.step("a card that cannot be loaded, then the demo's own mailbox", async () => {
    problems.allow(/status of 503 .*api\/mail-server/);
    await page.route("**/api/mail-server", (route) => route.fulfill({ status: 503, json: { message: "Not now." } }));
    await signIn(page, "admin", { at: "/report-management?tab=settings" });
    await expect(card(page)).toContainText("The mail server could not be loaded.");
    await page.unroute("**/api/mail-server");
    await card(page).getByRole("button", { name: "Retry" }).click();
    await expect(card(page)).toContainText("Mail goes to the demo's own mailbox");
    await sendTest(TO);
    await expect(card(page).getByRole("status")).toContainText(`took the mail to ${TO}`);
    expect(await mailsOfDemo()).toBe(before + 1);
  });

  await test.step("mail to another machine without encryption is refused at the field", async () => {
    problems.allow(/status of 400 .*api\/mail-server/);
    await card(page).getByLabel("Server", { exact: true }).fill("smtp.sun.example");
    await card(page).getByLabel("Encryption").selectOption("NONE");
    await card(page).getByLabel("Sender's address").fill("reports@sun.example");
    await save();
    const encryption = card(page).getByLabel("Encryption");
    await expect(encryption).toHaveAccessibleDescription(/Without encryption mail goes to this machine itself only/);
    await expectAccessible(page);
    expect((await admin.call(mailServer, {})).source).toBe("DEMO");
  });

  await test.step("one that cannot be reached is saved, and a test says so", async () => {
    await card(page).getByLabel("Server", { exact: true }).fill("127.0.0.1");
    await card(page)
      .getByLabel("Port")
      .fill(String(await freePort()));
    await save();
    await expectToast(
      page,
      "Mail Server Saved",
      "The mail server was saved. Send a test to see whether it takes mail.",
    );
    await sendTest(TO);
    await expect(card(page).getByRole("status")).toContainText("The mail server could not be reached");
  });

  await test.step("another one refuses one address, and takes mail for the other", async () => {
    await card(page)
      .getByLabel("Port")
      .fill(String(await post.open()));
    await save();
    await expect.poll(async () => (await admin.call(mailServer, {})).changed?.version).toBe(2);
    await sendTest("nobody@suncrew.example");
    await expect(card(page).getByRole("status")).toContainText("550 5.1.1 nobody has this address");
    await sendTest(TO);
    await expect(card(page).getByRole("status")).toHaveText(
      `The mail server took the mail to ${TO}: 250 queued as 4711`,
    );
    expect(post.recipients).toEqual([TO]);
    expect(await mailsOfDemo()).toBe(before + 1);
  });

  await test.step("390 px: it is removed", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await expectAccessible(page);
    await card(page).getByRole("button", { name: "Remove" }).click();
    await page.getByRole("dialog", { name: "Remove Mail Server" }).getByRole("button", { name: "Remove" }).click();
    await expect(card(page)).toContainText("Mail goes to the demo's own mailbox");
    await expect(card(page).getByLabel("Server", { exact: true })).toHaveValue("");
  });
});
