import { reportTemplates } from "@suncrew/contract/report-templates/report-templates.ts";
import { monthlyReports } from "@suncrew/contract/reports/reports.ts";
import { login } from "@suncrew/contract/auth/auth.ts";
import { config } from "@suncrew/contract/config/config.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { when } from "../../../test/answers.ts";
import { expectAccessible, expectAddress, expectCount, expectText } from "../../../test/expectations.ts";
import { openConsole, signInOf } from "../../../test/open-console.tsx";
import { clearSession } from "../../platform/session/session.ts";
import { thisBrowser } from "../../platform/session/this-browser.ts";
import { leftPlace, noteCookieLost, noteSessionEnd } from "../../platform/session/left-place.ts";

async function submit(): Promise<void> {
  await page.getByRole("button", { name: "Sign In" }).click();
}

async function signIn(): Promise<void> {
  await page.getByLabelText("Username").fill("admin");
  await page.getByLabelText("Password", { exact: true }).fill("admin@123");
  await submit();
}

for (const { what, response, sentence } of [
  {
    what: "500: 'Server error. Please try again later.'",
    response: () => Response.json({ message: "Broken" }, { status: 500 }),
    sentence: "Server error. Please try again later.",
  },
  {
    what: "any other status: the response message",
    response: () => Response.json({ message: "Too many attempts. Try again in 30 s." }, { status: 429 }),
    sentence: "Too many attempts. Try again in 30 s.",
  },
  {
    what: "any other status without a message: 'Login failed'",
    response: () => new Response("<html></html>", { status: 502, headers: { "content-type": "text/html" } }),
    sentence: "Login failed",
  },
  {
    what: "anything else: 'Login failed. Please check your credentials.'",
    response: () => Response.json({ hello: "world" }),
    sentence: "Login failed. Please check your credentials.",
  },
]) {
  test(`§8 Login ${what}`, async () => {
    when(login).answerOddly(response);
    await openConsole("/", null);
    await signIn();
    await expectText(page.getByRole("alert"), sentence);
  });
}

test("§8 Login, network failure: 'Network error. Please check your connection.', and a second try works", async () => {
  when(login).offline();
  await openConsole("/", null);
  await signIn();
  await expectText(page.getByRole("alert"), "Network error. Please check your connection.");
  await expectAccessible();
  when(login).answer(signInOf("admin"));
  await submit();
  await expectAddress(/^\/dashboard/);
});

test("§8 Login, network failure: an answer that breaks off is one too, and the browser's own message is not shown", async () => {
  const cut = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"message":'));
      controller.error(new TypeError("network error"));
    },
  });
  when(login).answerOddly(() => new Response(cut, { headers: { "content-type": "application/json" } }));
  await openConsole("/", null);
  await signIn();
  await expectText(page.getByRole("alert"), "Network error. Please check your connection.");
  await expectCount(page.getByText(/TypeError|Failed to fetch|network error$/), 0);
});

for (const { asked, account, opened } of [
  { asked: "/site-reports?site=1", account: "partner", opened: "/site-reports?site=1" },
  { asked: "/Sites/?site=2&tab=groups", account: "admin", opened: "/Sites/?site=2&tab=groups" },
  { asked: "/report-management", account: "partner", opened: /^\/dashboard/ },
  { asked: "/activity?site=1", account: "partner", opened: /^\/dashboard/ },
] as const) {
  test(`§2 Protected routes: ${account} requested ${asked} and gets there after signing in, or to the dashboard`, async () => {
    when(login).answer(signInOf(account));
    when(reportTemplates).answer([]);
    when(monthlyReports).answer({ reports: [], next_cursor: null });
    await openConsole(asked, null);
    await expectAddress("/");
    await expectCount(page.getByText("Your session has ended"), 0);
    await signIn();
    await expectAddress(opened);
  });
}

for (const { left, whose, opened } of [
  { left: "/sites?site=2", whose: "1", opened: "/sites?site=2" },
  { left: "/sites?site=2", whose: "7", opened: /^\/dashboard/ },
  { left: "//elsewhere.example/dashboard", whose: "1", opened: /^\/dashboard/ },
]) {
  test(`§4 Session: that of user ${whose} ended at ${left}, which is shown, and kept for the same person only`, async () => {
    when(login).answer(signInOf("admin"));
    noteSessionEnd(whose, left);
    await openConsole("/", null);
    await expectText(page.getByRole("status"), "Your session has ended; sign in again to go on where you were.");
    await expectAccessible();
    await signIn();
    await expectAddress(opened);
    expect(leftPlace()).toBeNull();
  });
}

test("§4 Session: a browser that keeps no cookie is told so at the first refused call, and a second try works", async () => {
  when(login).answer(signInOf("admin"));
  noteCookieLost("1", "/sites?site=2");
  await openConsole("/", null);
  await expectText(
    page.getByRole("status"),
    "Your browser did not keep the cookie of this sign-in. Allow cookies for this site, then sign in again.",
  );
  await expectAccessible();
  await signIn();
  await expectAddress("/sites?site=2");
});

test("§4 Session: a browser sends its identifier with each sign-in, the same one after signing out", async () => {
  const calls = when(login).answer(() => signInOf("admin"));
  await openConsole("/", null);
  await signIn();
  await expectAddress(/^\/dashboard/);
  clearSession();
  const sent = calls.map(({ body }) => body.browser);
  expect(sent).toEqual([expect.stringMatching(/^[\w-]{22,64}$/)]);
  expect(thisBrowser()).toBe(sent[0]);
});

test("§2 Sign-in page: the button reads Signing in... while busy", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  when(login).answer(() => released.then(() => signInOf("admin")));
  await openConsole("/", null);
  await signIn();
  await expect.element(page.getByRole("button", { name: "Signing in..." })).toBeVisible();
  release();
  await expectAddress(/^\/dashboard/);
});

test("§2 Sign-in page: a demo account whose password was changed is no longer offered", async () => {
  when(config).answer({ mode: "demo", demo_sign_ins: [], map_tiles: null });
  await openConsole("/", null);
  await expect.element(page.getByText("Its known passwords have been changed.")).toBeVisible();
  await expectCount(page.getByRole("button", { name: /admin@123/ }), 0);
  await expectAccessible();
});
