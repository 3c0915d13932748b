import { config } from "@suncrew/contract/config/config.ts";
import { type DemoMessage, demoMessages } from "@suncrew/contract/notifications/deliveries.ts";
import { beforeEach, describe, expect, test } from "vitest";
import { page } from "vitest/browser";
import { when } from "../../../test/answers.ts";
import {
  expectAccessible,
  expectContains,
  expectCount,
  expectNoSidewaysScroll,
  pressRetry,
} from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";
import { refetchNow } from "../../../test/refetches.ts";
import { chooseTheme } from "../../ui/theme/theme-choice.ts";

const main = page.getByRole("main");
const reader = page.getByRole("region", { name: "Selected message" });

const mail: DemoMessage = {
  id: 2,
  channel: "EMAIL",
  to: "asha@example.com",
  at: "2026-06-15T00:05:00.000Z",
  subject: "Critical: the brush of Row 1 is jammed",
  text: "The brush of Row 1 is jammed.",
  html: "<!doctype html><html><head><style>p { color: #123 } @media (prefers-color-scheme: dark) { p { color: #def } }</style></head><body><p>Jammed, in HTML</p></body></html>",
  links: [
    { label: "Acknowledge", url: `${location.origin}/acknowledge#token` },
    { label: "Elsewhere", url: "https://example.com/" },
    { label: "Not a page", url: "javascript:alert(1)" },
  ],
};
const chat: DemoMessage = {
  ...mail,
  id: 1,
  channel: "SLACK",
  to: "Night watch",
  subject: null,
  text: "Two alerts at Bhadla\nRow 1: stuck",
  html: null,
  links: [],
};

function receive(messages: readonly DemoMessage[]) {
  return when(demoMessages).answer({
    messages: [...messages],
    addresses: [{ channel: "SLACK", address: "http://127.0.0.1:4100/slack/night" }],
  });
}

beforeEach(() => {
  when(config).answer({ mode: "demo", demo_sign_ins: [], map_tiles: null });
});

describe("messages of the demo", () => {
  test.for(["light", "dark"] as const)("a mail is read as HTML and as text, on a wide screen in %s", async (theme) => {
    await page.viewport(1440, 900);
    chooseTheme(theme);
    receive([mail, chat]);
    await openConsole("/demo/messages");
    await expectContains(main, "Two alerts at Bhadla");
    await page.getByRole("button", { name: /brush of Row 1/ }).click();
    await expect
      .poll(() => document.querySelector<HTMLIFrameElement>("iframe")?.contentDocument?.body.textContent)
      .toContain("Jammed, in HTML");
    // As the console is, whatever the system's theme.
    const mailColor = () => {
      const text = document.querySelector<HTMLIFrameElement>("iframe")?.contentDocument?.querySelector("p");
      return text && getComputedStyle(text).color;
    };
    await expect.poll(mailColor).toBe(theme === "dark" ? "rgb(221, 238, 255)" : "rgb(17, 34, 51)");
    await expect
      .element(reader.getByRole("link", { name: "Acknowledge" }))
      .toHaveAttribute("href", `${location.origin}/acknowledge#token`);
    await expectCount(reader.getByRole("link"), 2);
    await reader.getByText("Text", { exact: true }).click();
    await expectContains(reader, "The brush of Row 1 is jammed.");
    await page.getByText("Addresses that receive messages here").click();
    await expect.element(page.getByRole("button", { name: "Copy slack address" })).toBeVisible();
    await expectAccessible();
  });

  test("on a phone the list gives way to the message, and Back is one step back, to the list with what came meanwhile", async () => {
    await page.viewport(390, 844);
    chooseTheme("dark");
    receive([chat]);
    await openConsole("/demo/messages");
    await page.getByRole("button", { name: /Two alerts/ }).click();
    await expectContains(reader, "Row 1: stuck");
    await expectNoSidewaysScroll();
    await expectAccessible();
    receive([mail, chat]);
    await page.getByRole("button", { name: "Back" }).click();
    refetchNow();
    await expect.element(page.getByRole("button", { name: /brush of Row 1/ })).toBeVisible();
    await expectNoSidewaysScroll();
    history.forward();
    await expectContains(reader, "Row 1: stuck");
  });

  test("on a phone Back leads from a message that a link opened to the list", async () => {
    await page.viewport(390, 844);
    receive([chat]);
    await openConsole("/demo/messages?message=1");
    await page.getByRole("button", { name: "Back" }).click();
    await expect.element(page.getByRole("button", { name: /Two alerts/ })).toBeVisible();
  });

  test("the channel is in the URL; without messages it says how to make one", async () => {
    const asked = receive([]);
    await openConsole("/demo/messages?channel=TELEGRAM");
    await expectContains(main, "No messages by Telegram yet.");
    await expectContains(main, "press Send test");
    expect(asked.at(-1)?.query).toMatchObject({ channel: "TELEGRAM" });
  });

  test("five hundred are listed, and one that is not kept any more says so", async () => {
    receive(Array.from({ length: 500 }, (_, nth) => ({ ...chat, id: 500 - nth })));
    await openConsole("/demo/messages?message=9999");
    await expectContains(main, "This message is not kept any more.");
    await expectCount(page.getByRole("list", { name: "Messages, 500" }).getByRole("listitem"), 500);
  });

  test("a list that fails to load offers Retry", async () => {
    when(demoMessages).fail(500, { message: "Something went wrong." });
    await openConsole("/demo/messages");
    await pressRetry(() => receive([chat]), page.getByRole("button", { name: /Two alerts/ }));
    await expectContains(main, "Two alerts at Bhadla");
  });

  test("is no page in production", async () => {
    when(config).answer({ mode: "production", demo_sign_ins: [], map_tiles: null });
    await openConsole("/demo/messages");
    await expect.element(page.getByText("Oops! Page not found")).toBeVisible();
  });
});
