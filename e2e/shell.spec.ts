import type { Request } from "@playwright/test";
import { expectAccessible } from "./support/axe.ts";
import { expectProfileSettings, openProfile, themeLabels, userMenuButton } from "./support/profile-settings.ts";
import { expect, test } from "./support/suncrew.ts";
import type { Theme } from "./support/themes.ts";

/** The default is not first, so that each choice is a change. */
const themesInTurn = ["dark", "blue", "green", "light", "purple"] as const satisfies readonly Theme[];

test("§2 Top navigation bar, User menu, Profile Settings, §4 Theme: their contents, using only the keyboard, accessible; a first visit loads few files", async ({
  page,
  signIn,
}) => {
  const bar = page.getByRole("banner");
  const dialog = page.getByRole("dialog", { name: "Profile Settings" });

  await test.step("the dashboard loads few files before its first robot", async () => {
    const scripts = new Set<string>();
    const note = (request: Request) => request.resourceType() === "script" && scripts.add(request.url());
    page.on("request", note);
    await signIn(page, "admin");
    await expect(page.getByRole("button", { name: "Start", exact: true }).first()).toBeVisible();
    page.off("request", note);
    expect(scripts.size).toBeLessThanOrEqual(20);
  });

  await test.step("the logo links to /, the current link is highlighted; a demo says that it is one", async () => {
    await expect(bar.getByRole("link", { name: "Suncrew" })).toHaveAttribute("href", "/");
    const links = bar.getByRole("navigation", { name: "Main" }).getByRole("link");
    await expect(links).toHaveText([
      "Dashboard",
      "Robots",
      "Calendar",
      "Site Management",
      "Partners",
      "Activity Log",
      "Report Management",
      "Site Reports",
      "Notifications",
    ]);
    await expect(links.first()).toHaveAttribute("href", "/");
    await expect(links.first()).toHaveAttribute("aria-current", "page");
    await expect(page).toHaveTitle(/^(\(\d+\) )?Dashboard - Suncrew$/);
    await expect(page.getByText("Demo: simulated robots and sample data")).toBeVisible();
  });

  await test.step("using only the keyboard: skip link, user menu, dialog and back", async () => {
    const menuButton = await userMenuButton(page);
    await page.keyboard.press("Tab");
    await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(page.getByRole("main")).toBeFocused();
    await menuButton.focus();
    await page.keyboard.press("Enter");
    await expect(page.getByRole("menuitem", { name: "Profile Settings" })).toBeFocused();
    await expect(page.getByRole("menuitem")).toHaveText([
      "Profile Settings",
      "Keyboard shortcuts",
      "Wallboard links",
      "Logout",
    ]);
    await expectAccessible(page);
    await page.keyboard.press("Enter");
    await expectProfileSettings(dialog, "Super Admin");
    await dialog.getByRole("radio", { name: "Light" }).focus();
    await page.keyboard.press("ArrowDown");
    await expect(dialog.getByRole("radio", { name: "Dark" })).toBeChecked();
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
    await expect(menuButton).toBeFocused();
  });

  await test.step("each theme can be chosen, and is kept under the key theme", async () => {
    await openProfile(page);
    for (const theme of themesInTurn) {
      await dialog.getByRole("radio", { name: themeLabels[theme] }).check();
      await expect(page.locator("html")).toHaveAttribute("data-theme", theme);
      expect(await page.evaluate(() => localStorage.getItem("theme"))).toBe(theme);
      if (theme === "light") await expectAccessible(page, dialog);
    }
    await page.reload();
    await expect(page.locator("html")).toHaveAttribute("data-theme", "purple");
    await expect((await openProfile(page)).getByRole("radio", { name: "Purple" })).toBeChecked();
  });
});

test("§4 Theme: the stored theme applies before the first paint; an unknown one is light", async ({ page }) => {
  // Without its script modules the page stays empty: only what runs before the first paint has run.
  await page.route("**/assets/index-*.js", (route) => route.fulfill({ contentType: "text/javascript", body: "" }));
  await page.goto("/");
  const root = page.locator("html");
  for (const theme of [...themesInTurn, "mauve"]) {
    await page.evaluate((stored) => localStorage.setItem("theme", stored), theme);
    await page.reload();
    await expect(root).toHaveAttribute("data-theme", theme === "mauve" ? "light" : theme);
    if (theme === "dark") await expect(root).toHaveCSS("background-color", "rgb(15, 20, 25)");
  }
});

test("reduced motion: nothing moves or flickers while robots load, for those whose system asks for it", async ({
  page,
  signIn,
}) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route("**/api/robots/getRobotDetailsWithSettings/**", async (route) => {
    await released;
    await route.continue();
  });
  await signIn(page, "admin");
  await expect(page.getByRole("status", { name: "Loading robots" })).toBeVisible();
  const moving = () =>
    page.evaluate(() => document.getAnimations().filter(({ playState }) => playState === "running").length);
  await expect.poll(moving).toBe(0);
  release();
  await expect(page.getByRole("article").first()).toBeVisible();
});

test("set-up: the build compresses the console's scripts and styles once, and the server sends those files", async ({
  suncrew,
}) => {
  const page = await (await fetch(suncrew.baseUrl)).text();
  const files = [...page.matchAll(/"(\/assets\/[^"]+\.(?:js|css))"/g)].map((match) => match[1] ?? "");
  expect(files.length).toBeGreaterThan(1);
  for (const file of files) {
    const { headers } = await fetch(suncrew.baseUrl + file, { headers: { "accept-encoding": "br" }, method: "HEAD" });
    expect([file, headers.get("content-encoding"), headers.has("content-length")]).toEqual([file, "br", true]);
  }
});

test("§2 Routes: any other path is 'Oops! Page not found' with a Return to Home link; the sign-in page loads few files", async ({
  page,
}) => {
  let requests = 0;
  page.on("request", () => (requests += 1));
  // Half a second later it preloads what comes after it.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.goto("/");
  await expect(page.getByRole("button", { name: "Sign In" })).toBeVisible();
  expect(requests).toBeLessThanOrEqual(10);
  await page.clock.resume();

  for (const [nth, path] of ["/nothing-here", "/sites/x", "/partners/x", "/dashboard/x"].entries()) {
    await page.goto(path);
    await expect(page.getByRole("heading", { name: "Oops! Page not found" })).toBeVisible();
    await expect(page.getByText(`There is nothing at ${path}`)).toBeVisible();
    if (nth === 0) await expectAccessible(page);
    await page.getByRole("link", { name: "Return to Home" }).click();
    await expect(page).toHaveURL("/");
  }
});

test("the shell fits screens 360 and 390 px wide; its links fold into a menu", async ({ page, signIn }) => {
  await page.setViewportSize({ width: 360, height: 780 });
  await signIn(page, "admin");
  for (const width of [360, 390]) {
    await page.setViewportSize({ width, height: 780 });
    const expectInside = () => expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    await expect(page.getByRole("banner").getByText("Live", { exact: true })).toBeVisible();
    await expectInside();
    await page.getByRole("button", { name: "Open navigation" }).click();
    await expect(page.getByRole("menuitem", { name: "Dashboard" })).toHaveAttribute("aria-current", "page");
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    const dialog = await openProfile(page);
    await expectAccessible(page, dialog);
    await expectInside();
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
  }
});
