import type { Page } from "@playwright/test";
import { expectAccessible } from "./support/axe.ts";
import { logout } from "@suncrew/contract/auth/auth.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { type Credentials, signInWith } from "./support/sign-in.ts";
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

/** A well-formed token with an invalid signature. */
function forgedToken(expiresInS: number): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const exp = Math.floor(Date.now() / 1000) + expiresInS;
  const claims = { id: 1, role: "SUPER_ADMIN", email: "a@b.example", partnerId: null, sid: crypto.randomUUID(), exp };
  return `${part({ alg: "HS256", typ: "JWT" })}.${part(claims)}.bm9ib2R5`;
}

/** Puts a session into the browser, as if an earlier visit had stored it; the sign-in page is shown. */
async function keepSession(page: Page, token: string): Promise<void> {
  // No request is in progress any more that would notice the token too early.
  await page.waitForLoadState("networkidle");
  await page.evaluate((kept) => {
    localStorage.setItem("token", kept);
    localStorage.setItem("user", JSON.stringify({ id: "1", name: "A", email: "a@b.example", role: "SUPER_ADMIN" }));
  }, token);
}

/**
 * Sends a request with the cookies of the page's browser and this token, but not through the page; returns the status.
 */
async function asThisBrowser(page: Page, token: string | null, method: string, path: string): Promise<number> {
  const answer = await page.request.fetch(path, { method, headers: { authorization: `Bearer ${token}` } });
  return answer.status();
}

/** Opens a page; a hard redirect may happen before it has loaded, or even before it was requested. */
async function open(page: Page, path: string): Promise<void> {
  await page.goto(path, { waitUntil: "commit" }).catch(() => {});
}

async function signOut(page: Page): Promise<void> {
  await page
    .getByRole("banner")
    .getByRole("button", { name: /\w+ \w+/ })
    .last()
    .click();
  await page.getByRole("menuitem", { name: "Logout" }).click();
}

/** Signs in again on the sign-in page that is shown. */
async function signInAgain(page: Page, { username, password }: Credentials): Promise<void> {
  await fillIn(page, username, password);
  await submit(page);
  await expect(page).toHaveURL(/\/dashboard/);
  await expect(page.getByRole("banner").getByText("Live", { exact: true })).toBeVisible();
}

async function expectSignedOut(page: Page): Promise<void> {
  await expect(page).toHaveURL("/");
  await expect(page.getByRole("button", { name: "Sign In" })).toBeVisible();
  // Read again if the redirect replaces the page at that moment.
  await expect(async () => {
    expect([await stored(page, "token"), await stored(page, "user")]).toEqual([null, null]);
  }).toPass();
}

test("§2 Sign-in page, §5 Sign-in, §8 Login 401, §9 Themes: fields, validation, errors and the demo's accounts; it fits a phone, is accessible, even with an error, and contacts only the server", async ({
  page,
  suncrew,
  problems,
}) => {
  const elsewhere: string[] = [];
  let sent = 0;
  page.on("request", (request) => {
    if (!request.url().startsWith(suncrew.baseUrl)) elsewhere.push(request.url());
    if (request.url().endsWith("/api/auth/login")) sent += 1;
  });
  const username = page.getByLabel("Username");
  const password = page.getByLabel("Password", { exact: true });

  await test.step("its tagline, fields and button", async () => {
    await page.goto("/", { waitUntil: "networkidle" });
    await expect(page.getByText("Robot Fleet Management System")).toBeVisible();
    await expect(username).toBeVisible();
    await expect(password).toHaveAttribute("type", "password");
    await expect(page.getByRole("button", { name: "Sign In" })).toBeEnabled();
    await page.getByRole("button", { name: "admin / admin@123" }).waitFor();
    expect(elsewhere).toEqual([]);
    await expectAccessible(page);
    const whole = page.viewportSize() ?? { width: 1280, height: 800 };
    for (const width of [360, 390]) {
      await page.setViewportSize({ width, height: 780 });
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    }
    await page.setViewportSize(whole);
  });

  await test.step("username and password are required; without them nothing is sent", async () => {
    await submit(page);
    await expect(page.getByText("Username is required")).toBeVisible();
    await expect(page.getByText("Password is required")).toBeVisible();
    await expect(username).toBeFocused();
    await expectAccessible(page);
    await username.fill("admin");
    await submit(page);
    await expect(page.getByText("Username is required")).toBeHidden();
    await expect(password).toBeFocused();
    expect(sent).toBe(0);
  });

  problems.allowFromNow(/status of 401/);
  await test.step("'Invalid credentials', and the page stays open", async () => {
    await fillIn(page, "admin", "wrong");
    await submit(page);
    await expect(page.getByRole("alert")).toHaveText("Invalid credentials");
    await expect(username).toHaveValue("admin");
    await expect(page).toHaveURL("/");
    expect(await stored(page, "token")).toBeNull();
    await expectAccessible(page);
  });

  await test.step("§4 Session: a browser that rejects the sign-in cookie shows why sign-in failed", async () => {
    await page.route("**/api/auth/login", async (route) => {
      const answer = await route.fetch();
      const { "set-cookie": _dropped, ...headers } = answer.headers();
      await page.context().clearCookies();
      await route.fulfill({ response: answer, headers });
    });
    await fillIn(page, accounts.admin.username, accounts.admin.password);
    await submit(page);
    const form = page.getByRole("form", { name: "Sign in" });
    await expect(form.getByRole("status")).toHaveText(/^Your browser did not keep the cookie of this sign-in\./);
    expect(await stored(page, "token")).toBeNull();
    await page.unroute("**/api/auth/login");
  });

  await test.step("a demo lists its accounts; selecting one fills in the form", async () => {
    await page.getByRole("button", { name: "partner / partner@123" }).click();
    await expect(username).toHaveValue(accounts.partner.username);
    await expect(password).toHaveValue(accounts.partner.password);
    await submit(page);
    await expect(page).toHaveURL(/\/dashboard/);
  });
});

test(
  "§4 Session: signing in, using only the keyboard, stores token and user and opens the dashboard",
  { tag: "@smoke" },
  async ({ page }) => {
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
  },
);

test("§2 Protected routes, §4 Session: without a session, or with one that has expired, cannot be decoded, or is rejected by the server with 401, they redirect to the sign-in page", async ({
  page,
  problems,
}) => {
  await page.goto("/");
  for (const path of ["/dashboard", "/profile"]) {
    await open(page, path);
    await expectSignedOut(page);
  }
  for (const token of [forgedToken(-1), "nonsense"]) {
    await keepSession(page, token);
    await open(page, "/dashboard");
    await expectSignedOut(page);
  }
  problems.allowFromNow(/status of 401/);
  await keepSession(page, forgedToken(3600));
  await open(page, "/dashboard");
  await expectSignedOut(page);
});

test("§4 Session: a token that expires while the page is open redirects to the sign-in page", async ({
  page,
  signIn,
}) => {
  await page.clock.install();
  await signIn(page, "admin", { at: "/site-reports?site=1" });
  await page.clock.fastForward("13:00:00");
  await expectSignedOut(page);
  await expect(page.getByRole("status")).toHaveText("Your session has ended; sign in again to go on where you were.");
  await page.clock.setSystemTime(Date.now());
  await fillIn(page, accounts.admin.username, accounts.admin.password);
  await submit(page);
  await expect(page).toHaveURL("/site-reports?site=1");
  // After signing out nothing is left open.
  await signOut(page);
  await expectSignedOut(page);
  await expect(page.getByText("Your session has ended")).toBeHidden();
  await fillIn(page, accounts.admin.username, accounts.admin.password);
  await submit(page);
  await expect(page).toHaveURL(/\/dashboard/);
});

test("§4 Session: a token copied to another browser gives no access; reloads and other tabs stay signed in, and sign out together; Logout does not wait for an answer; a 403 ends the session, and so does ending it on the server", async ({
  page,
  context,
  suncrew,
  problems,
}) => {
  // Four sign-ins, and four page loads that follow them.
  test.slow();
  // A page whose session ends may still have a poll in progress.
  problems.allow(/status of 401/);
  await signInWith(page, accounts.admin);
  const other = await context.newPage();

  await test.step("a token copied to another browser", async () => {
    const token = await stored(page, "token");
    const { path } = siteDetails;
    const [cookie, ...more] = await context.cookies();
    expect(more).toEqual([]);
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict", secure: false });
    expect(await page.evaluate(() => document.cookie)).toBe("");
    const stolen = await fetch(suncrew.baseUrl + path, { headers: { authorization: `Bearer ${token}` } });
    const refusal = { message: "Please sign in.", code: "NOT_SIGNED_IN" };
    expect([stolen.status, await stolen.json()]).toEqual([401, refusal]);
    expect(await asThisBrowser(page, token, "GET", path)).toBe(200);
    for (const tab of [page, other]) {
      await tab.goto("/dashboard");
      await expect(tab.getByRole("banner").getByText("Live", { exact: true })).toBeVisible();
    }
  });

  await test.step("Logout notifies the server, ignores its answer, clears token and user, and opens /, in other tabs too", async () => {
    problems.allowFromNow(/Failed to load resource: net::ERR_FAILED/);
    const authorizations: (string | undefined)[] = [];
    let isAnswered = false;
    await page.route(`**${logout.path}`, async (route) => {
      if (isAnswered) return route.continue();
      authorizations.push(route.request().headers()["authorization"]);
      return route.abort();
    });
    const token = await stored(page, "token");
    await signOut(page);
    await expectSignedOut(page);
    expect(authorizations).toEqual([`Bearer ${token}`]);
    await expectSignedOut(other);
    await other.close();
    // Not unrouted: a request in progress while routing ends may never be answered.
    isAnswered = true;
  });

  await test.step("Logout ends the session on the server, and its cookie", async () => {
    // The session whose logout call never reached the server.
    await context.clearCookies();
    await signInAgain(page, accounts.admin);
    const token = await stored(page, "token");
    const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
    await signOut(page);
    await expectSignedOut(page);
    await expect.poll(() => context.cookies()).toEqual([]);
    await expect(async () => {
      const answer = await fetch(suncrew.baseUrl + siteDetails.path, {
        headers: { authorization: `Bearer ${token}`, cookie },
      });
      expect(answer.status).toBe(401);
    }).toPass();
  });

  await test.step("a session ended on the server signs out every open page", async () => {
    await signInAgain(page, accounts.admin);
    await asThisBrowser(page, await stored(page, "token"), "POST", logout.path);
    await expectSignedOut(page);
  });

  await test.step("a 403 clears the session", async () => {
    problems.allowFromNow(/status of 403/);
    await signInAgain(page, accounts.partner);
    await page.route(`**${siteDetails.path}`, (route) => route.fulfill({ status: 403, json: { message: "No" } }));
    await open(page, "/dashboard");
    await expectSignedOut(page);
  });
});
