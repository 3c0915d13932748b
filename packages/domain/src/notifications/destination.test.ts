import type { ChannelKind } from "@suncrew/contract/notifications/contact-points.ts";
import { describe, expect, test } from "vitest";
import { destinationProblem, type DestinationField, type DestinationFields, shownAddress } from "./destination.ts";

const whatsapp = { phone_number_id: "123456789", template: "suncrew_alerts", template_language: "en" };
const BOT = "123456:AAE-abcdefghijklmnopqrstuvwxyz_0123";
const PHONE = "+919876543210";

describe("what each channel needs", () => {
  const right: [ChannelKind, DestinationFields][] = [
    ["EMAIL", { address: "asha@park.example" }],
    ["EMAIL", { address: " asha@park.example " }],
    ["SLACK", { url: "https://hooks.slack.com/services/T0/B0/x" }],
    ["SLACK", { url: "https://hooks.example/x", address: "is ignored", token: "is ignored" }],
    ["TEAMS", { url: "https://prod-1.westus.logic.azure.com:443/workflows/1/triggers/manual?sig=x" }],
    ["TELEGRAM", { address: "-1001234567890", token: BOT }],
    ["TELEGRAM", { address: "@suncrew_alerts", token: BOT }],
    ["WHATSAPP", { address: PHONE, token: "EAAG", whatsapp }],
    ["WHATSAPP", { address: "+91 98765-43210", token: "EAAG", whatsapp }],
    ["WEBHOOK", { url: "https://events.example/in" }],
    ["WEBHOOK", { url: "http://ntfy:8080/suncrew" }],
    ["WEBHOOK", { url: "http://192.168.4.7/in" }],
    ["WEBHOOK", { url: "http://[fd00::7]/in" }],
    ["WEBHOOK", { url: "http://localhost:9000/" }],
  ];
  test.each(right)("%s with %o is right", (channel, fields) => {
    expect(destinationProblem(channel, fields)).toBeNull();
  });

  const wrong: [ChannelKind, DestinationFields, DestinationField, RegExp][] = [
    ["EMAIL", {}, "address", /required/],
    ["EMAIL", { address: " " }, "address", /required/],
    ["EMAIL", { address: "asha at park" }, "address", /not an email address/],
    ["EMAIL", { address: "a@park.example, b@park.example" }, "address", /not an email address/],
    ["SLACK", {}, "url", /required/],
    ["SLACK", { url: null }, "url", /required/],
    ["SLACK", { url: "hooks.slack.com/services" }, "url", /https/],
    ["TEAMS", { url: "ftp://example.com/" }, "url", /https/],
    ["TEAMS", { url: "javascript:alert(1)" }, "url", /https/],
    ["WEBHOOK", { url: "http://events.example/in" }, "url", /own network/],
    ["WEBHOOK", { url: "http://10.example.com/in" }, "url", /own network/],
    ["WEBHOOK", { url: "http://8.8.8.8/in" }, "url", /own network/],
    ["WEBHOOK", { url: "http://[2001:db8::1]/in" }, "url", /own network/],
    ["WEBHOOK", { url: "https://user:word@events.example/" }, "url", /user name or password/],
    ["TELEGRAM", { token: BOT }, "address", /required/],
    ["TELEGRAM", { address: "Asha", token: BOT }, "address", /a number/],
    ["TELEGRAM", { address: "12", token: "secret" }, "token", /BotFather/],
    ["TELEGRAM", { address: "12" }, "token", /required/],
    ["WHATSAPP", { address: "9876543210", token: "EAAG", whatsapp }, "address", /begins with \+/],
    ["WHATSAPP", { address: "+0123456789", token: "EAAG", whatsapp }, "address", /begins with \+/],
    ["WHATSAPP", { address: PHONE, whatsapp }, "token", /required/],
    ["WHATSAPP", { address: PHONE, token: "two words", whatsapp }, "token", /no spaces/],
    ["WHATSAPP", { address: PHONE, token: "EAAG" }, "whatsapp", /template/],
  ];
  test.each(wrong)("%s with %o is refused at %s", (channel, fields, field, message) => {
    expect(destinationProblem(channel, fields)).toEqual({ field, message: expect.stringMatching(message) });
  });

  test("an edit may leave out the secrets that are stored, but a new one is checked", () => {
    expect(destinationProblem("SLACK", {}, ["url"])).toBeNull();
    expect(destinationProblem("TELEGRAM", { address: "12", token: "" }, ["token"])).toBeNull();
    expect(destinationProblem("SLACK", { url: "slack" }, ["url"])).toMatchObject({ field: "url" });
    expect(destinationProblem("TELEGRAM", { token: BOT }, ["token"])).toMatchObject({ field: "address" });
  });
});

describe("what is shown of a destination", () => {
  const shown: [ChannelKind, DestinationFields, string | null][] = [
    ["EMAIL", { address: " asha@park.example" }, "asha@park.example"],
    ["WHATSAPP", { address: "+91 (987) 654-3210" }, "+919876543210"],
    ["TELEGRAM", { address: "@suncrew_alerts" }, "@suncrew_alerts"],
    ["SLACK", { url: "https://hooks.slack.com/services/T0/B0/secret", address: "x" }, "hooks.slack.com"],
    ["WEBHOOK", { url: "http://ntfy:8080/secret?key=1" }, "ntfy:8080"],
    ["WEBHOOK", {}, null],
  ];
  test.each(shown)("%s %o is shown as %s, without a secret", (channel, fields, address) => {
    expect(shownAddress(channel, fields)).toBe(address);
  });
});
