import { shownAddress } from "@suncrew/domain/notifications/destination.ts";
import { localTimeOf } from "@suncrew/domain/schedules/site-time.ts";
import { z } from "zod";
import { WebhookSeal, WebhooksService } from "../features/events/public.ts";
import {
  ContactPoints,
  contactSeal,
  NotificationRules,
  openContact,
  sealContact,
  Teams,
} from "../features/notifications/public.ts";
import type { Clock } from "../platform/clock.ts";
import type { Db } from "../platform/database/database.ts";
import type { Settings } from "../platform/dependencies.ts";
import { OutgoingHttp } from "../platform/outgoing-http.ts";
import type { Viewer } from "../platform/sessions.ts";
import { demoParks, demoPartners, demoSignInPartner } from "./demo-parks.ts";
import type { FakeServices } from "./fake-services.ts";

/** Row that keeps the ports of the demo's mailbox; a demo without it has not got its contact points yet. */
const MAILBOX_MARK = "demo_mailbox";
const portsSchema = z.object({ port: z.int(), smtpPort: z.int() });
type Ports = z.output<typeof portsSchema>;

export const DEMO_CHAT = "-1001234567890";
export const DEMO_PHONE = "+919829041276";
const DEMO_TIMEZONE = "Asia/Kolkata";
const DAY_MS = 86_400_000;

interface SeedDependencies {
  readonly db: Db;
  readonly clock: Clock;
  readonly settings: Pick<Settings, "secretKey">;
}

export async function readPorts(db: Db): Promise<Ports | null> {
  const row = await db.selectFrom("installation").select("value").where("key", "=", MAILBOX_MARK).executeTakeFirst();
  return row === undefined ? null : portsSchema.parse(JSON.parse(row.value));
}

export async function storePorts(db: Db, ports: Ports): Promise<void> {
  const value = JSON.stringify(ports);
  await db
    .insertInto("installation")
    .values({ key: MAILBOX_MARK, value })
    .onConflict((conflict) => conflict.column("key").doUpdateSet({ value }))
    .execute();
}

/** Contact points and webhooks at the mailbox's former port get the new one; their addresses are sealed. */
export async function moveAddresses(
  { db, settings }: Pick<SeedDependencies, "db" | "settings">,
  from: number,
  to: number,
): Promise<void> {
  const former = `http://127.0.0.1:${from}/`;
  const moved = (url: string) => `http://127.0.0.1:${to}/${url.slice(former.length)}`;
  const sealed = contactSeal(settings);
  const rows = await db
    .selectFrom("contact_points")
    .select(["id", "channel", "secret"])
    .where("secret", "is not", null)
    .execute();
  for (const row of rows) {
    const secrets = openContact(sealed, row);
    if (secrets?.url?.startsWith(former) !== true) continue;
    const url = moved(secrets.url);
    const address = shownAddress(row.channel, { url }) ?? "";
    const secret = sealContact(sealed, row.id, { ...secrets, url });
    await db.updateTable("contact_points").set({ address, secret }).where("id", "=", row.id).execute();
  }
  const seal = new WebhookSeal(settings);
  const webhooks = await db.selectFrom("webhooks").select(["id", "secret"]).where("deleted_at", "is", null).execute();
  for (const row of webhooks) {
    const secrets = seal.open(row);
    if (secrets?.url.startsWith(former) !== true) continue;
    const url = moved(secrets.url);
    const host = shownAddress("WEBHOOK", { url }) ?? "";
    const secret = seal.seal(row.id, { ...secrets, url });
    await db.updateTable("webhooks").set({ host, secret }).where("id", "=", row.id).execute();
  }
}

/** Contact points, a team, a rota, rules and a webhook as people would enter them, unless somebody has entered some already. */
export async function seedNotifications(deps: SeedDependencies, urls: FakeServices["urls"]): Promise<void> {
  const { db, clock } = deps;
  if ((await db.selectFrom("contact_points").select("id").limit(1).executeTakeFirst()) !== undefined) return;
  const users = await readUsers(db);
  const admin = users.find(({ role }) => role === "SUPER_ADMIN");
  if (admin === undefined) return;
  const partner = users.find(({ role }) => role === "PARTNER");
  const now = clock.now();
  const contacts = new ContactPoints(deps);
  const [rules, teams] = [new NotificationRules(deps), new Teams(deps)];

  const reached = {
    timezone: DEMO_TIMEZONE,
    quiet_from: null,
    quiet_to: null,
    days_off: [],
    critical_pierces: true,
    enabled: true,
  };
  const asleep = { ...reached, quiet_from: "22:00", quiet_to: "06:00" };
  await contacts.create(admin, {
    ...reached,
    owner: { kind: "PERSON", id: admin.userId },
    name: "Office mail",
    channel: "EMAIL",
    address: admin.email || "vikram.mehta@suncrew.example",
    digest_at: "18:00",
    summary_at: "06:30",
  });
  const token = "123456789:demo-bot-of-suncrew";
  await contacts.create(admin, {
    ...asleep,
    owner: { kind: "PERSON", id: admin.userId },
    name: "Telegram on the phone",
    channel: "TELEGRAM",
    address: DEMO_CHAT,
    token,
  });
  if (partner !== undefined) await addPartnersContacts(contacts, partner, { reached, asleep });
  await addSiteOwner(deps, contacts, admin, reached);

  const admins = users.filter(({ role }) => role === "SUPER_ADMIN").map(({ userId }) => userId);
  const { teamId } = await teams.createTeam(admin, { name: "Night watch", member_ids: [admin.userId] });
  const team = { kind: "TEAM", id: teamId } as const;
  await contacts.create(admin, {
    ...reached,
    owner: team,
    name: "#night-watch",
    channel: "SLACK",
    url: `${urls.slack}/night-watch`,
  });
  await contacts.create(admin, {
    ...reached,
    owner: team,
    name: "SMS gateway",
    channel: "WEBHOOK",
    url: `${urls.webhook}/sms-gateway`,
  });
  const { rotaId } = await teams.createRota(admin, {
    name: "On call",
    timezone: DEMO_TIMEZONE,
    starts_on: mondayBefore(now),
    handover_at: "08:00",
    weeks: 1,
    member_ids: admins.slice(0, 2),
  });

  await addWebhook(deps, admin, urls.events);

  const telling = { enabled: true, tells_cleared: true };
  const anywhere = { site_ids: [], states: [], partner_ids: [] };
  await rules.create(admin, {
    ...telling,
    name: "Robots in danger",
    filter: {
      ...anywhere,
      kinds: ["LOST_WHILE_MOVING", "STUCK", "ROBOT_FAULT", "COMMAND_UNCONFIRMED", "SITE_DARK"],
      severities: ["CRITICAL"],
    },
    wait_seconds: 2,
    repeat_minutes: 30,
    steps: [
      { after_minutes: 0, to: [{ kind: "PERSON", id: admin.userId }, team] },
      { after_minutes: 10, to: [{ kind: "ROTA", id: rotaId }] },
    ],
  });
  if (partner === undefined) return;
  await rules.create(admin, {
    ...telling,
    name: "Partner's sites",
    filter: { ...anywhere, kinds: [], severities: ["CRITICAL", "WARNING"] },
    wait_seconds: 10,
    repeat_minutes: null,
    steps: [{ after_minutes: 0, to: [{ kind: "PARTNER" }, { kind: "PERSON", id: partner.userId }] }],
  });
}

type Times = Pick<Parameters<ContactPoints["create"]>[1], "timezone" | "quiet_from" | "quiet_to" | "days_off"> &
  Pick<Parameters<ContactPoints["create"]>[1], "critical_pierces" | "enabled">;

async function addPartnersContacts(
  contacts: ContactPoints,
  partner: Viewer,
  { reached, asleep }: { readonly reached: Times; readonly asleep: Times },
): Promise<void> {
  const owner = { kind: "PERSON", id: partner.userId } as const;
  const address = partner.email || demoPartners.find(({ key }) => key === demoSignInPartner)?.email;
  await contacts.create(partner, { ...reached, owner, name: "Mail", channel: "EMAIL", address, summary_at: "07:00" });
  await contacts.create(partner, {
    ...asleep,
    owner,
    name: "WhatsApp",
    channel: "WHATSAPP",
    address: DEMO_PHONE,
    token: "demo-access-token",
    whatsapp: { phone_number_id: "106540352242922", template: "robot_alert", template_language: "en" },
  });
}

async function addSiteOwner({ db }: SeedDependencies, contacts: ContactPoints, admin: Viewer, reached: Times) {
  const site = await db
    .selectFrom("sites")
    .select("id")
    .where("deleted_at", "is", null)
    .orderBy("id")
    .executeTakeFirst();
  if (site === undefined) return;
  await contacts.create(admin, {
    ...reached,
    owner: { kind: "SITE", id: site.id, role: "OWNER" },
    name: "Owner's office",
    channel: "EMAIL",
    address: "reports@park-owner.example",
    language: "en",
    gets_reports: true,
  });
}

/** Told of the parks that every demo has: the thousands of robots of a large one would slow it down. */
async function addWebhook(deps: SeedDependencies, admin: Viewer, address: string): Promise<void> {
  const names = demoParks.map(({ name }) => name);
  const sites = await deps.db
    .selectFrom("sites")
    .select("id")
    .where("name", "in", names)
    .where("deleted_at", "is", null)
    .orderBy("id")
    .execute();
  await new WebhooksService(deps, new OutgoingHttp([])).create(admin, {
    name: "Control room",
    url: `${address}/control-room`,
    event_types: null,
    site_ids: sites.map(({ id }) => id),
    partner_ids: [],
    enabled: true,
  });
}

async function readUsers(db: Db): Promise<Viewer[]> {
  const rows = await db
    .selectFrom("users")
    .select(["id", "name", "email", "role", "partner_id"])
    .where("deleted_at", "is", null)
    .orderBy("id")
    .execute();
  return rows.map(({ id, name, email, role, partner_id }) => {
    return { userId: id, name, email, role, partnerId: partner_id, sessionId: "" };
  });
}

/** The last Monday in the demo's zone, so that somebody is on duty from the start. */
function mondayBefore(now: Date): string {
  const { date } = localTimeOf(now, DEMO_TIMEZONE);
  const today = Date.parse(`${date}T00:00:00Z`);
  const sinceMonday = (new Date(today).getUTCDay() + 6) % 7;
  // A week earlier: before Monday's handover nobody would be on duty.
  return new Date(today - (sinceMonday + 7) * DAY_MS).toISOString().slice(0, 10);
}
