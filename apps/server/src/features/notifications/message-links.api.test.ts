import { randomUUID } from "node:crypto";
import {
  acknowledgeByLink,
  messageLink,
  unsubscribeByLink,
  unsubscribeByMail,
} from "@suncrew/contract/notifications/deliveries.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTestApp, TEST_NOW, type TestApp } from "../../../test/test-app.ts";
import { LINK_MS, linksOf, oneClickUrl } from "./message-links.ts";
import { readDirectory } from "./recipients.repository.ts";

let server: TestApp;
let logged: string[];
beforeEach(async () => {
  logged = [];
  server = await createTestApp({ onLog: (line) => void logged.push(line) });
});
afterEach(() => server.close());

/** A message about the owner's robot to the owner's phone, or to whoever else is named; with its tokens. */
async function sent(owner: "owner" | "site" | "admin" = "owner") {
  const { db, fixtures } = server;
  const { ownRobot, ownSiteId } = fixtures;
  const whose =
    owner === "site"
      ? ({ owner_kind: "SITE", site_id: ownSiteId, site_role: "OWNER" } as const)
      : ({ owner_kind: "PERSON", user_id: fixtures.userIds[owner] } as const);
  const { id: contactPointId } = await db
    .insertInto("contact_points")
    .values({
      name: "Phone",
      ...whose,
      channel: "EMAIL",
      address: "a@sun.example",
      timezone: "Asia/Kolkata",
      created_at: TEST_NOW,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  const { id: alertId } = await db
    .insertInto("alerts")
    .values({
      robot_id: ownRobot.id,
      site_id: ownSiteId,
      source: "ROBOT",
      code: "DUST",
      severity: "WARNING",
      text: "Dust",
      raised_at: TEST_NOW,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  const deliveryId = randomUUID();
  const shown = { contact_point_name: "Phone", told: "Omkar Patil", address: "a@sun.example", title: "Dust" };
  await db
    .insertInto("deliveries")
    .values({
      id: deliveryId,
      message_kind: "ALERTS",
      contact_point_id: contactPointId,
      channel: "EMAIL",
      ...shown,
      status: "SENT",
      created_at: TEST_NOW,
      settled_at: TEST_NOW,
    })
    .execute();
  await db.insertInto("delivery_alerts").values({ delivery_id: deliveryId, alert_id: alertId }).execute();
  const { acknowledgeUrl, unsubscribeUrl } = linksOf(server.deps.settings, deliveryId, contactPointId, TEST_NOW);
  const tokenIn = (url: string | null) => url?.split("#")[1] ?? "";
  return {
    contactPointId,
    alertId,
    deliveryId,
    unsubscribeUrl: unsubscribeUrl ?? "",
    acknowledge: tokenIn(acknowledgeUrl),
    unsubscribe: tokenIn(unsubscribeUrl),
  };
}

const nobody = () => server.as(null);
const acknowledge = async (token: string, comment?: string) => {
  const { status, body } = await (
    await nobody()
  ).call(acknowledgeByLink, { body: { token, ...(comment && { comment }) } });
  return [status, body];
};
const alerts = () => server.db.selectFrom("alerts").selectAll().execute();
const audits = () =>
  server.db
    .selectFrom("audit")
    .select(["actor", "user_id", "action", "entity", "outcome", "reason", "after"])
    .orderBy("id")
    .execute();

describe("notifications: acknowledging by the link of a message", () => {
  test("shows what it is about, and acknowledges in the name of whoever was told, on record without the token", async () => {
    const message = await sent();
    const shown = await (await nobody()).ask(messageLink, { body: { token: message.acknowledge } });
    expect(shown).toMatchObject({
      action: "ACKNOWLEDGE",
      told: "Omkar Patil",
      title: "Dust",
      expires_at: new Date(TEST_NOW.getTime() + LINK_MS.ACKNOWLEDGE).toISOString(),
      alerts: [{ text: "Dust", severity: "WARNING", cleared_at: null, acknowledged_by: null }],
    });
    // Looking changes nothing: mail programs open links on their own.
    expect(await alerts()).toMatchObject([{ acknowledged_at: null }]);
    expect(await acknowledge(message.acknowledge, "On my way")).toEqual([
      200,
      { message: "The alert was acknowledged." },
    ]);
    const owner = { id: server.fixtures.userIds.owner };
    const { name } = await server.db
      .selectFrom("users")
      .select("name")
      .where("id", "=", owner.id)
      .executeTakeFirstOrThrow();
    expect(await alerts()).toMatchObject([
      {
        acknowledged_by: name,
        acknowledged_by_user_id: owner.id,
        acknowledgement_comment: "On my way",
        cleared_at: null,
      },
    ]);
    const rows = await audits();
    expect(rows).toMatchObject([
      {
        actor: name,
        action: "ACKNOWLEDGE_ALERT",
        outcome: "DONE",
        after: { by: "link", delivery_id: message.deliveryId },
      },
    ]);
    expect(JSON.stringify(rows)).not.toContain(message.acknowledge.split(".")[1]);
    expect(await acknowledge(message.acknowledge)).toEqual([
      409,
      { message: `${name} has already acknowledged this.`, code: "ALERT_ACKNOWLEDGED" },
    ]);
  });

  test("is refused with the reason: altered, expired, over, of another action, or of a deleted contact point", async () => {
    const message = await sent();
    const forged = message.acknowledge.replace(/.$/, (last) => (last === "A" ? "E" : "A"));
    expect(await acknowledge(forged)).toMatchObject([400, { code: "LINK_NOT_VALID" }]);
    expect(await acknowledge(message.unsubscribe)).toMatchObject([400, { code: "LINK_NOT_VALID" }]);
    expect(await acknowledge("nonsense")).toMatchObject([400, { code: "VALIDATION_FAILED" }]);
    await server.db.updateTable("alerts").set({ cleared_at: TEST_NOW }).execute();
    expect(await acknowledge(message.acknowledge)).toMatchObject([409, { code: "ALERT_CLEARED" }]);
    await server.db.updateTable("contact_points").set({ deleted_at: TEST_NOW }).execute();
    expect(await acknowledge(message.acknowledge)).toMatchObject([410, { code: "LINK_CONTACT_POINT_DELETED" }]);
    server.clock.advance(LINK_MS.ACKNOWLEDGE);
    expect(await acknowledge(message.acknowledge)).toMatchObject([410, { code: "LINK_EXPIRED" }]);
  });

  test("§6: whoever may not see the site any more is told nothing and can do nothing", async () => {
    const message = await sent();
    await server.db
      .updateTable("sites")
      .set({ maintenance_partner_id: null })
      .where("id", "=", server.fixtures.ownSiteId)
      .execute();
    const refused = [410, { code: "LINK_SITE_NOT_VISIBLE" }];
    const { status, body } = await (await nobody()).call(messageLink, { body: { token: message.acknowledge } });
    expect([status, body]).toMatchObject(refused);
    expect(await acknowledge(message.acknowledge)).toMatchObject(refused);
    expect(await alerts()).toMatchObject([{ acknowledged_at: null }]);
    await server.db.updateTable("sites").set({ deleted_at: TEST_NOW }).execute();
    expect(await acknowledge(message.acknowledge)).toMatchObject([410, { code: "LINK_SITE_DELETED" }]);
    await server.db.deleteFrom("deliveries").execute();
    expect(await acknowledge(message.acknowledge)).toMatchObject([410, { code: "LINK_MESSAGE_GONE" }]);
  });

  test("§6: a team is told and acknowledges only what every living member may see", async () => {
    const { db, fixtures } = server;
    const { admin, owner, stranger } = fixtures.userIds;
    const message = await sent("admin");
    const { id: team_id } = await db
      .insertInto("teams")
      .values({ name: "Watch", created_at: TEST_NOW })
      .returning("id")
      .executeTakeFirstOrThrow();
    await db.updateTable("contact_points").set({ owner_kind: "TEAM", user_id: null, team_id }).execute();
    const seenBy = async (...members: number[]) => {
      await db.deleteFrom("team_members").execute();
      for (const user_id of members) await db.insertInto("team_members").values({ team_id, user_id }).execute();
      const { status } = await (await nobody()).call(messageLink, { body: { token: message.acknowledge } });
      const directory = await readDirectory(db);
      const contact = directory.get(message.contactPointId);
      const place = { siteId: fixtures.ownSiteId, partnerId: fixtures.ownerPartnerId };
      return [status === 200, contact !== undefined && directory.maySee(contact, place)];
    };
    expect(await seenBy(admin)).toEqual([true, true]);
    expect(await seenBy(owner, admin)).toEqual([true, true]);
    expect(await seenBy(owner, stranger)).toEqual([false, false]);
    expect(await seenBy(admin, stranger)).toEqual([false, false]);
    expect(await seenBy()).toEqual([false, false]);
    await db.updateTable("users").set({ deleted_at: TEST_NOW }).where("id", "=", stranger).execute();
    expect(await seenBy(owner, stranger)).toEqual([true, true]);
  });

  test("a site's contact acknowledges under the name that the message had, and what is past ends with it", async () => {
    const message = await sent("site");
    await server.db.updateTable("alerts").set({ source: "SERVER", code: "RUN_MISSED" }).execute();
    expect(await acknowledge(message.acknowledge)).toMatchObject([200, {}]);
    expect(await alerts()).toMatchObject([
      { acknowledged_by: "Omkar Patil", acknowledged_by_user_id: null, cleared_at: TEST_NOW },
    ]);
  });

  test("guesses are slowed down by the address that they come from", async () => {
    const { acknowledge: token } = await sent();
    const client = await nobody();
    const statuses: number[] = [];
    for (let times = 0; times <= 60; times += 1) {
      statuses.push((await client.call(messageLink, { body: { token } })).status);
    }
    expect(statuses.at(-1)).toBe(429);
  });
});

describe("notifications: unsubscribing", () => {
  const version = async () =>
    (await server.db.selectFrom("contact_points").select("version").executeTakeFirst())?.version;
  const unsubscribed = async () =>
    (await server.db.selectFrom("contact_points").select("unsubscribed_at").executeTakeFirst())?.unsubscribed_at ??
    null;

  test("by the link: once is as good as twice, also when the site is another partner's by now", async () => {
    const message = await sent();
    await server.db
      .updateTable("sites")
      .set({ maintenance_partner_id: null })
      .where("id", "=", server.fixtures.ownSiteId)
      .execute();
    for (const _ of [1, 2]) {
      const answer = await (await nobody()).ask(unsubscribeByLink, { body: { token: message.unsubscribe } });
      expect(answer.message).toMatch(/^Nothing more is sent to Phone\./);
      expect(await unsubscribed()).toEqual(TEST_NOW);
      const link = await (await nobody()).ask(messageLink, { body: { token: message.unsubscribe } });
      expect(link.unsubscribed_at).toBe(TEST_NOW.toISOString());
      // A form that was opened before cannot subscribe again unseen.
      expect(await version()).toBe(2);
      server.clock.advance(60_000);
    }
    expect(await audits()).toMatchObject([{ action: "UNSUBSCRIBE", outcome: "DONE", after: { by: "link" } }]);
  });

  test("RFC 8058: a mail program may post its form as multipart or urlencoded", async () => {
    const message = await sent();
    const { pathname, search } = new URL(oneClickUrl(message.unsubscribeUrl));
    const form = new FormData();
    form.set("List-Unsubscribe", "One-Click");
    for (const body of [form, new URLSearchParams({ "List-Unsubscribe": "One-Click" })]) {
      await server.db.updateTable("contact_points").set({ unsubscribed_at: null }).execute();
      const posted = new Response(body);
      const { statusCode } = await server.app.http.inject({
        method: "POST",
        url: pathname + search,
        headers: { host: "suncrew.example", "content-type": posted.headers.get("content-type") ?? "" },
        payload: await posted.text(),
      });
      expect(statusCode).toBe(200);
      expect(await unsubscribed()).toEqual(TEST_NOW);
    }
  });

  test("RFC 8058: a mail program posts a form, and the token of its address is in no log", async () => {
    const message = await sent();
    const { pathname, search } = new URL(oneClickUrl(message.unsubscribeUrl));
    expect(pathname).toBe(unsubscribeByMail.path);
    const post = (url: string) =>
      server.app.http.inject({
        method: "POST",
        url,
        headers: { host: "suncrew.example", "content-type": "application/x-www-form-urlencoded" },
        payload: "List-Unsubscribe=One-Click",
      });
    expect((await post(pathname + search)).statusCode).toBe(200);
    expect(await unsubscribed()).toEqual(TEST_NOW);
    const forged = await post(`${pathname}${search.slice(0, -1)}`);
    expect(forged.statusCode).toBe(400);
    expect([...logged, forged.body].join("\n")).not.toContain(search.slice(8, 60));
    // Opened in a browser it leads to the page that asks first.
    await server.db.updateTable("contact_points").set({ unsubscribed_at: null }).execute();
    const headers = { host: "suncrew.example" };
    const opened = await server.app.http.inject({ method: "GET", url: pathname + search, headers });
    expect([opened.statusCode, opened.headers.location]).toEqual([302, `/unsubscribe#${message.unsubscribe}`]);
    const other = await server.app.http.inject({ method: "GET", url: `${pathname}?token=//evil.example`, headers });
    expect(other.headers.location).toBe("/unsubscribe#");
    expect(await unsubscribed()).toBeNull();
    expect(logged.join("\n")).not.toContain(search.slice(8, 60));
    // No other call takes a form.
    expect((await post(unsubscribeByLink.path)).statusCode).toBe(415);
  });
});
