import { login } from "@suncrew/contract/auth/auth.ts";
import { config } from "@suncrew/contract/config/config.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { when } from "../../../test/answers.ts";
import { expectAccessible, expectAddress, expectCount, expectText } from "../../../test/expectations.ts";
import { openConsole, signInOf } from "../../../test/open-console.tsx";

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

test("§2 Sign-in page: the button reads Signing in... while busy", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  when(login).answer(() => released.then(() => signInOf("admin")));
  await openConsole("/", null);
  await signIn();
  await expect.element(page.getByRole("button", { name: "Signing in..." })).toBeVisible();
  release();
  await expectAddress(/^\/dashboard/);
});

test("§2 Sign-in page: a demo's sign-in whose password was changed is offered no more", async () => {
  when(config).answer({ mode: "demo", demo_sign_ins: [], map_tiles: null });
  await openConsole("/", null);
  await expect.element(page.getByText("Its known passwords have been changed.")).toBeVisible();
  await expectCount(page.getByRole("button", { name: /admin@123/ }), 0);
  await expectAccessible();
});
