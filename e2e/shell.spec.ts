import type { Locator, Page } from "@playwright/test";
import { expectAccessible, expectAccessibleAsShown } from "./support/axe.ts";
import { signInWith } from "./support/sign-in-with.ts";
import { accounts, expect, test } from "./support/suncrew.ts";
import type { Theme } from "./support/themes.ts";

const themeWords = { light: "Light", dark: "Dark", blue: "Blue", green: "Green", purple: "Purple" } as const;

/** The default one not first, so that each choice is a change. */
const themesInTurn = ["dark", "blue", "green", "light", "purple"] as const satisfies readonly Theme[];

/** The button with the user's name. */
async function userMenuButton(page: Page): Promise<Locator> {
  const user = await page.evaluate(() => localStorage.getItem("user"));
  const parsed: unknown = JSON.parse(user ?? "null");
  const name = typeof parsed === "object" && parsed !== null && "name" in parsed ? String(parsed.name) : "";
  expect(name).not.toBe("");
  return page.getByRole("banner").getByRole("button", { name });
}

async function openProfile(page: Page): Promise<Locator> {
  await (await userMenuButton(page)).click();
  await page.getByRole("menuitem", { name: "Profile Settings" }).click();
  const dialog = page.getByRole("dialog", { name: "Profile Settings" });
  await expect(dialog).toBeVisible();
  return dialog;
}

test("§2 Top navigation bar: the logo leads to /, the current link is highlighted; a demo says that it is one", async ({
  page,
  signIn,
}) => {
  await signIn(page, "admin");
  const bar = page.getByRole("banner");
  await expect(bar.getByRole("link", { name: "Suncrew" })).toHaveAttribute("href", "/");
  const links = bar.getByRole("navigation", { name: "Main" }).getByRole("link");
  await expect(links).toHaveText([
    "Dashboard",
    "Site Management",
    "Partners",
    "Activity Log",
    "Report Management",
    "Site Reports",
  ]);
  await expect(links.first()).toHaveAttribute("href", "/");
  await expect(links.first()).toHaveAttribute("aria-current", "page");
  await expect(page).toHaveTitle("Dashboard - Suncrew");
  await expect(page.getByText("Demo: simulated robots and sample data")).toBeVisible();
});

test("§2 User menu: Profile Settings and Logout", async ({ page, signIn }) => {
  await signIn(page, "admin");
  await (await userMenuButton(page)).click();
  await expect(page.getByRole("menuitem")).toHaveText(["Profile Settings", "Logout"]);
  await expectAccessible(page);
});

for (const { account, role } of [
  { account: "admin", role: "Super Admin" },
  { account: "partner", role: "Partner" },
] as const) {
  test(`§2 Profile Settings: the ${role}'s name, email and role, read-only, and the five themes`, async ({
    page,
    signIn,
  }) => {
    await signIn(page, account);
    const dialog = await openProfile(page);
    await expect(dialog.getByRole("term")).toHaveText(["Name", "Email", "Role"]);
    await expect(dialog.getByRole("definition").last()).toHaveText(role);
    await expect(dialog.getByRole("definition").nth(1)).toHaveText(/@/);
    await expect(dialog.getByRole("textbox")).toHaveCount(0);
    const radios = dialog.getByRole("radiogroup", { name: "Theme" }).getByRole("radio");
    await expect(radios).toHaveCount(5);
    for (const word of Object.values(themeWords)) await expect(dialog.getByRole("radio", { name: word })).toBeVisible();
    await expect(dialog.getByRole("radio", { name: "Light" })).toBeChecked();
  });
}

test("§4 Theme: each can be chosen, is accessible, and is kept under the key theme", async ({ page, signIn }) => {
  await signIn(page, "admin");
  const dialog = await openProfile(page);
  for (const theme of themesInTurn) {
    await dialog.getByRole("radio", { name: themeWords[theme] }).check();
    await expect(page.locator("html")).toHaveAttribute("data-theme", theme);
    expect(await page.evaluate(() => localStorage.getItem("theme"))).toBe(theme);
    await expectAccessibleAsShown(page);
  }
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "purple");
  await expect((await openProfile(page)).getByRole("radio", { name: "Purple" })).toBeChecked();
});

test("§4 Theme: the stored one stands before anything is drawn; an unknown one is light", async ({ page }) => {
  await page.goto("/");
  await page.evaluate(() => localStorage.setItem("theme", "dark"));
  // Without its scripts' modules the page stays empty: only what runs before the paint has run.
  await page.route("**/assets/index-*.js", (route) => route.fulfill({ contentType: "text/javascript", body: "" }));
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect(page.locator("html")).toHaveCSS("background-color", "rgb(15, 20, 25)");
  await page.evaluate(() => localStorage.setItem("theme", "mauve"));
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
});

test("§4 Session: Logout tells the server, ignores its answer, clears token and user, and leads to /", async ({
  page,
  problems,
}) => {
  problems.allow(/Failed to load resource/);
  await signInWith(page, accounts.admin);
  const authorizations: (string | undefined)[] = [];
  await page.route("**/api/auth/logout", async (route) => {
    authorizations.push(route.request().headers()["authorization"]);
    await route.abort();
  });
  const token = await page.evaluate(() => localStorage.getItem("token"));
  await (await userMenuButton(page)).click();
  await page.getByRole("menuitem", { name: "Logout" }).click();
  await expect(page).toHaveURL("/");
  await expect(page.getByRole("button", { name: "Sign In" })).toBeVisible();
  expect(authorizations).toEqual([`Bearer ${token}`]);
  expect(await page.evaluate(() => [localStorage.getItem("token"), localStorage.getItem("user")])).toEqual([
    null,
    null,
  ]);
});

test("§4 Session: Logout ends the session on the server", async ({ page, suncrew }) => {
  await signInWith(page, accounts.admin);
  const token = await page.evaluate(() => localStorage.getItem("token"));
  const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
  await (await userMenuButton(page)).click();
  await page.getByRole("menuitem", { name: "Logout" }).click();
  await expect(page.getByRole("button", { name: "Sign In" })).toBeVisible();
  await expect(async () => {
    const answer = await fetch(`${suncrew.baseUrl}/api/sites/details`, {
      headers: { authorization: `Bearer ${token}`, cookie },
    });
    expect(answer.status).toBe(401);
  }).toPass();
});

test("set-up: the build compresses the console's scripts and styles once, and the server sends them so", async ({
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

test("a visit asks for few files: the sign-in page, and the dashboard until its first robot", async ({
  page,
  openBrowser,
  signIn,
}) => {
  let requests = 0;
  page.on("request", () => (requests += 1));
  // Half a second later it fetches what comes after it.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.goto("/");
  await expect(page.getByRole("button", { name: "Sign In" })).toBeVisible();
  expect(requests).toBeLessThanOrEqual(10);

  const signedIn = await openBrowser();
  const scripts = new Set<string>();
  signedIn.on("request", (request) => request.resourceType() === "script" && scripts.add(request.url()));
  await signIn(signedIn, "admin");
  await expect(signedIn.getByRole("button", { name: "Start", exact: true }).first()).toBeVisible();
  expect(scripts.size).toBeLessThanOrEqual(20);
});

test("§2 Routes: any other path is 'Oops! Page not found' with a Return to Home link", async ({ page }) => {
  for (const path of ["/nothing-here", "/sites/x", "/partners/x", "/dashboard/x"]) {
    await page.goto(path);
    await expect(page.getByRole("heading", { name: "Oops! Page not found" })).toBeVisible();
    await expect(page.getByText(`There is nothing at ${path}`)).toBeVisible();
    await expectAccessible(page);
    await page.getByRole("link", { name: "Return to Home" }).click();
    await expect(page).toHaveURL("/");
  }
});

test("§8 the error screen shows 'Unexpected Application Error!' with the message", async ({
  page,
  signIn,
  problems,
}) => {
  problems.allow(/dynamically imported module|Failed to load resource|Unexpected Application Error/);
  await signIn(page, "admin");
  await page.route("**/assets/shell-*.js", (route) => route.abort());
  await page.reload();
  await expect(page.getByRole("heading", { name: "Unexpected Application Error!" })).toBeVisible();
  await expect(page.getByText(/Failed to fetch dynamically imported module/)).toBeVisible();
  await expectAccessible(page);
  await page.unroute("**/assets/shell-*.js");
  await page.getByRole("button", { name: "Reload" }).click();
  await expect(page).toHaveTitle("Dashboard - Suncrew");
});

test("by keyboard alone: skip link, user menu, dialog and back", async ({ page, signIn }) => {
  await signIn(page, "admin");
  await page.reload();
  const menuButton = await userMenuButton(page);
  await menuButton.waitFor();
  await page.keyboard.press("Tab");
  const skip = page.getByRole("link", { name: "Skip to content" });
  await expect(skip).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("main")).toBeFocused();
  await menuButton.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("menuitem", { name: "Profile Settings" })).toBeFocused();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Profile Settings" });
  await dialog.getByRole("radio", { name: "Light" }).focus();
  await page.keyboard.press("ArrowDown");
  await expect(dialog.getByRole("radio", { name: "Dark" })).toBeChecked();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(menuButton).toBeFocused();
});

for (const width of [360, 390]) {
  test(`the shell fits a screen ${width} px wide; its links fold into a menu`, async ({ page, signIn }) => {
    await page.setViewportSize({ width, height: 780 });
    await signIn(page, "admin");
    const scrollWidth = () => page.evaluate(() => document.documentElement.scrollWidth);
    await expect(page.getByRole("banner").getByText("Live", { exact: true })).toBeVisible();
    expect(await scrollWidth()).toBe(width);
    await page.getByRole("button", { name: "Open navigation" }).click();
    await expect(page.getByRole("menuitem", { name: "Dashboard" })).toHaveAttribute("aria-current", "page");
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await openProfile(page);
    await expectAccessible(page);
    expect(await scrollWidth()).toBe(width);
  });
}
