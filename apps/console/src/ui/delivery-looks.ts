import { IconCircleCheck, IconCircleOff, IconClockHour4 } from "@tabler/icons-react";
import type { Look } from "./look.ts";
import { statusLooks } from "./status-looks.ts";

/** What became of a message, report or event at one address, wherever it is shown. */
export const deliveryLook = {
  WAITING: { label: "Waiting", tone: "calm", icon: IconClockHour4 },
  SENT: { label: "Sent", tone: "good", icon: IconCircleCheck },
  FAILED: { ...statusLooks.critical, label: "Given up" },
  DROPPED: { label: "Not needed", tone: "off", icon: IconCircleOff },
} as const satisfies Readonly<Record<string, Look>>;

/** What a channel's service says of a message that was sent: only some know that it arrived. */
export const sentText = {
  EMAIL: "accepted by the mail server",
  SLACK: "delivered to Slack",
  TEAMS: "accepted by Microsoft Teams",
  TELEGRAM: "delivered to the chat",
  WHATSAPP: "accepted by WhatsApp",
  WEBHOOK: "delivered to the receiver",
} as const;

/** As a sentence of its own, such as "Accepted by WhatsApp." */
export function sentSentence(channel: keyof typeof sentText): string {
  const text = sentText[channel];
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
