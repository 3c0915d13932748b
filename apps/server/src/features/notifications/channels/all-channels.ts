import type { ChannelKind } from "@suncrew/contract/notifications/contact-points.ts";
import type { Dependencies, Settings } from "../../../platform/dependencies.ts";
import { OutgoingHttp } from "../../../platform/outgoing-http.ts";
import type { Channel } from "./channel.ts";
import { emailChannel } from "./email.ts";
import { slackChannel } from "./slack.ts";
import { teamsChannel } from "./teams.ts";
import { telegramChannel } from "./telegram.ts";
import { webhookChannel } from "./webhook.ts";
import { whatsappChannel } from "./whatsapp.ts";

const TELEGRAM_API_URL = "https://api.telegram.org";
const WHATSAPP_API_URL = "https://graph.facebook.com/v23.0";

type ChannelDependencies = Pick<Dependencies, "mailer" | "clock"> & {
  readonly settings: Pick<Settings, "outgoingPrivateAddresses" | "telegramApiUrl" | "whatsappApiUrl">;
  /** How long sending may take; what suits each channel by default. */
  readonly maxMs?: number;
};

/** The channels of this server by kind; without a mail server there is no EMAIL. */
export function channelsOf({ settings, mailer, clock, maxMs }: ChannelDependencies): ReadonlyMap<ChannelKind, Channel> {
  const limits = maxMs === undefined ? {} : { maxMs };
  const entered = new OutgoingHttp(settings.outgoingPrivateAddresses ?? [], limits);
  // Whoever runs the server has chosen these.
  const configured = new OutgoingHttp("every address", limits);
  const channels = [
    ...(mailer === undefined ? [] : [emailChannel(mailer, maxMs)]),
    slackChannel(entered, clock),
    teamsChannel(entered, clock),
    telegramChannel(configured, settings.telegramApiUrl ?? TELEGRAM_API_URL, clock),
    whatsappChannel(configured, settings.whatsappApiUrl ?? WHATSAPP_API_URL, clock),
    webhookChannel(entered, clock),
  ];
  return new Map(channels.map((channel) => [channel.channel, channel]));
}
