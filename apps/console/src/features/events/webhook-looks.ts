import type { EventType } from "@suncrew/contract/events/event-types.ts";
import type { Webhook } from "@suncrew/contract/events/webhook-endpoints.ts";
import { IconCircleCheck, IconCircleDashed, IconCircleOff } from "@tabler/icons-react";
import type { Look } from "../../ui/look.ts";
import { statusLooks } from "../../ui/status-looks.ts";

export type WebhookState = "works" | "unused" | "fails" | "disabled";

export const webhookStateLook: Record<WebhookState, Look> = {
  works: { label: "Works", tone: "good", icon: IconCircleCheck },
  unused: { label: "Nothing sent yet", tone: "calm", icon: IconCircleDashed },
  fails: { ...statusLooks.critical, label: "Fails" },
  disabled: { label: "Disabled", tone: "off", icon: IconCircleOff },
};

/** What counts first: nobody expects an event where none is sent. */
export function webhookStateOf(webhook: Pick<Webhook, "enabled" | "failing" | "last_sent_at">): WebhookState {
  if (!webhook.enabled) return "disabled";
  if (webhook.failing !== null) return "fails";
  return webhook.last_sent_at === null ? "unused" : "works";
}

/** What belongs together when events are chosen. */
export const EVENT_GROUPS: readonly { readonly label: string; readonly types: readonly EventType[] }[] = [
  { label: "Alerts", types: ["alert.raised", "alert.acknowledged", "alert.cleared"] },
  { label: "Cleaning", types: ["run.planned", "run.started", "run.ended", "run.skipped", "run.missed"] },
  { label: "Robots", types: ["robot.online", "robot.offline", "command.settled"] },
  { label: "Care", types: ["maintenance.on", "maintenance.off", "firmware.updated"] },
];
