import { freePort, type RunningServer, startServer } from "./support/server-process.ts";
import { expect, test as base } from "./support/suncrew.ts";

/** A demo that a test may stop and start again at the same address. */
const test = base.extend<{ readonly restart: () => Promise<void> }, { readonly served: { now: RunningServer } }>({
  served: [
    // oxlint-disable-next-line no-empty-pattern -- the fixture library reads the first parameter's pattern
    async ({}, use) => {
      const served = { now: await startServer({ port: await freePort() }) };
      await use(served);
      await served.now.stop();
    },
    { scope: "worker" },
  ],
  suncrew: [async ({ served }, use) => use(served.now), { scope: "worker" }],
  restart: async ({ served }, use) => {
    await use(async () => {
      const { baseUrl, dataDir } = served.now;
      served.now = await startServer({ port: Number(new URL(baseUrl).port), dataDir });
    });
  },
});

test("wallboard: a link shows the board in another browser, through a restart of the server, until it is withdrawn", async ({
  page,
  openBrowser,
  problems,
  signIn,
  served,
  restart,
}) => {
  problems.allow(/Failed to load resource|Loading .* failed|failed to connect|WALLBOARD_ENDED/);
  await signIn(page, "admin");
  const menu = page.getByRole("banner").getByRole("button", { name: "Vikram Mehta" });
  await menu.click();
  await page.getByRole("menuitem", { name: "Wallboard links" }).click();
  const dialog = page.getByRole("dialog", { name: "Wallboard Links" });
  await dialog.getByRole("button", { name: "Make Link" }).click();
  await expect(dialog.getByText("Name is required")).toBeVisible();
  await dialog.getByLabel("Name of the screen").fill("Control room");
  await dialog.getByRole("button", { name: "Make Link" }).click();
  const link = (await dialog.locator("code").textContent()) ?? "";
  expect(link).toContain("/wall#");

  const screen = await openBrowser();
  await screen.setViewportSize({ width: 1920, height: 1080 });
  const asked: string[] = [];
  screen.on("request", (request) => asked.push(request.url()));
  await screen.goto(link);
  await expect(screen.getByRole("status")).toHaveText("Live");
  await expect(screen.getByText("Control room")).toBeVisible();
  await expect(screen.getByText("Need attention")).toBeVisible();
  expect(new URL(screen.url()).hash).toBe("");
  const secret = link.split("#")[1] ?? "-";
  expect(asked.filter((url) => url.split("#")[0]?.includes(secret))).toEqual([]);
  await screen.reload();
  await expect(screen.getByRole("status")).toHaveText("Live");
  // Opened again after its session has expired, it does not store the link's secret.
  const expired = `test.${Buffer.from(JSON.stringify({ role: "SUPER_ADMIN", exp: 1 })).toString("base64")}.test`;
  await screen.evaluate((token) => localStorage.setItem("wallboard.token", token), expired);
  await screen.goto("about:blank");
  await screen.goto(link);
  await expect(screen.getByRole("status")).toHaveText("Live");
  const stored = await screen.evaluate(() => JSON.stringify([localStorage, sessionStorage]));
  expect(stored).not.toContain(secret);

  await served.now.stop({ keepData: true });
  await expect(screen.getByRole("status")).toHaveText(/^Connection lost since \d\d:\d\d$/);
  await restart();
  await expect(screen.getByRole("status")).toHaveText("Live");

  await page.reload();
  await menu.click();
  await page.getByRole("menuitem", { name: "Wallboard links" }).click();
  await dialog.getByRole("button", { name: "Withdraw Control room" }).click();
  await page.getByRole("dialog", { name: "Withdraw Link" }).getByRole("button", { name: "Withdraw Link" }).click();
  await expect(dialog.getByText("No links yet.")).toBeVisible();
  await expect(screen.getByRole("heading", { name: "This wallboard's link was withdrawn." })).toBeVisible();
  // Only what follows `#` differs from where the screen is: the page loads itself anew.
  const loaded = screen.waitForEvent("load");
  await screen.goto(link);
  await loaded;
  await expect(screen.getByRole("heading", { name: "This wallboard's link was withdrawn." })).toBeVisible();

  await dialog.getByLabel("Name of the screen").fill("Canteen");
  await dialog.getByRole("button", { name: "Make Link" }).click();
  await screen.goto((await dialog.locator("code").textContent()) ?? "");
  await expect(screen.getByRole("status")).toHaveText("Live");
  await expect(screen.getByText("Canteen")).toBeVisible();
  expect(new URL(screen.url()).hash).toBe("");
});

test("wallboard: somebody who is signed in sees the board in place of the dashboard, dark whatever another tab chooses", async ({
  page,
  signIn,
}) => {
  await signIn(page, "partner", { at: "/dashboard?view=wall" });
  await expect(page.getByRole("status")).toHaveText("Live");
  await expect(page.getByRole("banner")).toHaveCount(0);
  await expect(page.getByRole("button")).toHaveCount(0);
  const told = page.evaluate(() =>
    new Promise((resolve) => addEventListener("storage", resolve, { once: true })).then(() => "told"),
  );
  const other = await page.context().newPage();
  await other.goto("/api/docs");
  await other.evaluate(() => localStorage.setItem("theme", "green"));
  expect(await told).toBe("told");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", "dark");
});
