import type { SentBodyOf } from "@suncrew/contract/http/route.ts";
import {
  type ChannelKind,
  contactPointList,
  createContactPoint,
} from "@suncrew/contract/notifications/contact-points.ts";
import { acknowledgeByLink, deliveryList } from "@suncrew/contract/notifications/deliveries.ts";
import { createNotificationRule } from "@suncrew/contract/notifications/notification-rules.ts";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestApp, TEST_NOW, type TestApp } from "../../../test/test-app.ts";
import type { TestClient } from "../../../test/test-client.ts";
import { FakeServices, type ReceivedMessage } from "../../demo/fake-services.ts";
import { ManualClock } from "../../platform/clock.ts";
import { inTransaction } from "../../platform/database/transactions.ts";
import { smtpMailer } from "../../platform/mailer.ts";
import { clearAlerts, raiseAlerts } from "../alerts/public.ts";
import { notificationJobs } from "./notifications.jobs.ts";

const SECRET = "s3cret-that-nobody-may-see";
const MINUTE_MS = 60_000;
let server: TestApp;
let admin: TestClient;
let services: FakeServices;
let received: ReceivedMessage[];
let logged: string[];
let signingSecret: string | null;
let jobs: ReturnType<typeof notificationJobs>;

beforeEach(async () => {
  [received, logged, signingSecret] = [[], [], null];
  const clock = new ManualClock(TEST_NOW);
  services = await FakeServices.open({ clock, onMessage: (one) => received.push(one) });
  const { telegramApi: telegramApiUrl, whatsappApi: whatsappApiUrl } = services.urls;
  server = await createTestApp({
    clock,
    settings: { outgoingPrivateAddresses: ["127.0.0.1"], telegramApiUrl, whatsappApiUrl },
    onLog: (line) => void logged.push(line),
  });
  admin = await server.as("admin");
  jobs = jobsWith(server.deps.settings.secretKey);
});
afterEach(async () => {
  await server.close();
  await services.close();
});

/** A server's jobs, with this SECRET_KEY and every channel. */
function jobsWith(secretKey: string) {
  const mailer = smtpMailer({
    host: "127.0.0.1",
    port: services.smtpPort,
    secure: false,
    requireTls: false,
    user: null,
    password: null,
    from: { name: "Suncrew", address: "alerts@sun.example" },
  });
  return notificationJobs({ ...server.deps, mailer, settings: { ...server.deps.settings, secretKey } });
}

async function round({ notifier, runner } = jobs): Promise<void> {
  await notifier.runOnce();
  await runner.runOnce();
}

type Fields = Partial<SentBodyOf<typeof createContactPoint>>;
async function contact(channel: ChannelKind, name: string, fields: Fields): Promise<number> {
  const quiet = { quiet_from: null, quiet_to: null, days_off: [], critical_pierces: true };
  const body = { owner: { kind: "PERSON" } as const, name, channel, timezone: "Asia/Kolkata", enabled: true, ...quiet };
  const answer = await admin.ask(createContactPoint, { body: { ...body, ...fields } });
  signingSecret ??= answer.signing_secret;
  return answer.contactPointId;
}

/** One of each channel in the first step; after ten minutes the manager. */
async function everyChannel(): Promise<void> {
  const { slack, teams, webhook } = services.urls;
  const whatsapp = { phone_number_id: "106540352242922", template: "suncrew_alert", template_language: "en" };
  const first = [
    await contact("EMAIL", "Mail", { address: "asha@sun.example" }),
    await contact("SLACK", "Slack", { url: `${slack}/${SECRET}` }),
    await contact("TEAMS", "Teams", { url: `${teams}/${SECRET}` }),
    await contact("TELEGRAM", "Telegram", { address: "-1001234", token: `12345678:${SECRET}` }),
    await contact("WHATSAPP", "WhatsApp", { address: "+919876543210", token: SECRET, whatsapp }),
    await contact("WEBHOOK", "Webhook", { url: `${webhook}/${SECRET}` }),
  ];
  const manager = await contact("EMAIL", "Manager", { address: "manager@sun.example" });
  const to = (ids: readonly number[]) => ids.map((id) => ({ kind: "CONTACT_POINT" as const, id }));
  const steps = [
    { after_minutes: 0, to: to(first) },
    { after_minutes: 10, to: to([manager]) },
  ];
  const filter = { kinds: [], severities: [], site_ids: [], states: [], partner_ids: [] };
  const telling = { enabled: true, wait_seconds: 0, repeat_minutes: null, tells_cleared: true };
  await admin.ask(createNotificationRule, { body: { name: "All", filter, steps, ...telling } });
  await round();
}

async function raise(): Promise<void> {
  const { id: robotId, siteId } = server.fixtures.ownRobot;
  const alert = { code: "OFFLINE_TOO_LONG", severity: "CRITICAL", text: "It is offline.", params: {} } as const;
  await inTransaction(server.db, (tx) => raiseAlerts(tx, [{ robotId, siteId, alert }], server.clock.now()));
}

const channels: readonly ChannelKind[] = ["EMAIL", "SLACK", "TEAMS", "TELEGRAM", "WEBHOOK", "WHATSAPP"];
const reached = () => received.map(({ channel }) => channel).toSorted();
const reasons = async () =>
  (await admin.ask(deliveryList)).deliveries.map(({ status, reason_code }) => `${status} ${reason_code ?? ""}`.trim());

/** No secret, and no token of a link, is in what the server logs, stores, records or answers. */
async function expectNothingRevealed(): Promise<void> {
  const tables = ["deliveries", "audit", "alerts", "alert_notices", "contact_points"];
  const rows = await Promise.all(
    tables.map((name) =>
      sql<{ all: string }>`select coalesce(string_agg(t::text, ' '), '') as all from ${sql.table(name)} t`.execute(
        server.db,
      ),
    ),
  );
  const answers = [await admin.ask(deliveryList), await admin.ask(contactPointList)];
  const told = [...logged, JSON.stringify(answers), ...rows.map(({ rows: [row] }) => row?.all ?? "")].join("\n");
  const tokens = received.flatMap(({ links }) => links.flatMap(({ url }) => url.split("#")[1]?.split(".")[1] ?? []));
  for (const secret of [SECRET, signingSecret ?? "none", ...tokens]) expect(told).not.toContain(secret);
}

test("Notifications: an alert reaches each channel once, with its page; acknowledged by a link nobody else is told, and its end is told to whoever was", async () => {
  await everyChannel();
  await raise();
  await round();
  await round();
  expect(reached()).toEqual(channels);
  const linkTo = `http://suncrew.example/robots/${server.fixtures.ownRobot.serial}`;
  for (const { channel, links } of received) {
    const urls = links.map(({ url }) => url);
    expect({ channel, urls }).toEqual({ channel, urls: expect.arrayContaining([linkTo]) as string[] });
    const isSigned = urls.some((url) => url.startsWith("http://suncrew.example/acknowledge#"));
    expect({ channel, isSigned }).toEqual({ channel, isSigned: true });
  }
  expect(new Set(await reasons())).toEqual(new Set(["SENT"]));
  const links = received.find(({ channel }) => channel === "SLACK")?.links ?? [];
  const token = links.find(({ url }) => url.includes("/acknowledge#"))?.url.split("#")[1] ?? "";
  await (await server.as(null)).ask(acknowledgeByLink, { body: { token } });
  server.clock.advance(30 * MINUTE_MS);
  await round();
  expect(received).toHaveLength(channels.length);
  await expectNothingRevealed();
  received = [];
  const { id } = server.fixtures.ownRobot;
  await inTransaction(server.db, (tx) => clearAlerts(tx, [id], ["OFFLINE_TOO_LONG"], server.clock.now()));
  await round();
  await round();
  expect(reached()).toEqual(channels);
  for (const { subject } of received) expect(subject).toContain("Cleared");
  await expectNothingRevealed();
});

test("Notifications: without an acknowledgement the next step is told; what SECRET_KEY no longer opens is given up with the reason", async () => {
  await everyChannel();
  await raise();
  await round(jobsWith("another key that only tests have, long enough"));
  // An email address is no secret.
  expect(reached()).toEqual(["EMAIL"]);
  expect((await reasons()).toSorted()).toEqual([...Array.from({ length: 5 }, () => "FAILED SECRET_MISSING"), "SENT"]);
  const { deliveries } = await admin.ask(deliveryList, { query: { status: "FAILED" } });
  expect(new Set(deliveries.map(({ reason }) => reason))).toEqual(
    new Set(["Its address or token is missing or cannot be read: enter it again."]),
  );
  received = [];
  server.clock.advance(10 * MINUTE_MS);
  await round();
  expect(received.filter(({ to }) => to.includes("manager"))).not.toEqual([]);
  await expectNothingRevealed();
});
