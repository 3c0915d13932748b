import { sql } from "kysely";
import { WebhookSeal } from "../src/features/events/webhooks.repository.ts";
import type { Db } from "../src/platform/database/database.ts";
import { contactSeal, sealContact } from "../src/features/notifications/contact-secrets.ts";
import { type LinkAction, linksOf } from "../src/features/notifications/message-links.ts";
import type { Fixtures } from "./fixtures.ts";
import { TEST_NOW, testSettings } from "./test-app.ts";

/** What the partner `owner` or `stranger` has, and what belongs to Super Admins only. */
export const notificationIds = {
  contactPoint: { own: 911, foreign: 912 },
  /** A subscription of `owner`, and one of `stranger`. */
  subscription: { own: 921, foreign: 922 },
  mute: { own: 931, foreign: 932 },
  /** Messages to the contact points that were given up. */
  delivery: { own: "0b000000-0000-4000-8000-000000000001", foreign: "0b000000-0000-4000-8000-000000000002" },
  rule: 941,
  team: 951,
  rota: 961,
  webhook: 971,
  eventDelivery: "972",
} as const;

/** What was told to a Super Admin: it names no tenant, because whoever has its links is told what they are about. */
const linked = { contactPoint: 913, delivery: "0b000000-0000-4000-8000-000000000003", alert: "930001" } as const;

/** What follows the `#` of a link of that message. */
export function messageTokenOf(action: LinkAction): string {
  const links = linksOf(testSettings, linked.delivery, linked.contactPoint, TEST_NOW);
  const url = action === "ACKNOWLEDGE" ? links.acknowledgeUrl : links.unsubscribeUrl;
  return url?.split("#")[1] ?? "";
}

const AT = new Date("2026-06-01T00:00:00Z");
/** Never called: it is an address of the own machine, which webhooks may not have. */
const URL_OF_NOBODY = "http://127.0.0.1:9/";
/** The secret of each webhook. */
export const SEEDED_SIGNING_SECRET = `whsec_${"c2VlZGVk".repeat(4)}`;

/** These rows, as if nobody had ever changed them. A new id follows them. */
export async function seedNotifications(db: Db, secretKey: string, fixtures: Fixtures): Promise<void> {
  await deleteNotifications(db);
  const { userIds, ownSiteId, foreignSiteId, ownRobot, foreignRobot } = fixtures;
  const sealed = contactSeal({ secretKey });
  const contactPoint = (id: number, name: string, site_id: number) => ({
    id,
    name,
    owner_kind: "SITE" as const,
    site_id,
    site_role: "CARETAKER" as const,
    channel: "WEBHOOK" as const,
    address: "127.0.0.1:9",
    secret: sealContact(sealed, id, { url: URL_OF_NOBODY, signing_secret: SEEDED_SIGNING_SECRET }),
    timezone: "Asia/Kolkata",
    created_at: AT,
  });
  await db
    .insertInto("contact_points")
    .values([
      contactPoint(notificationIds.contactPoint.own, "Ownfield desk", ownSiteId),
      contactPoint(notificationIds.contactPoint.foreign, "Farfield desk", foreignSiteId),
    ])
    .execute();
  const delivery = (whose: "own" | "foreign", name: string) => ({
    id: notificationIds.delivery[whose],
    message_kind: "ALERTS" as const,
    contact_point_id: notificationIds.contactPoint[whose],
    channel: "WEBHOOK" as const,
    contact_point_name: name,
    told: name,
    address: "127.0.0.1:9",
    title: name,
    status: "FAILED" as const,
    created_at: AT,
    settled_at: AT,
  });
  await db
    .insertInto("deliveries")
    .values([delivery("own", "Ownfield desk"), delivery("foreign", "Farfield desk")])
    .execute();
  await seedLinked(db, userIds.admin);
  const rule = (id: number, name: string, user_id: number | null) => ({
    id,
    name,
    user_id,
    enabled: true,
    filter: JSON.stringify({ kinds: [], severities: ["CRITICAL"], site_ids: [], states: [], partner_ids: [] }),
    wait_seconds: 60,
    repeat_minutes: null,
    tells_cleared: true,
    steps: JSON.stringify([{ after_minutes: 0, to: [{ kind: "PERSON", id: user_id ?? userIds.admin }] }]),
    created_at: AT,
  });
  await db
    .insertInto("notification_rules")
    .values([
      rule(notificationIds.rule, "Critical at night", null),
      rule(notificationIds.subscription.own, "Ownfield, critical", userIds.owner),
      rule(notificationIds.subscription.foreign, "Farfield, critical", userIds.stranger),
    ])
    .execute();
  const mute = (id: number, site_id: number, robot_id: number, user_id: number) => ({
    id,
    site_id,
    robot_id,
    until: new Date("2099-01-31T06:30:00Z"),
    reason: "Brush change",
    user_id,
    muted_by: "Anita Rao",
    muted_at: AT,
  });
  await db
    .insertInto("mutes")
    .values([
      mute(notificationIds.mute.own, ownSiteId, ownRobot.id, userIds.admin),
      mute(notificationIds.mute.foreign, foreignSiteId, foreignRobot.id, userIds.admin),
    ])
    .execute();
  await db.insertInto("teams").values({ id: notificationIds.team, name: "Night watch", created_at: AT }).execute();
  await db.insertInto("team_members").values({ team_id: notificationIds.team, user_id: userIds.admin }).execute();
  const times = { timezone: "Asia/Kolkata", starts_on: "2026-06-01", handover_at: "08:00", weeks: 1 };
  await db
    .insertInto("rotas")
    .values({ id: notificationIds.rota, name: "On duty", ...times, created_at: AT })
    .execute();
  const hook = { url: URL_OF_NOBODY, signing_secret: SEEDED_SIGNING_SECRET };
  const secret = new WebhookSeal({ secretKey }).seal(notificationIds.webhook, hook);
  const { webhook } = notificationIds;
  await db
    .insertInto("webhooks")
    .values({ id: webhook, name: "Ticket system", host: "127.0.0.1:9", secret, enabled: true, created_at: AT })
    .execute();
  await sql`
    with made as (insert into events (event_type, at, data) values ('robot.online', ${AT}, '{}') returning id)
    insert into event_deliveries (id, event_id, webhook_id, lane, status, settled_at) overriding system value
    select ${notificationIds.eventDelivery}::bigint, id, ${webhook}, 1, 'FAILED', ${AT} from made`.execute(db);
  const member = { rota_id: notificationIds.rota, position: 0, user_id: userIds.admin };
  await db.insertInto("rota_members").values(member).execute();
}

async function seedLinked(db: Db, userId: number): Promise<void> {
  const shown = { channel: "EMAIL" as const, address: "duty@suncrew.example" };
  const of = { owner_kind: "PERSON" as const, user_id: userId, timezone: "Asia/Kolkata", created_at: AT };
  await db
    .insertInto("contact_points")
    .values({ id: linked.contactPoint, name: "Duty mail", ...shown, ...of })
    .execute();
  await sql`
    insert into alerts (id, source, code, severity, text, raised_at) overriding system value
    values (${linked.alert}::bigint, 'SERVER', 'SERVER_CLOCK', 'WARNING', 'A clock is wrong.', ${AT})`.execute(db);
  const told = { contact_point_id: linked.contactPoint, contact_point_name: "Duty mail", told: "On duty", ...shown };
  const sent = { message_kind: "ALERTS" as const, title: "A clock is wrong", status: "SENT" as const };
  await db
    .insertInto("deliveries")
    .values({ id: linked.delivery, ...told, ...sent, created_at: AT, settled_at: AT })
    .execute();
  await sql`
    insert into delivery_alerts (delivery_id, alert_id) values (${linked.delivery}, ${linked.alert}::bigint)`.execute(
    db,
  );
}

async function deleteNotifications(db: Db): Promise<void> {
  await db.deleteFrom("alert_notices").execute();
  await db.deleteFrom("deliveries").execute();
  await sql`delete from alerts where id = ${linked.alert}::bigint`.execute(db);
  await db.deleteFrom("notification_rules").execute();
  await db.deleteFrom("report_deliveries").execute();
  await db.deleteFrom("contact_points").execute();
  await db.deleteFrom("mutes").execute();
  await db.deleteFrom("team_members").execute();
  await db.deleteFrom("teams").execute();
  await db.deleteFrom("rota_members").execute();
  await db.deleteFrom("rotas").execute();
  await db.deleteFrom("event_deliveries").execute();
  await db.deleteFrom("events").execute();
  await db.deleteFrom("webhooks").execute();
}
