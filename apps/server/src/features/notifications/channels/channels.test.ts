import type { ChannelKind } from "@suncrew/contract/notifications/contact-points.ts";
import { webhookCallSchema } from "@suncrew/contract/notifications/webhook-call.ts";
import type { Message } from "@suncrew/domain/notifications/message.ts";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FakeServices, type ReceivedMessage } from "../../../demo/fake-services.ts";
import { ManualClock } from "../../../platform/clock.ts";
import { smtpMailer } from "../../../platform/mailer.ts";
import { channelsOf } from "./all-channels.ts";
import type { Destination, SendOutcome } from "./channel.ts";
import { mailHtml } from "./mail-html.ts";
import { signatureHeaders } from "./webhook.ts";

const SECRET = "s3cret-that-nobody-may-see";
const TOKEN = `12345678:${SECRET}`;
const SIGNING = `whsec_${Buffer.from(SECRET).toString("base64")}`;
const FORMER = `whsec_${Buffer.from(`former ${SECRET}`).toString("base64")}`;

const never = new AbortController().signal;
const clock = new ManualClock(new Date("2026-11-27T00:01:02.345Z"));

const message: Message = {
  id: "0c6a6d3a-5a39-4d84-9c34-6f1f3a2f4f01",
  kind: "ALERTS",
  severity: "CRITICAL",
  title: "2 alerts at Bhadla: 1 critical, 1 warning",
  heading: null,
  lines: [
    {
      severity: "CRITICAL",
      text: "Lost while moving <!channel> <b>&amp; \"'*_[x](http://evil.example)",
      site: "सूर्य पार्क",
      robot: "R-07",
      at: "05:31 IST",
      url: "https://sun.example/robots/7?a=1&b=2",
    },
    { severity: "WARNING", text: "Battery at 12 %", site: "Bhadla", robot: "R-11", at: "05:32 IST", url: null },
  ],
  more: 3,
  footer: "You get this because of the rule Night shift.",
  url: "https://sun.example/alerts?open=1&x=2",
  acknowledgeUrl: "https://sun.example/message?token=abc",
  unsubscribeUrl: "https://sun.example/message?token=def",
  at: new Date("2026-11-27T00:01:00.000Z"),
};

let services: FakeServices;
let received: ReceivedMessage[];

beforeEach(async () => {
  received = [];
  services = await FakeServices.open({ clock, onMessage: (one) => received.push(one) });
});
afterEach(() => services.close());

function channels({ allowed = ["127.0.0.1"], maxMs = 10_000 } = {}) {
  const mailer = smtpMailer({
    host: "127.0.0.1",
    port: services.smtpPort,
    secure: false,
    requireTls: false,
    user: null,
    password: null,
    from: { name: "Suncrew", address: "alerts@sun.example" },
  });
  const { telegramApi, whatsappApi } = services.urls;
  const settings = { outgoingPrivateAddresses: allowed, telegramApiUrl: telegramApi, whatsappApiUrl: whatsappApi };
  return channelsOf({ settings, mailer, clock, maxMs });
}

function destinationOf(channel: ChannelKind, base = services.urls): Destination {
  const whatsapp = { phone_number_id: "106540352242922", template: "suncrew_alert", template_language: "en" };
  const destinations: Record<ChannelKind, Destination> = {
    EMAIL: { address: "asha@sun.example", secret: {}, options: null },
    SLACK: { address: "127.0.0.1", secret: { url: `${base.slack}/${SECRET}` }, options: null },
    TEAMS: { address: "127.0.0.1", secret: { url: `${base.teams}/${SECRET}?sig=${SECRET}` }, options: null },
    TELEGRAM: { address: "-1001234", secret: { token: TOKEN }, options: null },
    WHATSAPP: { address: "+91 98765 43210", secret: { token: SECRET }, options: whatsapp },
    WEBHOOK: {
      address: "127.0.0.1",
      secret: { url: `${base.webhook}/${SECRET}`, signing_secret: SIGNING },
      options: null,
    },
  };
  return destinations[channel];
}

/** Sends, and checks that what is told of it reveals nothing. */
async function send(
  channel: ChannelKind,
  options: Parameters<typeof channels>[0] = {},
  to = destinationOf(channel),
  what = message,
): Promise<SendOutcome> {
  const outcome = await channels(options).get(channel)?.send(what, to, never);
  if (outcome === undefined) throw new Error(`no channel ${channel}`);
  expect(JSON.stringify(outcome)).not.toContain(SECRET);
  expect(JSON.stringify(outcome)).not.toContain(SIGNING);
  expect(JSON.stringify(outcome)).not.toContain("/slack/");
  return outcome;
}

const kinds: readonly ChannelKind[] = ["EMAIL", "SLACK", "TEAMS", "TELEGRAM", "WHATSAPP", "WEBHOOK"];
const called = kinds.filter((kind) => kind !== "EMAIL");

describe.each(kinds)("notifications by %s", (channel) => {
  test("a message arrives once, with its words and its links", async () => {
    expect(await send(channel)).toMatchObject({ outcome: "DELIVERED" });
    expect(received).toHaveLength(1);
    const [one] = received;
    expect(one).toMatchObject({ channel, at: clock.now() });
    expect(one?.subject).toContain(message.title);
    // Nothing from outside becomes a mark-up, a link or a call to everybody, and nothing of it is lost.
    expect(one?.text).toContain("Lost while moving <!channel> <b>&amp; \"'*_[x](http://evil.example)");
    expect(one?.text).toContain("Robot R-07 at सूर्य पार्क");
    expect(one?.text).toContain("05:31 IST");
    expect(one?.text).toContain("Battery at 12 %");
    expect(one?.text).toContain("3 more");
    const urls = `${one?.text} ${one?.links.map(({ url }) => url).join(" ")}`;
    expect(urls).toContain("https://sun.example/alerts?open=1&x=2");
    expect(urls).toContain(message.acknowledgeUrl);
    // Only mails have a link to unsubscribe: what others receive may be passed on to many.
    expect(JSON.stringify(one).includes(message.unsubscribeUrl ?? "")).toBe(channel === "EMAIL");
  });

  test("a message of many long lines fits", async () => {
    const line = {
      severity: "WARNING" as const,
      text: "सूर्य ".repeat(300),
      site: "S".repeat(100),
      robot: null,
      at: null,
      url: message.url,
    };
    const long = { ...message, title: "T".repeat(120), lines: Array.from({ length: 60 }, () => line) };
    expect(await send(channel, {}, undefined, long)).toMatchObject({ outcome: "DELIVERED" });
  });

  test("a message without anything but its title is sent", async () => {
    const bare = {
      ...message,
      severity: null,
      lines: [],
      more: 0,
      footer: "",
      url: null,
      acknowledgeUrl: null,
      unsubscribeUrl: null,
    };
    expect(await send(channel, {}, undefined, bare)).toMatchObject({ outcome: "DELIVERED" });
    expect(received[0]?.subject).toContain(message.title);
  });

  test("too many messages: it is tried again, and not before the time that the service names", async () => {
    services.misbehave(channel, "RATE_LIMITED");
    const told =
      channel === "EMAIL"
        ? { reason: { code: "SMTP_REJECTED" } }
        : { reason: { code: "SERVICE_BUSY" }, afterMs: 7_000 };
    expect(await send(channel)).toMatchObject({ outcome: "RETRY", ...told });
    expect(received).toEqual([]);
    services.misbehave(channel, null);
    expect(await send(channel)).toMatchObject({ outcome: "DELIVERED" });
  });

  test("a failure of the service: it is tried again", async () => {
    services.misbehave(channel, "FAILING");
    const code = channel === "EMAIL" ? "SMTP_REJECTED" : "SERVICE_FAILING";
    expect(await send(channel)).toMatchObject({ outcome: "RETRY", reason: { code } });
  });

  test("no answer: it is given up on in time, and tried again", async () => {
    services.misbehave(channel, "SLOW");
    const code = channel === "EMAIL" ? "SMTP_SILENT" : "SERVICE_SILENT";
    expect(await send(channel, { maxMs: 3_000 })).toMatchObject({ outcome: "RETRY", reason: { code } });
  });

  test("an answer that is cut in the middle: it is tried again, under the same id where the service has one", async () => {
    services.misbehave(channel, "CUT");
    const code = channel === "EMAIL" ? "SMTP_SILENT" : "SERVICE_SILENT";
    expect(await send(channel)).toMatchObject({ outcome: "RETRY", reason: { code } });
    services.misbehave(channel, null);
    expect(await send(channel)).toMatchObject({ outcome: "DELIVERED" });
    const hasId = ["EMAIL", "WHATSAPP", "WEBHOOK"].includes(channel);
    expect(received.map(({ id }) => id)).toEqual(hasId ? [message.id, message.id] : [null, null]);
  });

  test("refused for good: it is not tried again", async () => {
    services.misbehave(channel, "REFUSING");
    const outcome = await send(channel);
    expect(outcome).toMatchObject({ outcome: "REFUSED" });
    expect(received).toEqual([]);
  });

  test("nothing listens: it is tried again", async () => {
    const { urls } = services;
    const to = destinationOf(channel, urls);
    const reached = channels();
    await services.close();
    const outcome = await reached.get(channel)?.send(message, to, never);
    const code = channel === "EMAIL" ? "SMTP_UNREACHABLE" : "SERVICE_UNREACHABLE";
    expect(outcome).toMatchObject({ outcome: "RETRY", reason: { code } });
    services = await FakeServices.open({ clock });
  });

  test("the server stops: the call ends, and what became of it is left open", async () => {
    services.misbehave(channel, "SLOW");
    const stopping = new AbortController();
    services.onHeld(channel, () => stopping.abort(new Error("the server stops")));
    const sending = channels().get(channel)?.send(message, destinationOf(channel), stopping.signal);
    await expect(sending).rejects.toThrow("the server stops");
  });
});

describe("notifications by channels with secrets", () => {
  test.each(called)("%s: without its secret nothing is called", async (channel) => {
    const to = { ...destinationOf(channel), secret: {} };
    expect(await send(channel, {}, to)).toMatchObject({ outcome: "REFUSED", reason: { code: "SECRET_MISSING" } });
  });

  test.each(["SLACK", "TEAMS", "WEBHOOK"] as const)("%s: a private address is not called", async (channel) => {
    const outcome = await send(channel, { allowed: [] });
    expect(outcome).toMatchObject({ outcome: "REFUSED", reason: { code: "ADDRESS_IS_PRIVATE" } });
    expect(received).toEqual([]);
  });

  test("without a mail server there is no email", () => {
    expect([...channelsOf({ settings: {}, clock }).keys()]).toEqual(called);
  });
});

describe("what each service answers", () => {
  let server: Server;
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  beforeEach(async () => {
    server = createServer((request, response) => answer(request, response));
    await once(server.listen(0, "127.0.0.1"), "listening");
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });

  const telegram = (error_code: number, description: string, parameters = {}) =>
    JSON.stringify({ ok: false, error_code, description, parameters });
  const whatsapp = (code: number) => JSON.stringify({ error: { message: SECRET, type: "OAuthException", code } });

  test.each<[ChannelKind, number, string, "RETRY" | "REFUSED", string, Record<string, string>?, number?]>([
    ["SLACK", 410, "channel_is_archived", "REFUSED", "SLACK_CHANNEL_GONE"],
    ["SLACK", 404, "channel_not_found", "REFUSED", "SLACK_CHANNEL_GONE"],
    ["SLACK", 403, "action_prohibited", "REFUSED", "SLACK_FORBIDDEN"],
    ["SLACK", 400, "invalid_blocks", "REFUSED", "SLACK_REFUSED"],
    ["SLACK", 403, `<html>${SECRET}`, "REFUSED", "SERVICE_REFUSED"],
    ["SLACK", 302, "", "REFUSED", "SERVICE_REFUSED"],
    ["SLACK", 429, "rate_limited", "RETRY", "SERVICE_BUSY", { "retry-after": "30" }, 30_000],
    ["SLACK", 503, "", "RETRY", "SERVICE_FAILING", { "retry-after": "Fri, 27 Nov 2026 00:02:02 GMT" }, 59_655],
    ["TEAMS", 429, "", "RETRY", "SERVICE_BUSY"],
    ["TEAMS", 401, "", "REFUSED", "TEAMS_ADDRESS_INVALID"],
    ["TEAMS", 400, '{"error":{"code":"WorkflowTriggerIsNotEnabled"}}', "REFUSED", "TEAMS_WORKFLOW_GONE"],
    ["TEAMS", 400, "", "REFUSED", "SERVICE_REFUSED"],
    ["TEAMS", 502, "", "RETRY", "SERVICE_FAILING"],
    ["TELEGRAM", 401, telegram(401, "Unauthorized"), "REFUSED", "TELEGRAM_TOKEN_INVALID"],
    ["TELEGRAM", 404, telegram(404, "Not Found"), "REFUSED", "TELEGRAM_TOKEN_INVALID"],
    ["TELEGRAM", 403, telegram(403, "Forbidden: bot was kicked"), "REFUSED", "TELEGRAM_BLOCKED"],
    ["TELEGRAM", 400, telegram(400, "Bad Request: chat not found"), "REFUSED", "TELEGRAM_CHAT_NOT_FOUND"],
    [
      "TELEGRAM",
      400,
      telegram(400, "Bad Request: group chat was upgraded", { migrate_to_chat_id: -100123 }),
      "REFUSED",
      "TELEGRAM_CHAT_MOVED",
    ],
    ["TELEGRAM", 400, telegram(400, `Bad Request: ${TOKEN}`), "REFUSED", "TELEGRAM_REFUSED"],
    ["TELEGRAM", 429, telegram(429, "Too Many Requests", { retry_after: 41 }), "RETRY", "SERVICE_BUSY", {}, 41_000],
    ["TELEGRAM", 200, "<html>Please sign in to the network", "RETRY", "SERVICE_FAILING"],
    ["WHATSAPP", 401, whatsapp(190), "REFUSED", "WHATSAPP_TOKEN_INVALID"],
    ["WHATSAPP", 403, whatsapp(200), "REFUSED", "WHATSAPP_TOKEN_INVALID"],
    ["WHATSAPP", 400, whatsapp(131026), "REFUSED", "WHATSAPP_UNDELIVERABLE"],
    ["WHATSAPP", 404, whatsapp(132001), "REFUSED", "WHATSAPP_TEMPLATE"],
    ["WHATSAPP", 403, whatsapp(131042), "REFUSED", "WHATSAPP_ACCOUNT"],
    ["WHATSAPP", 400, whatsapp(100), "REFUSED", "WHATSAPP_REFUSED"],
    ["WHATSAPP", 400, whatsapp(131056), "RETRY", "SERVICE_BUSY"],
    ["WHATSAPP", 500, whatsapp(131016), "RETRY", "SERVICE_FAILING"],
    ["WHATSAPP", 200, "{}", "RETRY", "SERVICE_FAILING"],
    ["WEBHOOK", 410, "", "REFUSED", "WEBHOOK_GONE"],
    ["WEBHOOK", 404, SECRET, "RETRY", "WEBHOOK_NOT_ACCEPTED"],
    ["WEBHOOK", 307, "", "RETRY", "WEBHOOK_NOT_ACCEPTED"],
    ["WEBHOOK", 503, "", "RETRY", "SERVICE_FAILING", { "retry-after": "120" }, 120_000],
  ])("%s %i %s: %s, %s", async (channel, status, body, outcome, code, headers, afterMs) => {
    answer = (_request, response) => void response.writeHead(status, headers ?? {}).end(body);
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const settings = { outgoingPrivateAddresses: ["127.0.0.1"], telegramApiUrl: base, whatsappApiUrl: base };
    const to = destinationOf(channel, { ...services.urls, slack: base, teams: base, webhook: base });
    const result = await channelsOf({ settings, clock }).get(channel)?.send(message, to, never);
    expect(result).toMatchObject({ outcome, reason: { code } });
    expect(result?.outcome === "RETRY" ? result.afterMs : undefined).toBe(afterMs);
    expect(JSON.stringify(result)).not.toContain(SECRET);
  });
});

describe("notifications by WhatsApp", () => {
  test("the template's variables read as sentences, with the link that acknowledges; without one they have the place alone", async () => {
    const [first, second] = message.lines;
    const lines = [
      { ...first, text: "Lost while moving." },
      { ...second, text: "The battery is low." },
    ];
    await send("WHATSAPP", {}, undefined, { ...message, lines: lines as Message["lines"] });
    expect(received[0]).toMatchObject({
      text:
        "Critical, Robot R-07 at सूर्य पार्क, 05:31 IST: Lost while moving. • " +
        "Warning, Robot R-11 at Bhadla, 05:32 IST: The battery is low. • … and 3 more",
      links: [
        { label: "Open", url: message.url },
        { label: "Acknowledge", url: message.acknowledgeUrl },
      ],
    });
    await send("WHATSAPP", {}, undefined, { ...message, acknowledgeUrl: null });
    expect(received[1]?.links).toEqual([{ label: "Open", url: message.url }]);
  });
});

test.each(kinds)("notifications by %s: one alert is told once, below how bad and where", async (channel) => {
  const heading = "Critical: Robot R-11 at Bhadla";
  const line = { severity: "CRITICAL" as const, text: "The battery is low.", site: "Bhadla", robot: "R-11" };
  const lines = [{ ...line, at: "05:32 IST", url: null }];
  const title = `${heading}: The battery is low`;
  await send(channel, {}, undefined, { ...message, title, heading, lines, more: 0 });
  const [one] = received;
  const html = one?.html?.replace(/^[^]*<body/, "");
  const shown = html ?? (channel === "WEBHOOK" ? one?.text : `${one?.subject}\n${one?.text}`) ?? "";
  for (const words of [heading, "The battery is low", "R-11", "05:32 IST", "Critical"]) {
    expect(shown.split(words)).toHaveLength(2);
  }
});

describe("notifications by webhook: Standard Webhooks", () => {
  test("the signature is that of the specification's own library", () => {
    const at = new Date(1_614_265_330_000);
    const headers = signatureHeaders("msg_p5jXN8AQM9LWM0D4loKWxJek", at, '{"test": 2432232314}', [
      "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    ]);
    expect(headers["webhook-signature"]).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  });

  test("a call is signed with each secret that counts, at the time of its try, and has the documented body", async () => {
    const to = destinationOf("WEBHOOK");
    await send("WEBHOOK", {}, { ...to, secret: { ...to.secret, former_signing_secret: FORMER } });
    const headers = received[0]?.headers ?? {};
    const raw = received[0]?.raw ?? "";
    expect(headers["webhook-id"]).toBe(message.id);
    expect(headers["webhook-timestamp"]).toBe(String(Math.floor(clock.now().getTime() / 1000)));
    const sign = (secret: string) =>
      `v1,${createHmac("sha256", secret)
        .update(`${message.id}.${String(headers["webhook-timestamp"])}.${raw}`)
        .digest("base64")}`;
    expect(headers["webhook-signature"]).toBe(`${sign(SECRET)} ${sign(`former ${SECRET}`)}`);
    expect(webhookCallSchema.parse(JSON.parse(raw))).toMatchObject({
      type: "notification.alerts",
      timestamp: "2026-11-27T00:01:00.000Z",
      data: { id: message.id, severity: "CRITICAL", more: 3, acknowledge_url: message.acknowledgeUrl },
    });
  });
});

describe("notifications by email", () => {
  test("one mail to one address, which can be unsubscribed from with one press", async () => {
    await send("EMAIL");
    const raw = received[0]?.raw.replaceAll("\r\n ", " ") ?? "";
    expect(raw).toContain("To: asha@sun.example\r\n");
    expect(raw).toContain(`Message-ID: <${message.id}@sun.example>\r\n`);
    expect(raw).toContain("List-Unsubscribe: <https://sun.example/message?token=def>\r\n");
    expect(raw).toContain("List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n");
    expect(raw).toContain("Auto-Submitted: auto-generated\r\n");
    expect(received[0]?.html).toBe(mailHtml(message));
  });

  test("for one press the page that a person opens is replaced by the call that mail programs make, over https only", async () => {
    const unsubscribeUrl = "https://sun.example/unsubscribe#def";
    await send("EMAIL", {}, undefined, { ...message, unsubscribeUrl });
    // Long lines are folded.
    const unfolded = received[0]?.raw.replaceAll(/\r\n[ \t]+/g, " ");
    expect(unfolded).toMatch(
      /List-Unsubscribe: +<https:\/\/sun\.example\/api\/notifications\/links\/one-click\?token=def>/,
    );
    expect(unfolded).toContain("List-Unsubscribe-Post: List-Unsubscribe=One-Click");
    await send("EMAIL", {}, undefined, { ...message, unsubscribeUrl: unsubscribeUrl.replace("https:", "http:") });
    expect(received[1]?.raw).not.toContain("List-Unsubscribe-Post");
  });

  test("the HTML loads nothing, knows Light and Dark, and shows text from outside as it is", () => {
    const html = mailHtml({ ...message, title: '<script>alert("1")</script>' });
    expect(html).not.toMatch(/<img|<link|<script|src=|url\(|@import/i);
    expect(html).toContain("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;");
    expect(html).toContain("&lt;!channel&gt; &lt;b&gt;&amp;amp; &quot;&#39;*_[x](http://evil.example)");
    expect(html).toContain('<meta name="color-scheme" content="light dark">');
    expect(html).toContain("@media (prefers-color-scheme: dark)");
    expect(html).toContain('href="https://sun.example/alerts?open=1&amp;x=2"');
  });
});
