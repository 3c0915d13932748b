import { alertsMessage, clearedMessage } from "@suncrew/domain/notifications/message.ts";
import { describe, expect, test } from "vitest";
import { mailHtml, mailPage } from "./mail-html.ts";

const now = new Date("2026-11-27T00:01:02Z");
const frame = {
  id: "0c6a6d3a-5a39-4d84-9c34-6f1f3a2f4f01",
  url: "https://suncrew.example/robots/SCR-1011",
  acknowledgeUrl: "https://suncrew.example/acknowledge#token",
  unsubscribeUrl: "https://suncrew.example/unsubscribe#token",
  footer: "You get this because of the rule Night shift.",
  timezone: "Asia/Kolkata",
  now,
};
const alert = {
  kind: "LOW_BATTERY",
  text: "The battery is low.",
  siteId: 1,
  site: "Bhadla Solar Park",
  siteTimezone: "Asia/Kolkata",
  robotId: 1,
  robot: "SCR-1011",
  raisedAt: now,
  clearedAt: now,
  url: null,
} as const;
const alerts = (["CRITICAL", "WARNING", "INFO"] as const).map((severity, nth) => ({
  ...alert,
  id: `${nth}`,
  severity,
}));

const mails = {
  "of alerts": mailHtml(alertsMessage(frame, alerts)),
  "of what is over": mailHtml(clearedMessage(frame, alerts)),
  "of a report": mailPage({
    language: "de",
    title: "Bericht",
    paragraphs: ["Guten Tag,"],
    facts: [{ label: "Zeitraum", value: "Oktober" }],
    footer: "Sie erhalten diese E-Mail, weil ...",
    unsubscribe: { url: frame.unsubscribeUrl, label: "Abbestellen" },
  }),
};

describe.each(Object.entries(mails))("a mail %s", (_, html) => {
  test("has a colour for Dark wherever it has one for Light, lines included", () => {
    const dark = new Map(
      Array.from(html.matchAll(/^ {2}\.([a-z-]+)(?:, [^{]*)? \{([^}]*)\}/gm), ([, name = "", style = ""]) => [
        name,
        style,
      ]),
    );
    const properties = [
      [/(?:^|;)border(?:-[a-z]+)?:1px solid/, /border-color:/],
      [/(?:^|;)background:/, /background:/],
    ] as const;
    const elements = Array.from(html.matchAll(/<\w+[^>]*?class="([^"]*)"[^>]*?style="([^"]*)"/g));
    const forgotten = elements.filter(([, classes = "", style = ""]) =>
      properties.some(
        ([inLight, inDark]) =>
          inLight.test(style) && !classes.split(" ").some((name) => inDark.test(dark.get(name) ?? "")),
      ),
    );
    expect(forgotten.map(([tag]) => tag)).toEqual([]);
    // Whatever has a colour has a class, but what stands on the band and links, which follow what they are in.
    const bare = Array.from(
      html.matchAll(/<(\w+)(?![^>]*class=)[^>]*style="[^"]*(?:border|background|color):/g),
      ([, tag]) => tag,
    );
    expect(bare.filter((tag) => !["div", "span", "h1", "a"].includes(tag ?? ""))).toEqual([]);
  });

  test("loads nothing", () => {
    expect(html).not.toMatch(/\bsrc=|url\(|<link|<script|@import/);
  });
});
