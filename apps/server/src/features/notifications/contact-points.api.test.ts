import { randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { SentBodyOf } from "@suncrew/contract/http/route.ts";
import {
  CONTACT_POINTS_PER_OWNER,
  contactPointList,
  createContactPoint,
  deleteContactPoint,
  notificationOptions,
  replaceSigningSecret,
  testContactPoint,
  updateContactPoint,
} from "@suncrew/contract/notifications/contact-points.ts";
import { createNotificationRule, createTeam } from "@suncrew/contract/notifications/notification-rules.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTestApp, TEST_NOW, type TestApp, testSettings } from "../../../test/test-app.ts";
import type { TestClient } from "../../../test/test-client.ts";
import { contactSeal, openContact } from "./contact-secrets.ts";
import { readFailingContacts } from "./regular-messages.repository.ts";
import { TESTS_PER_MINUTE } from "./test-messages.ts";

type Body = SentBodyOf<typeof createContactPoint>;

let server: TestApp;
let admin: TestClient;
let owner: TestClient;
let stranger: TestClient;
beforeEach(async () => {
  server = await createTestApp({ settings: { outgoingPrivateAddresses: ["127.0.0.1"] } });
  [admin, owner, stranger] = await Promise.all([server.as("admin"), server.as("owner"), server.as("stranger")]);
});
afterEach(() => server.close());

const SECRET_PATH = "services/T0/B0/very-secret";
const form = {
  name: " Omkar's mail ",
  timezone: "Asia/Kolkata",
  quiet_from: "22:00",
  quiet_to: "05:30",
  days_off: [7, 6],
  critical_pierces: true,
  enabled: true,
};
const mail: Body = { ...form, owner: { kind: "PERSON" }, channel: "EMAIL", address: "omkar@own.example" };
const slack: Body = {
  ...form,
  name: "Slack of the desk",
  owner: { kind: "PERSON" },
  channel: "SLACK",
  url: `https://hooks.slack.example/${SECRET_PATH}`,
};
const webhook: Body = { ...slack, name: "Gateway", channel: "WEBHOOK" };

const names = async (client: TestClient, query: { mine?: "true"; site_id?: number } = {}) =>
  (await client.ask(contactPointList, { query })).map(({ name }) => name);
const audits = async () =>
  server.db
    .selectFrom("audit")
    .select(["action", "entity_id", "site_id", "outcome", "reason", "before", "after", "target_name"])
    .where("entity", "=", "contact_point")
    .orderBy("id")
    .execute();
const rowOf = (id: number) =>
  server.db.selectFrom("contact_points").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
const add = async (client: TestClient, body: Body) => (await client.ask(createContactPoint, { body })).contactPointId;

describe("contact points", () => {
  test("one's own is added, listed, changed and deleted; each change is on record", async () => {
    const { contactPointId, signing_secret } = await owner.ask(createContactPoint, { body: mail });
    expect(signing_secret).toBeNull();
    const [listed] = await owner.ask(contactPointList);
    expect(listed).toEqual({
      id: contactPointId,
      name: "Omkar's mail",
      owner: { kind: "PERSON", id: server.fixtures.userIds.owner, name: "Omkar Jain", role: null },
      channel: "EMAIL",
      address: "omkar@own.example",
      whatsapp: null,
      timezone: "Asia/Kolkata",
      quiet_from: "22:00",
      quiet_to: "05:30",
      days_off: [6, 7],
      critical_pierces: true,
      digest_at: null,
      summary_at: null,
      language: "en",
      gets_reports: false,
      enabled: true,
      unsubscribed_at: null,
      last_sent_at: null,
      failure: null,
      version: 1,
    });
    const params = { contactPointId };
    await owner.ask(updateContactPoint, { params, body: { ...mail, address: "o@own.example", version: 1 } });
    await owner.ask(deleteContactPoint, { params });
    expect(await names(owner)).toEqual([]);
    expect(await audits()).toMatchObject([
      { action: "CREATE_CONTACT_POINT", outcome: "DONE", after: { owner: "Omkar Jain", address: "omkar@own.example" } },
      {
        action: "UPDATE_CONTACT_POINT",
        before: { address: "omkar@own.example" },
        after: { address: "o@own.example" },
      },
      { action: "DELETE_CONTACT_POINT", entity_id: String(contactPointId), target_name: "Omkar's mail" },
    ]);
  });

  test("what waits for one is looked at again when it was changed: its quiet time may be over", async () => {
    const contactPointId = await add(owner, mail);
    const later = new Date(server.clock.now().getTime() + 3_600_000);
    const shown = { contact_point_name: "Phone", told: "Omkar Jain", address: "omkar@own.example", title: "Dust" };
    const waits = { message_kind: "ALERTS", channel: "EMAIL", created_at: server.clock.now(), due_at: later } as const;
    const waiting = async (id: string, attempts: number) =>
      server.db
        .insertInto("deliveries")
        .values({ id, ...waits, ...shown, contact_point_id: contactPointId, attempts })
        .execute();
    const [held, sending] = [randomUUID(), randomUUID()];
    await waiting(held, 0);
    await waiting(sending, 1);
    const body = { ...mail, quiet_from: null, quiet_to: null, version: 1 };
    await owner.ask(updateContactPoint, { params: { contactPointId }, body });
    const rows = await server.db.selectFrom("deliveries").select(["id", "due_at"]).execute();
    expect(new Map(rows.map(({ id, due_at }) => [id, due_at]))).toEqual(
      new Map([
        [held, server.clock.now()],
        [sending, later],
      ]),
    );
  });

  test("a PARTNER's user has the own, the partner's and those of its sites; a SUPER_ADMIN all", async () => {
    const { ownerPartnerId, strangerPartnerId, ownSiteId, userIds } = server.fixtures;
    const { teamId } = await admin.ask(createTeam, { body: { name: "Night", member_ids: [userIds.admin] } });
    await add(owner, { ...mail, name: "own" });
    await add(owner, { ...mail, name: "partner's", owner: { kind: "PARTNER", id: ownerPartnerId } });
    await add(owner, { ...mail, name: "site's", owner: { kind: "SITE", id: ownSiteId, role: "OWNER" } });
    await add(stranger, { ...mail, name: "stranger's" });
    await add(admin, { ...mail, name: "other partner's", owner: { kind: "PARTNER", id: strangerPartnerId } });
    await add(admin, { ...mail, name: "team's", owner: { kind: "TEAM", id: teamId } });
    await add(admin, { ...mail, name: "admin's" });
    expect((await names(owner)).toSorted()).toEqual(["own", "partner's", "site's"]);
    expect((await names(stranger)).toSorted()).toEqual(["other partner's", "stranger's"]);
    expect(await names(admin)).toHaveLength(7);
    expect(await names(admin, { mine: "true" })).toEqual(["admin's"]);
    expect(await names(owner, { site_id: ownSiteId })).toEqual(["site's"]);
    expect(await stranger.call(contactPointList, { query: { site_id: ownSiteId } })).toMatchObject({ status: 404 });
  });

  test("what belongs to others does not exist for another partner, and nobody is signed out of it by it", async () => {
    const { ownerPartnerId, ownSiteId, userIds } = server.fixtures;
    const contactPointId = await add(owner, webhook);
    const params = { contactPointId };
    const nobody = await server.as(null);
    for (const [client, status] of [
      [stranger, 404],
      [nobody, 401],
    ] as const) {
      const answers = [
        await client.call(updateContactPoint, { params, body: webhook }),
        await client.call(deleteContactPoint, { params }),
        await client.call(replaceSigningSecret, { params }),
        await client.call(testContactPoint, { params }),
      ];
      expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => status));
    }
    const owners: Body["owner"][] = [
      { kind: "PERSON", id: userIds.owner },
      { kind: "PARTNER", id: ownerPartnerId },
      { kind: "SITE", id: ownSiteId, role: "OWNER" },
      { kind: "TEAM", id: 1 },
    ];
    for (const each of owners) {
      const answer = await stranger.call(createContactPoint, { body: { ...mail, owner: each } });
      expect([each.kind, answer.status]).toEqual([each.kind, 404]);
    }
    expect(await names(owner)).toHaveLength(1);
  });

  test("§5: what is missing or wrong is 400 with the field named", async () => {
    const { ownSiteId, ownerPartnerId } = server.fixtures;
    const wrong: [Partial<Body>, string][] = [
      [{ name: " " }, "name"],
      [{ address: "omkar" }, "address"],
      [{ address: null }, "address"],
      [{ channel: "SLACK" }, "url"],
      [{ channel: "TELEGRAM", address: "12" }, "token"],
      [{ channel: "WHATSAPP", address: "+919876543210", token: "EAAG" }, "whatsapp"],
      [{ timezone: "Asia/Nowhere" }, "timezone"],
      [{ timezone: "IST" }, "timezone"],
      [{ timezone: "SystemV/PST8" }, "timezone"],
      [{ timezone: "+05:30" }, "timezone"],
      [{ quiet_to: null }, "quiet_to"],
      [{ days_off: [1, 2, 3, 4, 5, 6, 7] }, "days_off"],
      [{ digest_at: "24:00" }, "digest_at"],
      [{ owner: { kind: "SITE", id: ownSiteId } }, "owner.role"],
      [{ owner: { kind: "PARTNER" } }, "owner.id"],
    ];
    for (const [part, field] of wrong) {
      const answer = await owner.call(createContactPoint, { body: { ...mail, ...part } });
      expect([field, answer.status, answer.body]).toMatchObject([field, 400, { errors: [{ field }] }]);
    }
    await add(owner, { ...mail, owner: { kind: "PARTNER", id: ownerPartnerId } });
  });

  test("secrets are sealed, are shown by no answer and no audit row, and stay where an edit leaves them out", async () => {
    const { contactPointId: id, signing_secret: secret } = await owner.ask(createContactPoint, { body: webhook });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const sealed = contactSeal(testSettings);
    const stored = async () => openContact(sealed, await rowOf(id));
    expect(await stored()).toEqual({ url: webhook.url, signing_secret: secret });
    const params = { contactPointId: id };
    await owner.ask(updateContactPoint, { params, body: { ...webhook, name: "Renamed", url: "" } });
    expect(await stored()).toEqual({ url: webhook.url, signing_secret: secret });
    const url = "https://other.example/also-very-secret";
    await owner.ask(updateContactPoint, { params, body: { ...webhook, url } });
    expect(await stored()).toEqual({ url, signing_secret: secret });
    const { signing_secret: next } = await owner.ask(replaceSigningSecret, { params });
    expect(await stored()).toEqual({
      url,
      signing_secret: next,
      former_signing_secret: secret,
      former_until: "2026-06-16T06:30:00.000Z",
    });
    const told = JSON.stringify([await owner.ask(contactPointList), await audits(), await rowOf(id)]);
    for (const word of ["very-secret", SECRET_PATH, secret, next]) expect(told).not.toContain(word);
    expect((await audits()).map(({ after }) => after)).toMatchObject([
      { address: "hooks.slack.example", url: "set" },
      { address: "hooks.slack.example", url: "as before" },
      { address: "other.example", url: "changed" },
      { name: "Gateway" },
    ]);
  });

  test("only webhooks have a signing secret, and a channel stays", async () => {
    const params = { contactPointId: await add(owner, slack) };
    expect(await owner.call(replaceSigningSecret, { params })).toMatchObject({
      status: 409,
      body: { code: "CONTACT_POINT_UNSIGNED" },
    });
    expect(await owner.call(updateContactPoint, { params, body: webhook })).toMatchObject({
      status: 400,
      body: { errors: [{ field: "channel" }] },
    });
  });

  test("an edit based on an outdated version is 409 and changes nothing", async () => {
    const params = { contactPointId: await add(owner, mail) };
    await owner.ask(updateContactPoint, { params, body: { ...mail, name: "First", version: 1 } });
    const late = await admin.call(updateContactPoint, { params, body: { ...mail, name: "Late", version: 1 } });
    expect(late).toMatchObject({ status: 409, body: { errors: [{ field: "version" }] } });
    expect(await names(owner)).toEqual(["First"]);
  });

  test("each person may have so many", async () => {
    for (let nth = 0; nth < CONTACT_POINTS_PER_OWNER; nth += 1) await add(owner, mail);
    const answer = await owner.call(createContactPoint, { body: mail });
    expect(answer).toMatchObject({ status: 409, body: { code: "CONTACT_POINTS_LIMIT" } });
    await add(stranger, mail);
  });

  test("one that a rule tells is not deleted: the answer names the rule", async () => {
    const id = await add(owner, mail);
    const steps = [{ after_minutes: 0, to: [{ kind: "CONTACT_POINT" as const, id }] }];
    const filter = { kinds: [], severities: [], site_ids: [], states: [], partner_ids: [] };
    const telling = { enabled: true, wait_seconds: 0, repeat_minutes: null, tells_cleared: true };
    await admin.ask(createNotificationRule, { body: { name: "All alerts", filter, ...telling, steps } });
    expect(await owner.call(deleteContactPoint, { params: { contactPointId: id } })).toMatchObject({
      status: 409,
      body: { code: "NAMED_BY_RULE", message: expect.stringContaining("All alerts") },
    });
  });

  test("switched on again, its recipient is subscribed again; that and another destination begin without failures", async () => {
    const id = await add(owner, mail);
    const fails = (more = {}) => {
      const failed = { failures: 4, failed_at: TEST_NOW, failure_reason: "Gone.", failure_reason_code: "WEBHOOK_GONE" };
      return server.db
        .updateTable("contact_points")
        .set({ ...failed, ...more })
        .where("id", "=", id)
        .execute();
    };
    await fails({ enabled: false, unsubscribed_at: TEST_NOW });
    expect(await owner.ask(contactPointList)).toMatchObject([
      { unsubscribed_at: TEST_NOW.toISOString(), failure: { reason: "Gone.", reason_code: "WEBHOOK_GONE" } },
    ]);
    await owner.ask(updateContactPoint, { params: { contactPointId: id }, body: mail });
    const without = { failures: 0, failed_at: null, failure_reason: null };
    expect(await rowOf(id)).toMatchObject({ unsubscribed_at: null, ...without });
    await fails();
    await owner.ask(updateContactPoint, { params: { contactPointId: id }, body: mail });
    expect(await rowOf(id)).toMatchObject({ failures: 4 });
    await owner.ask(updateContactPoint, {
      params: { contactPointId: id },
      body: { ...mail, address: "new@own.example" },
    });
    expect(await rowOf(id)).toMatchObject(without);
  });

  test("a daily message whose time has passed today is sent tomorrow for the first time", async () => {
    // It is noon in Kolkata.
    const id = await add(owner, { ...mail, digest_at: "08:00", summary_at: "13:00" });
    expect(await rowOf(id)).toMatchObject({ digest_on: "2026-06-15", summary_on: null });
  });

  test("those of a deleted site are nobody's", async () => {
    const { ownSiteId } = server.fixtures;
    await add(owner, { ...mail, owner: { kind: "SITE", id: ownSiteId, role: "OWNER" } });
    await server.db.updateTable("sites").set({ deleted_at: TEST_NOW }).where("id", "=", ownSiteId).execute();
    expect([await names(owner), await names(admin)]).toEqual([[], []]);
  });

  test("email is available with a mail server only; a PARTNER's user can name nobody else", async () => {
    const options = await owner.ask(notificationOptions);
    expect(options.channels.filter(({ available }) => !available)).toEqual([{ channel: "EMAIL", available: false }]);
    expect(options.people.map(({ name }) => name)).toEqual(["Omkar Jain"]);
    expect((await admin.ask(notificationOptions)).people).toMatchObject([
      { name: "Anita Rao", role: "SUPER_ADMIN", partner_name: null, contact_points: 0 },
      { name: "Omkar Jain", role: "PARTNER", partner_name: "Owncare Services" },
      { name: "Sadia Khan" },
    ]);
  });
});

describe("a test message", () => {
  let receiver: Server;
  let status = 200;
  const received: string[] = [];
  beforeEach(async () => {
    received.length = 0;
    status = 200;
    receiver = createServer((request, response) => {
      let text = "";
      request.on("data", (part: Buffer) => (text += part.toString()));
      request.on("end", () => {
        received.push(text);
        response.writeHead(status).end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  });
  afterEach(() => new Promise((resolve) => receiver.close(resolve)));
  const here = () => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/${SECRET_PATH}`;
  const deliveries = () => server.db.selectFrom("deliveries").selectAll().orderBy("created_at").execute();

  test("is sent at once; the answer of its service is told, kept and on record", async () => {
    const params = { contactPointId: await add(owner, { ...webhook, url: here() }) };
    expect(await owner.ask(testContactPoint, { params })).toMatchObject({ delivered: true });
    expect(received).toHaveLength(1);
    status = 404;
    const refusal = await owner.ask(testContactPoint, { params });
    expect(refusal).toMatchObject({ delivered: false, message: expect.stringContaining("404") });
    expect(await deliveries()).toMatchObject([
      { message_kind: "TEST", status: "SENT", told: "Omkar Jain", contact_point_name: "Gateway", reason: null },
      { message_kind: "TEST", status: "FAILED", reason: refusal.message, reason_code: "WEBHOOK_NOT_ACCEPTED" },
    ]);
    expect(await owner.ask(contactPointList)).toMatchObject([
      { enabled: true, last_sent_at: TEST_NOW.toISOString(), failure: { reason_code: "WEBHOOK_NOT_ACCEPTED" } },
    ]);
    const rows = (await audits()).filter(({ action }) => action === "TEST_CONTACT_POINT");
    expect(rows.map(({ after }) => after)).toMatchObject([{ delivered: true }, { delivered: false }]);
    expect(JSON.stringify([rows, await deliveries()])).not.toContain(SECRET_PATH);
  });

  test("that meets a webhook which is gone (410) switches it off, on record, until somebody switches it on", async () => {
    const params = { contactPointId: await add(owner, { ...webhook, url: here() }) };
    status = 410;
    const { message } = await owner.ask(testContactPoint, { params });
    expect(message).toContain("410");
    const [gone] = await owner.ask(contactPointList);
    expect(gone).toMatchObject({ enabled: false, failure: { reason: message, reason_code: "WEBHOOK_GONE" } });
    expect((await audits()).slice(-2)).toMatchObject([
      { action: "UPDATE_CONTACT_POINT", reason: message, before: { enabled: true }, after: { enabled: false } },
      { action: "TEST_CONTACT_POINT", reason: message },
    ]);
    expect(await readFailingContacts(server.db)).toEqual(["Omkar Jain: Gateway"]);
    // A form that was opened before does not switch it on again.
    const body = { ...form, name: "Gateway", channel: "WEBHOOK" as const };
    expect(await owner.call(updateContactPoint, { params, body: { ...body, version: 1 } })).toMatchObject({
      status: 409,
    });
    await owner.ask(updateContactPoint, { params, body });
    expect(await owner.ask(contactPointList)).toMatchObject([{ enabled: true, failure: null }]);
    expect(await readFailingContacts(server.db)).toEqual([]);
  });

  test("says why it was not sent: without a mail server, or to who has unsubscribed", async () => {
    const id = await add(owner, mail);
    const params = { contactPointId: id };
    expect(await owner.ask(testContactPoint, { params })).toMatchObject({
      delivered: false,
      message: expect.stringContaining("SMTP_URL"),
    });
    await server.db
      .updateTable("contact_points")
      .set({ enabled: false, unsubscribed_at: TEST_NOW })
      .where("id", "=", id)
      .execute();
    expect(await owner.ask(testContactPoint, { params })).toMatchObject({
      delivered: false,
      message: expect.stringContaining("unsubscribed"),
    });
  });

  test("each person may send so many in a minute", async () => {
    const params = { contactPointId: await add(owner, mail) };
    for (let nth = 0; nth < TESTS_PER_MINUTE; nth += 1) await owner.ask(testContactPoint, { params });
    expect(await owner.call(testContactPoint, { params })).toMatchObject({
      status: 429,
      body: { code: "TEST_MESSAGES_LIMITED" },
    });
    expect((await admin.call(testContactPoint, { params })).status).toBe(200);
    server.clock.advance(60_001);
    expect((await owner.call(testContactPoint, { params })).status).toBe(200);
  });
});
