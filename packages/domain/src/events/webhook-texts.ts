import type { CommandVerb } from "@suncrew/contract/devices/messages.ts";
import type { CommandOutcome } from "@suncrew/contract/events/event-types.ts";
import { textsOf } from "@suncrew/contract/http/coded-text.ts";
import { outcomeText } from "../texts/outcome-texts.ts";

/** Why an event was not sent to a webhook, where that is no answer of the webhook. A code keeps its parameters. */
export const webhookTexts = textsOf({
  WEBHOOK_DISABLED: ({ by }: { readonly by: string }) => `${by} disabled the webhook before this was sent.`,
  WEBHOOK_DELETED: ({ by }: { readonly by: string }) => `${by} deleted the webhook before this was sent.`,
  WEBHOOK_SAID_GONE: () => "The webhook answered that it is gone (status 410), so Suncrew disabled it.",
  EVENT_NOT_WRITTEN: () => "Suncrew could not write the event down; its log says why.",
  RESTORED: () => "Suncrew was restored from a backup before this was sent, or it was sent and nobody knows.",
});

const shown: Readonly<Record<CommandVerb, string>> = {
  START: "is cleaning",
  STOP: "has stopped",
  SET: "uses the settings",
  MAINTENANCE_ON: "is locked",
  MAINTENANCE_OFF: "is released",
};

/** What became of a command, in a sentence. `ackCode` is why the robot rejected it. */
export function settledText(
  verb: CommandVerb,
  outcome: CommandOutcome,
  serial: string,
  ackCode: string | null,
): string {
  switch (outcome) {
    case "CONFIRMED":
      return `Robot ${serial} showed that it ${shown[verb]}.`;
    case "REJECTED":
      return outcomeText("ROBOT_REFUSED", { serial, code: ackCode }).text;
    case "UNCONFIRMED":
      return `Robot ${serial} did not confirm it in time.`;
    case "NEVER_SENT":
      return `It was not sent to Robot ${serial} in time.`;
  }
}
