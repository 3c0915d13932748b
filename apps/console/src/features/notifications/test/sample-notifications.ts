import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import {
  channelKindSchema,
  type ContactPoint,
  type notificationOptions,
} from "@suncrew/contract/notifications/contact-points.ts";
import type { NotificationRule, Rota, Team } from "@suncrew/contract/notifications/notification-rules.ts";

/** The email address of whoever is signed in, at any time. */
export function contactPoint(change: Partial<ContactPoint> = {}): ContactPoint {
  return {
    id: 1,
    name: "Work mail",
    owner: { kind: "PERSON", id: 1, name: "Asha Rathore", role: null },
    channel: "EMAIL",
    address: "asha@example.com",
    whatsapp: null,
    timezone: "Asia/Kolkata",
    quiet_from: null,
    quiet_to: null,
    days_off: [],
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
    ...change,
  };
}

const agoOf = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

/** One in each state, of each kind of owner and on each channel. */
export function contactPointsOfEachKind(): ContactPoint[] {
  return [
    contactPoint({ last_sent_at: agoOf(12), digest_at: "07:00" }),
    contactPoint({
      id: 2,
      name: "Phone",
      channel: "TELEGRAM",
      address: "@asha_rathore",
      quiet_from: "22:00",
      quiet_to: "06:00",
      days_off: [7],
      failure: {
        at: agoOf(4),
        reason: "Telegram refused it: the bot was blocked by the user.",
        reason_code: "REFUSED",
      },
    }),
    contactPoint({
      id: 3,
      name: "Night watch",
      owner: { kind: "TEAM", id: 4, name: "Night watch", role: null },
      channel: "SLACK",
      address: "hooks.slack.com",
      enabled: false,
    }),
    contactPoint({
      id: 4,
      name: "Pager",
      owner: { kind: "PARTNER", id: 2, name: "SunCare Services", role: null },
      channel: "WEBHOOK",
      address: "events.pagerduty.com",
      timezone: "Europe/Berlin",
      quiet_from: "20:00",
      quiet_to: "07:30",
      days_off: [6, 7],
      critical_pierces: false,
    }),
    contactPoint({
      id: 5,
      name: "Owner",
      owner: { kind: "SITE", id: 1, name: "Bhadla Solar Park", role: "OWNER" },
      channel: "WHATSAPP",
      address: "+919829041276",
      whatsapp: { phone_number_id: "106540352242922", template: "suncrew_alert", template_language: "en" },
      unsubscribed_at: agoOf(3 * 1440),
      enabled: false,
      summary_at: "06:30",
    }),
    contactPoint({
      id: 6,
      name: "Caretaker's office",
      owner: { kind: "SITE", id: 1, name: "Bhadla Solar Park", role: "CARETAKER" },
      channel: "TEAMS",
      address: "prod-12.centralindia.logic.azure.com",
      last_sent_at: agoOf(500),
    }),
  ];
}

const names = ["Asha Rathore", "Ravi Kumar", "Meera Iyer"];
const members = names.map((name, nth) => ({ user_id: nth + 1, name }));

/** Three people, of whom the first has contact points. */
export const sampleOptions: ResponseOf<typeof notificationOptions> = {
  channels: channelKindSchema.options.map((channel) => ({ channel, available: true })),
  people: names.map((name, nth) => ({
    id: nth + 1,
    name,
    role: "SUPER_ADMIN",
    partner_name: null,
    contact_points: nth === 0 ? 2 : 0,
  })),
};

export const sampleTeam: Team = { id: 4, name: "Night watch", members, version: 1 };

/** Whose first turn began yesterday. */
export const sampleOnCall: Rota = {
  id: 5,
  name: "On call",
  timezone: "Asia/Kolkata",
  starts_on: agoOf(1440).slice(0, 10),
  handover_at: "09:00",
  weeks: 1,
  members,
  on_duty: null,
  version: 1,
};

/** Three steps, of which the last reaches nobody. */
export function ruleWith(change: Partial<NotificationRule>): NotificationRule {
  return {
    id: 1,
    name: "Critical at night",
    filter: {
      kinds: ["LOST_WHILE_MOVING", "SITE_DARK"],
      severities: ["CRITICAL", "WARNING"],
      site_ids: [1],
      states: ["Gujarat"],
      partner_ids: [],
    },
    enabled: true,
    wait_seconds: 60,
    repeat_minutes: 30,
    tells_cleared: true,
    steps: [
      {
        after_minutes: 0,
        to: [
          { kind: "PERSON", id: 1 },
          { kind: "TEAM", id: 4 },
        ],
      },
      { after_minutes: 10, to: [{ kind: "ROTA", id: 5 }] },
      { after_minutes: 30, to: [{ kind: "PERSON", id: 3 }] },
    ],
    target_names: [["Asha Rathore", "Night watch"], ["On call"], ["Meera Iyer"]],
    version: 1,
    ...change,
  };
}
