import type {
  ChannelKind,
  ContactOwnerKind,
  ContactPoint,
  QuietTimes,
  SiteRole,
} from "@suncrew/contract/notifications/contact-points.ts";
import type { MessageKind } from "@suncrew/contract/notifications/deliveries.ts";
import type { AlertKind } from "@suncrew/contract/notifications/notification-rules.ts";
import {
  type Icon,
  IconBrandSlack,
  IconBrandTeams,
  IconBrandTelegram,
  IconBrandWhatsapp,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleOff,
  IconMail,
  IconMailOff,
  IconWebhook,
} from "@tabler/icons-react";
import type { Look } from "../../ui/look.ts";
import { statusLooks } from "../../ui/status-looks.ts";

export const channelLook: Record<ChannelKind, { readonly label: string; readonly icon: Icon }> = {
  EMAIL: { label: "Email", icon: IconMail },
  SLACK: { label: "Slack", icon: IconBrandSlack },
  TEAMS: { label: "Microsoft Teams", icon: IconBrandTeams },
  TELEGRAM: { label: "Telegram", icon: IconBrandTelegram },
  WHATSAPP: { label: "WhatsApp", icon: IconBrandWhatsapp },
  WEBHOOK: { label: "Webhook", icon: IconWebhook },
};

/** In the order in which they are offered. */
export const CHANNELS: readonly ChannelKind[] = ["EMAIL", "SLACK", "TEAMS", "TELEGRAM", "WHATSAPP", "WEBHOOK"];

/** As a rule's sentence names them: "lost while moving, site dark". */
export const alertKindWord: Record<AlertKind, string> = {
  LOST_WHILE_MOVING: "Lost while moving",
  STUCK: "Robot stuck",
  ROBOT_FAULT: "Robot fault",
  RUN_FAILED: "Run failed",
  RUN_MISSED: "Run missed",
  RUN_SKIPPED: "Run skipped",
  LOW_BATTERY: "Low battery",
  OFFLINE_TOO_LONG: "Offline too long",
  SITE_DARK: "Site dark",
  SITE_SOILED: "Site soiled",
  WEATHER: "Weather limit or sensor",
  COMMAND_UNCONFIRMED: "Command unconfirmed",
  ROLLOUT_PAUSED: "Rollout paused",
  AUDIT_CHAIN: "Audit chain broken",
  REPORT: "Monthly report",
  STORAGE: "Disk and backup",
  SIGN_IN: "Sign-in locked",
  CHANNEL: "Contact point or webhook failing",
  SERVER: "Server clock",
};

interface AlertKindGroup {
  readonly label: string;
  readonly kinds: readonly AlertKind[];
  /** Alerts of no site: nobody else is told of them. */
  readonly isForSuperAdmins?: boolean;
}

/** What belongs together when kinds are chosen. */
export const ALERT_KIND_GROUPS: readonly AlertKindGroup[] = [
  {
    label: "Robots",
    kinds: ["LOST_WHILE_MOVING", "STUCK", "ROBOT_FAULT", "LOW_BATTERY", "OFFLINE_TOO_LONG", "COMMAND_UNCONFIRMED"],
  },
  { label: "Cleaning", kinds: ["RUN_FAILED", "RUN_MISSED", "RUN_SKIPPED"] },
  { label: "Sites", kinds: ["SITE_DARK", "SITE_SOILED", "WEATHER", "REPORT"] },
  {
    label: "Suncrew itself",
    kinds: ["ROLLOUT_PAUSED", "AUDIT_CHAIN", "STORAGE", "SIGN_IN", "CHANNEL", "SERVER"],
    isForSuperAdmins: true,
  },
];

export const messageKindWord: Record<MessageKind, string> = {
  ALERTS: "Alerts",
  CLEARED: "All-clear",
  TEST: "Test",
  DIGEST: "Daily digest",
  SUMMARY: "Morning summary",
};

export type ContactState = "works" | "unused" | "fails" | "disabled" | "unsubscribed";

export const contactStateLook: Record<ContactState, Look> = {
  works: { label: "Works", tone: "good", icon: IconCircleCheck },
  unused: { label: "Nothing sent yet", tone: "calm", icon: IconCircleDashed },
  fails: { ...statusLooks.critical, label: "Fails" },
  disabled: { label: "Disabled", tone: "off", icon: IconCircleOff },
  unsubscribed: { label: "Unsubscribed", tone: "fair", icon: IconMailOff },
};

/** What counts first: nobody expects a message where none is to be sent. */
export function contactStateOf(
  point: Pick<ContactPoint, "enabled" | "unsubscribed_at" | "failure" | "last_sent_at">,
): ContactState {
  if (point.unsubscribed_at !== null) return "unsubscribed";
  if (!point.enabled) return "disabled";
  if (point.failure !== null) return "fails";
  return point.last_sent_at === null ? "unused" : "works";
}

/** The days of the week, Monday (1) first. */
export const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const;

const list = new Intl.ListFormat("en-GB", { type: "conjunction" });

/** "Saturday and Sunday". */
export function dayNames(days: readonly number[]): string {
  return list.format(
    WEEKDAYS.filter((_, index) => days.includes(index + 1)).map((day) => (days.length > 2 ? day.slice(0, 3) : day)),
  );
}

/** When a contact point gets nothing, such as "Quiet 22:00–06:00, Sundays off, Critical at any time". */
export function quietText(times: Omit<QuietTimes, "timezone">): string {
  const { quiet_from: from, quiet_to: to, days_off: days } = times;
  const hours = from === null || to === null ? [] : [`quiet ${from}–${to}`];
  const off =
    days.length === 0
      ? []
      : days.length < 3
        ? [`${list.format(WEEKDAYS.filter((_, index) => days.includes(index + 1)).map((day) => `${day}s`))} off`]
        : [`${dayNames(days)} off`];
  const quiet = [...hours, ...off];
  if (quiet.length === 0) return "At any time";
  const text = [...quiet, ...(times.critical_pierces ? ["Critical at any time"] : [])].join(", ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Whose a contact point is, in a word; of a site by its role. */
export const ownerKindWord: Record<ContactOwnerKind, string> = {
  PERSON: "Person",
  TEAM: "Team",
  PARTNER: "Partner",
  SITE: "Site",
};

export const siteRoleWord: Record<SiteRole, string> = { OWNER: "Owner", CARETAKER: "Caretaker" };

/** "Person", "Site", or of a site's contact "Owner of the site". */
export function ownerText({ kind, role }: Pick<ContactPoint["owner"], "kind" | "role">): string {
  return role === null ? ownerKindWord[kind] : siteRoleWord[role];
}
