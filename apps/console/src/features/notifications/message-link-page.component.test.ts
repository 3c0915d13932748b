import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import { acknowledgeByLink, messageLink, unsubscribeByLink } from "@suncrew/contract/notifications/deliveries.ts";
import { beforeEach, describe, expect, test } from "vitest";
import { page } from "vitest/browser";
import { when } from "../../../test/answers.ts";
import {
  expectAccessible,
  expectContains,
  expectCount,
  expectNoSidewaysScroll,
  expectTexts,
} from "../../../test/expectations.ts";
import { showMessageLink } from "../../../test/open-console.tsx";
import { BHADLA } from "../../../test/sample-fleet.ts";
import { chooseTheme } from "../../ui/theme/theme-choice.ts";

const TOKEN = `${"a".repeat(40)}.${"b".repeat(43)}`;
const main = page.getByRole("main");
const acknowledge = page.getByRole("button", { name: /^Acknowledg/ });

type Link = ResponseOf<typeof messageLink>;
type LinkAlert = Link["alerts"][number];

function linkAlert(change: Partial<LinkAlert> = {}): LinkAlert {
  return {
    severity: "CRITICAL",
    text: "The brush is jammed.",
    site_name: BHADLA,
    robot_name: "Row 11",
    serial_number: "SCR-1011",
    raised_at: "2026-06-15T00:01:00.000Z",
    cleared_at: null,
    acknowledged_by: null,
    ...change,
  };
}

function tell(change: Partial<Link> = {}) {
  return when(messageLink).answer({
    action: "ACKNOWLEDGE",
    told: "Asha Rathore",
    contact_point_name: "Mail at work",
    title: "2 alerts at Bhadla Solar Park",
    expires_at: "2026-06-17T00:01:00.000Z",
    unsubscribed_at: null,
    alerts: [
      linkAlert(),
      linkAlert({ severity: "WARNING", robot_name: null, serial_number: null, text: "Row 4 was not cleaned." }),
    ],
    ...change,
  });
}

beforeEach(() => page.viewport(360, 740));

describe("acknowledge from a message", () => {
  test("opening the link shows what it is about and acknowledges nothing; its token leaves the address bar", async () => {
    const read = tell();
    const acknowledged = when(acknowledgeByLink).answer({ message: "Acknowledged" });
    showMessageLink(TOKEN);
    await expectContains(main, "Acknowledge these 2 alerts?");
    await expectContains(main, "Sent to Asha Rathore, Mail at work");
    await expectContains(main, `Row 11 (SCR-1011), ${BHADLA}`);
    // In the browser's time zone, with its name.
    const zone = new Intl.DateTimeFormat("en-GB", { timeZoneName: "long" })
      .formatToParts(new Date("2026-06-15T00:01:00.000Z"))
      .find(({ type }) => type === "timeZoneName")?.value;
    await expectContains(main, zone ?? "");
    expect(read.map(({ body }) => body.token)).toEqual([TOKEN]);
    expect(acknowledged).toEqual([]);
    expect(location.hash).toBe("");
    await expectAccessible();
    await expectNoSidewaysScroll();
  });

  test("of forty alerts on a small phone the button is in view", async () => {
    await page.viewport(375, 667);
    tell({ alerts: Array.from({ length: 40 }, () => linkAlert()) });
    showMessageLink(TOKEN);
    await expectContains(main, "Acknowledge these 40 alerts?");
    await expectContains(main, "others see that you look after them");
    const button = page.getByRole("button", { name: "Acknowledge" }).element();
    expect(button.getBoundingClientRect().bottom).toBeLessThanOrEqual(667);
    await expectNoSidewaysScroll();
  });

  for (const theme of ["light", "dark"] as const) {
    test(`one press acknowledges, with a comment if one was typed, in the ${theme} theme`, async () => {
      chooseTheme(theme);
      tell();
      const acknowledged = when(acknowledgeByLink).answer({ message: "2 alerts acknowledged as Asha Rathore." });
      showMessageLink(TOKEN);
      await page.getByLabelText("Comment (optional)").fill("On my way");
      await acknowledge.click();
      await expect.element(page.getByRole("heading", { name: "2 alerts acknowledged as Asha Rathore." })).toHaveFocus();
      expect(acknowledged.map(({ body }) => body)).toEqual([{ token: TOKEN, comment: "On my way" }]);
      await expectCount(acknowledge, 0);
      await expectAccessible();
    });
  }

  test("what is acknowledged or over offers nothing to press", async () => {
    for (const { alerts, words } of [
      {
        alerts: [linkAlert({ acknowledged_by: "Ravi Kumar" }), linkAlert({ cleared_at: "2026-06-15T01:00:00.000Z" })],
        words: "Already acknowledged by Ravi Kumar",
      },
      { alerts: [linkAlert({ cleared_at: "2026-06-15T01:00:00.000Z" })], words: "Everything is over" },
    ]) {
      tell({ alerts });
      showMessageLink(TOKEN);
      await expectContains(main, words);
      await expectCount(acknowledge, 0);
      document.getElementById("root")?.remove();
    }
  });

  test("an alert of Suncrew's servers has neither site nor robot", async () => {
    tell({ alerts: [linkAlert({ site_name: null, robot_name: null, serial_number: null })] });
    showMessageLink(TOKEN);
    await expectContains(main, "Acknowledge this alert?");
    await expectContains(main, "Suncrew's servers");
  });

  test("a refusal is shown beside the button, with what was typed still there", async () => {
    tell();
    when(acknowledgeByLink).fail(500, { message: "Something went wrong." });
    showMessageLink(TOKEN);
    await page.getByLabelText("Comment (optional)").fill("On my way");
    await acknowledge.click();
    await expectTexts(page.getByRole("alert"), ["Something went wrong."]);
    when(acknowledgeByLink).answer({ message: "Acknowledged" });
    await acknowledge.click();
    await expect.element(page.getByRole("heading", { name: "Acknowledged" })).toBeVisible();
  });
});

describe("links that do not work", () => {
  for (const [status, code, title] of [
    [400, "LINK_NOT_VALID", "This link is not valid"],
    [410, "LINK_EXPIRED", "This link has expired"],
    [410, "LINK_MESSAGE_GONE", "This message is not kept any more"],
    [410, "LINK_CONTACT_POINT_DELETED", "This contact point was deleted"],
    [410, "LINK_SITE_DELETED", "This site was deleted"],
    [410, "LINK_SITE_NOT_VISIBLE", "No access to this site any more"],
  ] as const) {
    test(`${title}: said with the server's sentence, with nothing to press but the way to the console`, async () => {
      when(messageLink).fail(status, { message: "The server's sentence.", code });
      showMessageLink(TOKEN);
      await expect.element(page.getByRole("heading", { name: title })).toBeVisible();
      await expectContains(page.getByRole("alert"), "The server's sentence.");
      await expectCount(page.getByRole("button"), 0);
      await expect.element(page.getByRole("link", { name: "Sign in to the console" })).toHaveAttribute("href", "/");
      await expectAccessible();
    });
  }

  for (const [code, title] of [
    ["ALERT_ACKNOWLEDGED", "Already acknowledged"],
    ["ALERT_CLEARED", "Everything is over"],
    ["LINK_EXPIRED", "This link has expired"],
  ] as const) {
    test(`${title} while the page was open: said in place of the button`, async () => {
      tell();
      showMessageLink(TOKEN);
      when(acknowledgeByLink).fail(409, { message: "The server's sentence.", code });
      await acknowledge.click();
      await expect.element(page.getByRole("heading", { name: title })).toBeVisible();
      await expectContains(page.getByRole("alert"), "The server's sentence.");
      await expectCount(page.getByRole("button"), 0);
    });
  }

  test("unsubscribed before: said, with nothing to press", async () => {
    tell({ action: "UNSUBSCRIBE", alerts: [], unsubscribed_at: "2026-06-15T00:01:00.000Z" });
    showMessageLink(TOKEN);
    await expectContains(main, "Already unsubscribed");
    await expectCount(page.getByRole("button"), 0);
  });

  test("cut off by a mail program: no call without a token, and plain words for a wrong one", async () => {
    showMessageLink(null);
    await expectContains(main, "This link is not complete");
    document.getElementById("root")?.remove();
    when(messageLink).fail(400, { message: "token: is not the token of a link", code: "VALIDATION_FAILED" });
    showMessageLink(TOKEN);
    await expectContains(page.getByRole("alert"), "It is not a link of Suncrew, or a part of it is missing.");
  });

  for (const [how, fail] of [
    ["no connection", () => when(messageLink).offline()],
    ["a proxy's error page", () => when(messageLink).answerOddly(() => new Response("<html></html>", { status: 502 }))],
    ["an answer of another shape", () => when(messageLink).answerOddly(() => Response.json({ hello: "world" }))],
  ] as const) {
    test(`${how}: Retry reads the link again`, async () => {
      fail();
      showMessageLink(TOKEN);
      await expectContains(page.getByRole("alert"), "This did not work yet");
      tell();
      await page.getByRole("button", { name: "Retry" }).click();
      await expectContains(main, "Acknowledge these 2 alerts?");
    });
  }
});

test("unsubscribe: asks first, then says what the server did", async () => {
  tell({ action: "UNSUBSCRIBE", alerts: [] });
  const sent = when(unsubscribeByLink).answer({ message: "No more messages go to asha@suncare.example." });
  showMessageLink(TOKEN);
  await expectContains(main, "Stop these messages?");
  expect(sent).toEqual([]);
  await page.getByRole("button", { name: "Stop messages" }).click();
  await expectContains(main, "No more messages go to asha@suncare.example.");
  expect(sent.map(({ body }) => body.token)).toEqual([TOKEN]);
  await expectNoSidewaysScroll();
});
