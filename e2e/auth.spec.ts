import type { Page } from "@playwright/test";
import { expectAccessible } from "./support/axe.ts";
import { logout } from "@suncrew/contract/auth/auth.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { signInWith } from "./support/sign-in-with.ts";
import { accounts, expect, test } from "./support/suncrew.ts";

async function fillIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel("Username").fill(username);
  await page.getByLabel("Password", { exact: true }).fill(password);
}

async function submit(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Sign In" }).click();
}

async function stored(page: Page, key: string): Promise<string | null> {
  return page.evaluate((name) => localStorage.getItem(name), key);
}

/** A token in form, signed by nobody. */
function forgedToken(expiresInS: number): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const exp = Math.floor(Date.now() / 1000) + expiresInS;
  const claims = { id: 1, role: "SUPER_ADMIN", email: "a@b.example", partnerId: null, sid: crypto.randomUUID(), exp };
  return `${part({ alg: "HS256", typ: "JWT" })}.${part(claims)}.bm9ib2R5`;
}

/** Puts a session into the browser, as if it had been stored by an earlier visit. */
async function keepSession(page: Page, token: string): Promise<void> {
  // No call is under way any more that would notice the token too early.
  await page.goto("/", { waitUntil: "networkidle" });
  await page.evaluate((kept) => {
    localStorage.setItem("token", kept);
    localStorage.setItem("user", JSON.stringify({ id: "1", name: "A", email: "a@b.example", role: "SUPER_ADMIN" }));
  }, token);
}

/** A call with the cookies of the page's browser, and this token, past the page; answers its status. */
async function asThisBrowser(page: Page, token: string | null, method: string, path: string): Promise<number> {
  const answer = await page.request.fetch(path, { method, headers: { authorization: `Bearer ${token}` } });
  return answer.status();
}

/** Opens the dashboard; a hard redirect may come before it has loaded, or before it was even asked for. */
async function openDashboard(page: Page): Promise<void> {
  await page.goto("/dashboard", { waitUntil: "commit" }).catch(() => {});
}

async function expectSignedOut(page: Page): Promise<void> {
  await expect(page).toHaveURL("/");
  await expect(page.getByRole("button", { name: "Sign In" })).toBeVisible();
  // Asked again where the redirect replaces the page just then.
  await expect(async () => {
    expect([await stored(page, "token"), await stored(page, "user")]).toEqual([null, null]);
  }).toPass();
}

test("§2 Sign-in page: its tagline, fields and button; it asks nobody but the server for anything", async ({
  page,
  suncrew,
}) => {
  const elsewhere: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(suncrew.baseUrl)) elsewhere.push(request.url());
  });
  await page.goto("/", { waitUntil: "networkidle" });
  await expect(page.getByText("Robot Fleet Management System")).toBeVisible();
  await expect(page.getByLabel("Username")).toBeVisible();
  await expect(page.getByLabel("Password", { exact: true })).toHaveAttribute("type", "password");
  await expect(page.getByRole("button", { name: "Sign In" })).toBeEnabled();
  expect(elsewhere).toEqual([]);
});

test("§4 Session: signing in stores token and user and leads to the dashboard", { tag: "@smoke" }, async ({ page }) => {
  await signInWith(page, accounts.admin);
  expect(await stored(page, "token")).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
  const user: unknown = JSON.parse((await stored(page, "user")) ?? "null");
  expect(user).toEqual({
    id: expect.any(String),
    name: expect.any(String),
    email: expect.any(String),
    role: "SUPER_ADMIN",
  });
  await page.goto("/");
  await expect(page).toHaveURL(/\/dashboard/);
});

test("a demo shows its sign-ins; a press fills them in", async ({ page }) => {
  await page.goto("/");
  await page.getByRole("button", { name: "partner / partner@123" }).click();
  await expect(page.getByLabel("Username")).toHaveValue(accounts.partner.username);
  await expect(page.getByLabel("Password", { exact: true })).toHaveValue(accounts.partner.password);
  await submit(page);
  await expect(page).toHaveURL(/\/dashboard/);
});

test("§5 Sign-in: username and password are required; nothing is sent without them", async ({ page }) => {
  let sent = 0;
  page.on("request", (request) => {
    if (request.url().endsWith("/api/auth/login")) sent += 1;
  });
  await page.goto("/");
  await submit(page);
  await expect(page.getByText("Username is required")).toBeVisible();
  await expect(page.getByText("Password is required")).toBeVisible();
  await expect(page.getByLabel("Username")).toBeFocused();
  await page.getByLabel("Username").fill("admin");
  await submit(page);
  await expect(page.getByText("Username is required")).toBeHidden();
  await expect(page.getByLabel("Password", { exact: true })).toBeFocused();
  expect(sent).toBe(0);
});

test("§8 Login 401: 'Invalid credentials', and the page stays", async ({ page, problems }) => {
  problems.allow(/status of 401/);
  await page.goto("/");
  await fillIn(page, "admin", "wrong");
  await submit(page);
  await expect(page.getByRole("alert")).toHaveText("Invalid credentials");
  await expect(page.getByLabel("Username")).toHaveValue("admin");
  await expect(page).toHaveURL("/");
  expect(await stored(page, "token")).toBeNull();
});

test("§2 Protected routes: without a session they lead to the sign-in page", async ({ page }) => {
  await page.goto("/");
  await openDashboard(page);
  await expectSignedOut(page);
});

test("§4 Session: a stored token that has expired, or cannot be decoded, counts as signed out", async ({ page }) => {
  for (const token of [forgedToken(-1), "nonsense"]) {
    await keepSession(page, token);
    await openDashboard(page);
    await expectSignedOut(page);
  }
});

test("§4 Session: a token that the server refuses with 401 clears the session", async ({ page, problems }) => {
  problems.allow(/status of 401/);
  await keepSession(page, forgedToken(3600));
  await openDashboard(page);
  await expectSignedOut(page);
});

test("§4 Session: a 403 clears the session", async ({ page, signIn, problems }) => {
  problems.allow(/status of 403/);
  await signIn(page, "partner");
  await page.route("**/api/sites/details", (route) => route.fulfill({ status: 403, json: { message: "No" } }));
  await openDashboard(page);
  await expectSignedOut(page);
});

test("§4 Session: a token that expires while the page is open leads to the sign-in page", async ({ page, signIn }) => {
  await page.clock.install();
  await signIn(page, "admin", { at: "/site-reports?site=1" });
  await page.clock.fastForward("13:00:00");
  await expectSignedOut(page);
  await expect(page.getByRole("status")).toHaveText("Your session has ended; sign in again to go on where you were.");
  await page.clock.setSystemTime(Date.now());
  await fillIn(page, accounts.admin.username, accounts.admin.password);
  await submit(page);
  await expect(page).toHaveURL("/site-reports?site=1");
  // Whoever signs out has left nothing open.
  await page
    .getByRole("banner")
    .getByRole("button", { name: /\w+ \w+/ })
    .click();
  await page.getByRole("menuitem", { name: "Logout" }).click();
  await expectSignedOut(page);
  await expect(page.getByText("Your session has ended")).toBeHidden();
  await fillIn(page, accounts.admin.username, accounts.admin.password);
  await submit(page);
  await expect(page).toHaveURL(/\/dashboard/);
});

test("§4 Session: a token that is carried to another browser opens nothing; reloads and other tabs go on", async ({
  page,
  context,
  suncrew,
}) => {
  await signInWith(page, accounts.admin);
  const token = await stored(page, "token");
  const { path } = siteDetails;
  const [cookie, ...more] = await context.cookies();
  expect(more).toEqual([]);
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict", secure: false });
  expect(await page.evaluate(() => document.cookie)).toBe("");
  const stolen = await fetch(suncrew.baseUrl + path, { headers: { authorization: `Bearer ${token}` } });
  expect([stolen.status, await stolen.json()]).toEqual([401, { message: "Please sign in." }]);
  expect(await asThisBrowser(page, token, "GET", path)).toBe(200);
  for (const tab of [page, await context.newPage()]) {
    await tab.goto("/dashboard");
    await expect(tab.getByRole("banner").getByText("Live", { exact: true })).toBeVisible();
  }
  await page
    .getByRole("banner")
    .getByRole("button", { name: /\w+ \w+/ })
    .click();
  await page.getByRole("menuitem", { name: "Logout" }).click();
  await expectSignedOut(page);
  await expect.poll(() => context.cookies()).toEqual([]);
});

test("§4 Session: a browser that drops the sign-in's cookie is told so", async ({ page, problems }) => {
  problems.allow(/status of 401/);
  await page.route("**/api/auth/login", async (route) => {
    const answer = await route.fetch();
    const { "set-cookie": _dropped, ...headers } = answer.headers();
    await page.context().clearCookies();
    await route.fulfill({ response: answer, headers });
  });
  await page.goto("/");
  await fillIn(page, accounts.admin.username, accounts.admin.password);
  await submit(page);
  const form = page.getByRole("form", { name: "Sign in" });
  await expect(form.getByRole("status")).toHaveText(/^Your browser did not keep the cookie of this sign-in\./);
  expect(await stored(page, "token")).toBeNull();
});

test("§4 Session: a session that ends on the server ends on every open page", async ({ page, problems }) => {
  problems.allow(/status of 401/);
  await signInWith(page, accounts.admin);
  await expect(page.getByRole("banner").getByText("Live", { exact: true })).toBeVisible();
  await asThisBrowser(page, await stored(page, "token"), "POST", logout.path);
  await expectSignedOut(page);
});

test("§4 Session: signing out in one tab signs the others out", async ({ page, context, signIn, problems }) => {
  // A poll of the first tab may still be on its way, by then without a token.
  problems.allow(/status of 401/);
  await signIn(page, "admin");
  const other = await context.newPage();
  await other.goto("/dashboard");
  await other
    .getByRole("banner")
    .getByRole("button", { name: /\w+ \w+/ })
    .waitFor();
  await page.evaluate(() => {
    localStorage.removeItem("token");
    localStorage.removeItem("user");
  });
  await expectSignedOut(other);
});

test("§9 Themes: the sign-in page is accessible, also with an error", async ({ page, problems }) => {
  problems.allow(/status of 401/);
  await page.goto("/");
  await page.getByRole("button", { name: "admin / admin@123" }).waitFor();
  await expectAccessible(page);
  await submit(page);
  await expect(page.getByText("Username is required")).toBeVisible();
  await expectAccessible(page);
  await fillIn(page, "nobody", "wrong");
  await submit(page);
  await expect(page.getByRole("alert")).toBeVisible();
  await expectAccessible(page);
});

test("signing in by keyboard alone", async ({ page }) => {
  await page.goto("/");
  await page.getByLabel("Username").waitFor();
  await page.keyboard.press("Tab");
  await expect(page.getByLabel("Username")).toBeFocused();
  await page.keyboard.type(accounts.admin.username);
  await page.keyboard.press("Tab");
  await expect(page.getByLabel("Password", { exact: true })).toBeFocused();
  await page.keyboard.type(accounts.admin.password);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/dashboard/);
});

test("the sign-in page fits a screen 360 px and one 390 px wide", async ({ page }) => {
  for (const width of [360, 390]) {
    await page.setViewportSize({ width, height: 780 });
    await page.goto("/");
    await page.getByRole("button", { name: "admin / admin@123" }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  }
});
