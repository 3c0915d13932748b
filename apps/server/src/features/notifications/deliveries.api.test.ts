import { randomUUID } from "node:crypto";
import { deliveryDetails, deliveryList, resendDelivery } from "@suncrew/contract/notifications/deliveries.ts";
import type { QueryOf } from "@suncrew/contract/http/route.ts";
import { type Insertable, sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTestApp, TEST_NOW, type TestApp } from "../../../test/test-app.ts";
import type { TestClient } from "../../../test/test-client.ts";
import type { Tables } from "../../platform/database/tables.ts";

let server: TestApp;
let admin: TestClient;
let owner: TestClient;
let stranger: TestClient;
/** Contact points: the owner's own, of its partner, of its site; of another partner; of a Super Admin. */
let contacts: Record<"own" | "partner" | "site" | "foreign" | "admin", number>;

beforeEach(async () => {
  server = await createTestApp();
  [admin, owner, stranger] = await Promise.all([server.as("admin"), server.as("owner"), server.as("stranger")]);
  const { ownerPartnerId, strangerPartnerId, ownSiteId, userIds } = server.fixtures;
  const add = async (of: Partial<Insertable<Tables["contact_points"]>>) => {
    const { id } = await server.db
      .insertInto("contact_points")
      .values({
        name: "Phone",
        owner_kind: "PERSON",
        channel: "EMAIL",
        address: "a@sun.example",
        timezone: "Asia/Kolkata",
        created_at: TEST_NOW,
        ...of,
      })
      .returning("id")
      .executeTakeFirstOrThrow();
    return id;
  };
  contacts = {
    own: await add({ user_id: userIds.owner }),
    partner: await add({ owner_kind: "PARTNER", partner_id: ownerPartnerId }),
    site: await add({ owner_kind: "SITE", site_id: ownSiteId, site_role: "OWNER" }),
    foreign: await add({ owner_kind: "PARTNER", partner_id: strangerPartnerId }),
    admin: await add({ user_id: userIds.admin }),
  };
});
afterEach(() => server.close());

let minutes = 0;
/** A message of its own minute, named `title`. */
async function message(
  title: string,
  to: number,
  more: Partial<Insertable<Tables["deliveries"]>> & { readonly alerts?: readonly number[] } = {},
): Promise<string> {
  const { alerts = [], ...fields } = more;
  const id = randomUUID();
  minutes += 1;
  const status = fields.status ?? "FAILED";
  await server.db
    .insertInto("deliveries")
    .values({
      id,
      message_kind: "ALERTS",
      contact_point_id: to,
      contact_point_name: "Phone",
      channel: "EMAIL",
      told: "Somebody",
      address: "a@sun.example",
      title,
      created_at: new Date(TEST_NOW.getTime() + minutes * 60_000),
      ...(status === "WAITING" ? { due_at: TEST_NOW } : { settled_at: TEST_NOW }),
      ...fields,
      status,
    })
    .execute();
  for (const alert_id of alerts) {
    await server.db.insertInto("delivery_alerts").values({ delivery_id: id, alert_id }).execute();
  }
  return id;
}

async function alert(more: Partial<Insertable<Tables["alerts"]>> = {}): Promise<number> {
  const { id: robot_id, siteId: site_id } = server.fixtures.ownRobot;
  const { id } = await server.db
    .insertInto("alerts")
    .values({
      robot_id,
      site_id,
      source: "ROBOT",
      severity: "WARNING",
      code: "DUST",
      text: "Dusty.",
      raised_at: TEST_NOW,
      ...more,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

const titles = async (client: TestClient, query: QueryOf<typeof deliveryList> = {}) =>
  (await client.ask(deliveryList, { query })).deliveries.map(({ title }) => title);

describe("notifications: the log of messages", () => {
  test("is filtered by status, channel, kind, contact point, alert, site and time", async () => {
    const { ownSiteId, secondSiteId, foreignRobot, foreignSiteId } = server.fixtures;
    const dust = await alert();
    const far = await alert({ robot_id: foreignRobot.id, site_id: foreignSiteId });
    await message("of the dust", contacts.own, { alerts: [dust] });
    await message("by Slack", contacts.admin, { channel: "SLACK", status: "SENT", alerts: [far] });
    await message("digest", contacts.site, { message_kind: "DIGEST", status: "WAITING" });
    await message("dropped", contacts.foreign, { status: "DROPPED" });
    const all = ["dropped", "digest", "by Slack", "of the dust"];
    expect(await titles(admin)).toEqual(all);
    expect(await titles(admin, { status: "SENT" })).toEqual(["by Slack"]);
    expect(await titles(admin, { status: "WAITING" })).toEqual(["digest"]);
    expect(await titles(admin, { channel: "SLACK" })).toEqual(["by Slack"]);
    expect(await titles(admin, { message_kind: "DIGEST" })).toEqual(["digest"]);
    expect(await titles(admin, { contact_point_id: contacts.foreign })).toEqual(["dropped"]);
    expect(await titles(admin, { alert_id: String(dust) })).toEqual(["of the dust"]);
    // What told an alert of the site, and what went to its own contacts.
    expect(await titles(admin, { site_id: ownSiteId })).toEqual(["digest", "of the dust"]);
    expect(await titles(admin, { site_id: secondSiteId })).toEqual([]);
    expect(await titles(admin, { site_id: foreignSiteId, status: "SENT" })).toEqual(["by Slack"]);
    const { deliveries } = await admin.ask(deliveryList);
    const [first, last] = [deliveries.at(-1)?.created_at, deliveries[0]?.created_at];
    expect(await titles(admin, { from: last })).toEqual(["dropped"]);
    expect(await titles(admin, { to: first })).toEqual(["of the dust"]);
    expect(await titles(admin, { from: first, to: last })).toEqual(all);
    const backwards = await admin.call(deliveryList, { query: { from: last, to: first } });
    expect(backwards).toMatchObject({ status: 400, body: { code: "VALIDATION_FAILED" } });
  });

  test("is read page by page, each message once, also those of one moment and while others are added", async () => {
    const at = { created_at: TEST_NOW };
    for (let nth = 0; nth < 5; nth += 1) await message(`at once ${nth}`, contacts.own, at);
    await message("newest", contacts.own);
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < 10; pages += 1) {
      const page = await owner.ask(deliveryList, { query: { limit: 2, ...(cursor !== undefined && { cursor }) } });
      expect(page.total).toBe(6 + pages);
      seen.push(...page.deliveries.map(({ title }) => title));
      if (page.next_cursor === null) break;
      cursor = page.next_cursor;
      await message(`later ${pages}`, contacts.own);
    }
    expect(seen[0]).toBe("newest");
    expect(seen.slice(1).toSorted()).toEqual([0, 1, 2, 3, 4].map((nth) => `at once ${nth}`));
    const { status } = await owner.call(deliveryList, { query: { cursor: "1.nonsense" } });
    expect(status).toBe(400);
  });

  test("§6: a PARTNER's user sees what went to the own person, partner and sites, a SUPER_ADMIN all", async () => {
    await message("own", contacts.own);
    await message("partner's", contacts.partner);
    await message("site's", contacts.site);
    await message("other's", contacts.foreign);
    await message("admin's", contacts.admin);
    expect(await titles(owner)).toEqual(["site's", "partner's", "own"]);
    expect(await titles(stranger)).toEqual(["other's"]);
    expect(await titles(admin)).toHaveLength(5);
    const { ownSiteId } = server.fixtures;
    const dust = String(await alert());
    for (const query of [{ site_id: ownSiteId }, { alert_id: dust }, { contact_point_id: contacts.own }]) {
      expect(await owner.call(deliveryList, { query })).toMatchObject({ status: 200 });
      expect(await stranger.call(deliveryList, { query })).toMatchObject({ status: 404 });
    }
    // Whoever gets the site sees what went to its contacts, and whoever had it does not any more.
    await server.db
      .updateTable("sites")
      .set({ maintenance_partner_id: server.fixtures.strangerPartnerId })
      .where("id", "=", ownSiteId)
      .execute();
    expect(await titles(owner)).toEqual(["partner's", "own"]);
    expect(await titles(stranger)).toEqual(["other's", "site's"]);
  });
});

describe("notifications: one message", () => {
  const details = (client: TestClient, deliveryId: string) => client.call(deliveryDetails, { params: { deliveryId } });

  test("tells how each try ended and what it told, the worst first, as far as the viewer may see it", async () => {
    const { ownSiteId, ownRobot, foreignRobot, foreignSiteId } = server.fixtures;
    const dust = await alert();
    const dark = await alert({
      robot_id: null,
      source: "SERVER",
      severity: "CRITICAL",
      code: "SITE_DARK",
      text: "All is dark.",
    });
    const far = await alert({ robot_id: foreignRobot.id, site_id: foreignSiteId });
    const servers = await alert({ robot_id: null, site_id: null, source: "SERVER", severity: "INFO" });
    const tries = [
      { attempt: 1, at: TEST_NOW.toISOString(), reason: "Busy.", reason_code: "SERVICE_BUSY" },
      { attempt: 3, at: TEST_NOW.toISOString(), reason: null, reason_code: null },
    ];
    const id = await message("Dusty", contacts.site, {
      status: "SENT",
      attempts: 3,
      reference: "m-1",
      tries: JSON.stringify(tries),
      held_until: TEST_NOW,
      alerts: [dust, dark, far, servers],
    });
    const { status, body } = await details(owner, id);
    expect(status).toBe(200);
    expect(body).toMatchObject({ title: "Dusty", reference: "m-1", tries, held_until: TEST_NOW.toISOString() });
    expect(body).toMatchObject({
      alerts: [
        { id: String(dark), text: "All is dark.", site_id: ownSiteId, serial_number: null },
        { id: String(dust), site_id: ownSiteId, serial_number: ownRobot.serial },
      ],
      alerts_total: 2,
    });
    const all = await admin.ask(deliveryDetails, { params: { deliveryId: id } });
    expect(all.alerts.map((one) => one.id)).toEqual([dark, dust, far, servers].map(String));
    expect(all.alerts_total).toBe(4);
  });

  test("is not found for whoever may not know of it", async () => {
    const id = await message("Dusty", contacts.own, {});
    expect(await details(owner, id)).toMatchObject({ status: 200, body: { tries: [], alerts: [], alerts_total: 0 } });
    expect(await details(stranger, id)).toMatchObject({ status: 404 });
    expect(await details(admin, randomUUID())).toMatchObject({ status: 404 });
  });
});

describe("notifications: sending a message again", () => {
  const resend = (client: TestClient, deliveryId: string) => client.call(resendDelivery, { params: { deliveryId } });
  const rows = () => server.db.selectFrom("deliveries").selectAll().orderBy("created_at").execute();
  const audits = () =>
    server.db
      .selectFrom("audit")
      .select(["actor", "action", "entity", "entity_id", "site_id", "outcome", "after"])
      .where("action", "=", "RESEND_MESSAGE")
      .orderBy("id")
      .execute();

  /** TEST_NOW is 12:00 there: what is queued stays as it is, instead of being sent meanwhile. */
  const beQuiet = () =>
    server.db
      .updateTable("contact_points")
      .set({ quiet_from: "11:00", quiet_to: "13:00" })
      .where("id", "=", contacts.site)
      .execute();

  test.each(["FAILED", "DROPPED"] as const)("makes a new one of what was %s, on record", async (status) => {
    await beQuiet();
    const dust = await alert();
    // As it is worded anew, whether that has happened yet or not.
    const title = "Warning: Robot OWN-1 at Ownfield Park: Dusty";
    const id = await message(title, contacts.site, { status, alerts: [dust], created_at: new Date(0) });
    const { deliveryId } = await owner.ask(resendDelivery, { params: { deliveryId: id } });
    expect(deliveryId).not.toBe(id);
    expect(await rows()).toMatchObject([
      { id, status },
      { id: deliveryId, title, contact_point_id: contacts.site, created_at: server.clock.now() },
    ]);
    expect(await titles(owner, { alert_id: String(dust) })).toEqual([title, title]);
    expect(await audits()).toMatchObject([
      {
        actor: "Omkar Jain",
        entity: "delivery",
        entity_id: id,
        site_id: server.fixtures.ownSiteId,
        outcome: "DONE",
        after: { title, sent_again_as: deliveryId },
      },
    ]);
  });

  test("pressed twice at the same moment makes one, and another once that has gone out or tells less", async () => {
    const [dust, fire] = [await alert(), await alert({ code: "FIRE" })];
    const id = await message("Dusty", contacts.site, { alerts: [dust, fire] });
    const content = { raised: 1, cleared: 0, done: 3, failed: 0, open: [], open_count: 0 };
    const daily = await message("Digest", contacts.site, { message_kind: "DIGEST", content });
    await beQuiet();
    for (const each of [id, daily]) {
      const presses = await Promise.all([owner, admin, owner, admin].map((client) => resend(client, each)));
      expect(presses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409]);
      const refused = { status: 409, body: { code: "DELIVERY_NOT_GIVEN_UP" } };
      expect(presses.filter(({ status }) => status === 409)).toMatchObject([refused, refused, refused]);
    }
    const copies = await server.db.selectFrom("deliveries").select("id").where("status", "=", "WAITING").execute();
    expect(copies).toHaveLength(2);
    // What waits does not tell all of it any more.
    await sql`delete from delivery_alerts where alert_id = ${dust}::bigint and delivery_id <> ${id}`.execute(server.db);
    expect(await resend(owner, id)).toMatchObject({ status: 200 });
    await server.db
      .updateTable("deliveries")
      .set({ status: "SENT", due_at: null, settled_at: TEST_NOW })
      .where("status", "=", "WAITING")
      .execute();
    expect(await resend(owner, daily)).toMatchObject({ status: 200 });
  });

  test.each(["SENT", "WAITING"] as const)("is refused for what is %s", async (status) => {
    const dueAt = new Date(TEST_NOW.getTime() + 3_600_000);
    const waits = status === "WAITING" ? { due_at: dueAt } : {};
    const id = await message("Dusty", contacts.own, { status, ...waits });
    expect(await resend(owner, id)).toMatchObject({ status: 409, body: { code: "DELIVERY_NOT_GIVEN_UP" } });
    expect(await rows()).toHaveLength(1);
    expect(await audits()).toMatchObject([{ outcome: "REFUSED" }]);
  });

  test("is refused once everything it told is over, or what is open of it acknowledged", async () => {
    const [over, open] = [await alert({ code: "OVER", cleared_at: TEST_NOW }), await alert()];
    const both = await message("Both", contacts.own, { alerts: [over, open] });
    const ended = await message("Ended", contacts.own, { alerts: [over] });
    const cleared = { code: "ALERT_CLEARED", message: expect.stringContaining("is over") as string };
    expect(await resend(owner, ended)).toMatchObject({ status: 409, body: cleared });
    expect(await resend(owner, both)).toMatchObject({ status: 200 });
    const isOpen = sql<boolean>`id = ${open}::bigint`;
    await server.db
      .updateTable("alerts")
      .set({ acknowledged_at: TEST_NOW, acknowledged_by: "Anita Rao" })
      .where(isOpen)
      .execute();
    expect(await resend(owner, both)).toMatchObject({ status: 409, body: { code: "ALERT_ACKNOWLEDGED" } });
    await server.db.updateTable("alerts").set({ cleared_at: TEST_NOW }).where(isOpen).execute();
    expect(await resend(owner, both)).toMatchObject({ status: 409, body: cleared });
    // That it is over can be told again.
    const allClear = await message("All clear", contacts.own, { message_kind: "CLEARED", alerts: [over] });
    expect(await resend(owner, allClear)).toMatchObject({ status: 200 });
  });

  test("is refused once its contact point is off or deleted, or its recipient unsubscribed", async () => {
    const id = await message("Dusty", contacts.own);
    for (const off of [{ enabled: false }, { unsubscribed_at: TEST_NOW }, { deleted_at: TEST_NOW }]) {
      const on = { enabled: true, unsubscribed_at: null, deleted_at: null };
      await server.db
        .updateTable("contact_points")
        .set({ ...on, ...off })
        .where("id", "=", contacts.own)
        .execute();
      expect(await resend(owner, id)).toMatchObject({ status: 409, body: { code: "CONTACT_POINT_OFF" } });
    }
    expect(await rows()).toHaveLength(1);
  });

  test("§6: what went to others does not exist, and nobody sends without signing in", async () => {
    const ids = [await message("other's", contacts.foreign), await message("admin's", contacts.admin), randomUUID()];
    for (const id of ids) expect(await resend(owner, id)).toMatchObject({ status: 404 });
    const own = await message("own", contacts.own);
    expect(await resend(stranger, own)).toMatchObject({ status: 404 });
    expect(await resend(await server.as(null), own)).toMatchObject({ status: 401 });
    expect(await rows()).toHaveLength(3);
    expect(await resend(admin, own)).toMatchObject({ status: 200 });
  });
});
