import { textsOf } from "@suncrew/contract/http/coded-text.ts";

type Service = { readonly service: string };
type Answered = Service & { readonly status: number };
type Explained = { readonly answer: string };

/**
 * Why a message was not delivered, by any channel: what happened, and what helps. No text contains a token or more of an
 * address than its host. A code keeps its parameters for good, because stored rows have them.
 */
export const deliveryTexts = textsOf({
  SERVICE_UNREACHABLE: ({ service, code }: Service & { readonly code: string }) =>
    `${service} could not be reached (${code}).`,
  SERVICE_SILENT: ({ service, code }: Service & { readonly code: string }) =>
    `${service} did not answer completely (${code}). It may have got the message.`,
  SERVICE_BUSY: ({ service }: Service) => `${service} gets too many messages at the moment and asks to wait.`,
  SERVICE_FAILING: ({ service, status }: Answered) => `${service} has a problem of its own (status ${status}).`,
  SERVICE_REFUSED: ({ service, status }: Answered) => `${service} refused the message (status ${status}).`,
  ADDRESS_NOT_CALLABLE: () => "The address cannot be called: enter one that begins with https://, without a sign-in.",
  ADDRESS_IS_PRIVATE: () =>
    "The address is not on the internet. OUTGOING_PRIVATE_ADDRESSES lists the private addresses that Suncrew may call.",
  SECRET_MISSING: () => "Its address or token is missing or cannot be read: enter it again.",
  BEFORE_RESTORE: () => "Suncrew was restored from a backup before it was sent.",
  CHANNEL_NOT_SET_UP: () => "This server cannot send on this channel: SMTP_URL is not set.",

  SLACK_WEBHOOK_GONE: () =>
    "Slack does not know this webhook any more: add a new one to the channel and enter its address.",
  SLACK_CHANNEL_GONE: () =>
    "The Slack channel of this webhook was deleted or archived: make a webhook for another one and enter its address.",
  SLACK_FORBIDDEN: () =>
    "Slack does not allow this webhook to post: a rule of the workspace forbids it. Ask its administrator.",
  SLACK_REFUSED: ({ answer }: Explained) => `Slack refused the message: ${answer}.`,

  TEAMS_ADDRESS_INVALID: () =>
    "Microsoft Teams does not accept the workflow's address any more: copy it from the workflow again and enter it.",
  TEAMS_WORKFLOW_GONE: () =>
    "The workflow in Microsoft Teams was deleted or switched off: switch it on, or make another and enter its address.",

  TELEGRAM_TOKEN_INVALID: () => "Telegram does not know the bot's token: get one from @BotFather and enter it.",
  TELEGRAM_CHAT_NOT_FOUND: () =>
    "Telegram's bot does not know this chat: write to the bot once or add it to the group, and check the chat's id.",
  TELEGRAM_BLOCKED: () => "The recipient has blocked Telegram's bot, or removed it from the group.",
  TELEGRAM_CHAT_MOVED: ({ chat }: { readonly chat: string }) =>
    `The Telegram group has another id since it became a supergroup: enter ${chat}.`,
  TELEGRAM_REFUSED: ({ answer }: Explained) => `Telegram refused the message: ${answer}`,

  WHATSAPP_TOKEN_INVALID: () =>
    "WhatsApp does not accept the access token: it has expired or may not send. Make a lasting one and enter it.",
  WHATSAPP_UNDELIVERABLE: () =>
    "WhatsApp cannot deliver to this number: it has no WhatsApp, an old version, or has not accepted the new terms.",
  WHATSAPP_TEMPLATE: ({ code }: { readonly code: number }) =>
    `WhatsApp does not accept the template (code ${code}): check its name, its language, its three variables and that it is approved.`,
  WHATSAPP_ACCOUNT: ({ code }: { readonly code: number }) =>
    `The WhatsApp account may not send (code ${code}): check its payment and restrictions in WhatsApp Manager.`,
  WHATSAPP_REFUSED: ({ code }: { readonly code: number }) => `WhatsApp refused the message (code ${code}).`,

  WEBHOOK_GONE: () => "The receiver says that it is gone (status 410) and gets no more calls.",
  WEBHOOK_NOT_ACCEPTED: ({ status }: { readonly status: number }) =>
    `The receiver did not accept the call: it answered with status ${status}, not with 200 to 299.`,

  SEND_TOO_SLOW: () => "Its service did not take the message in time. It may have got it.",
  SEND_FAILED: () => "The message could not be sent. See the server's log for the reason.",
  SERVERS_STOPPED: () => "Every server that tried to send it stopped before it was done.",

  // Why a message is not needed any more
  ALERTS_OVER: () => "Everything that it was to tell was over, acknowledged or muted before it was sent.",
  OUT_OF_SIGHT: () => "Whoever has the contact point may not see the site any more.",
  NOBODY_TOLD: () => "The contact point had not been told of what is over.",
  MESSAGE_EMPTY: () => "There is nothing to tell any more.",
  TOLD_TOGETHER: () => "Another message to the same contact point tells it as well.",
  ADDRESS_TOLD: () => "Another contact point with the same address was told the same.",
  CONTACT_POINT_DELETED: () => "The contact point, or whose it was, was deleted.",
  CONTACT_POINT_OFF: () => "The contact point was switched off.",
  UNSUBSCRIBED: () => "Its recipient has unsubscribed.",
});
