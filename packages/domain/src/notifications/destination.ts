import type { ChannelKind, WhatsappOptions } from "@suncrew/contract/notifications/contact-points.ts";
import { optionalEmailSchema } from "@suncrew/contract/http/values.ts";

/** What a form or a call says about where messages go. */
export interface DestinationFields {
  readonly address?: string | null | undefined;
  readonly url?: string | null | undefined;
  readonly token?: string | null | undefined;
  readonly whatsapp?: WhatsappOptions | null | undefined;
}

export type DestinationField = keyof DestinationFields;

export interface DestinationProblem {
  readonly field: DestinationField;
  readonly message: string;
}

/** Which fields each channel has; all of them are required. */
export const destinationFields: Readonly<Record<ChannelKind, readonly DestinationField[]>> = {
  EMAIL: ["address"],
  SLACK: ["url"],
  TEAMS: ["url"],
  TELEGRAM: ["address", "token"],
  WHATSAPP: ["address", "token", "whatsapp"],
  WEBHOOK: ["url"],
};

const addressWords = { EMAIL: "Email address", TELEGRAM: "Chat", WHATSAPP: "Phone number" } as const;
const PHONE = /^\+[1-9]\d{6,14}$/;
const CHAT = /^(?:-?[1-9]\d{0,18}|@[A-Za-z]\w{3,31})$/;
const BOT_TOKEN = /^\d{3,20}:[\w-]{10,200}$/;
/** It is sent in a header. */
const ACCESS_TOKEN = /^[\x21-\x7e]+$/;

/**
 * The first field that keeps a contact point from being reached, with what is wrong in a sentence; null if all are
 * right. Fields that the channel does not have are ignored. `stored` names secrets that an edit may leave out.
 */
export function destinationProblem(
  channel: ChannelKind,
  fields: DestinationFields,
  stored: readonly DestinationField[] = [],
): DestinationProblem | null {
  for (const field of destinationFields[channel]) {
    const message = problemOf(channel, field, fields, stored.includes(field));
    if (message !== null) return { field, message };
  }
  return null;
}

function problemOf(channel: ChannelKind, field: DestinationField, fields: DestinationFields, isStored: boolean) {
  switch (field) {
    case "address":
      return addressProblem(channel, fields.address ?? "");
    case "url":
      return isStored && isBlank(fields.url) ? null : urlProblem(fields.url ?? "");
    case "token":
      return isStored && isBlank(fields.token) ? null : tokenProblem(channel, fields.token ?? "");
    case "whatsapp":
      return fields.whatsapp ? null : "The sending number and the template are required";
  }
}

function addressProblem(channel: ChannelKind, typed: string): string | null {
  const address = normalAddress(channel, typed);
  switch (channel) {
    case "EMAIL":
      if (address === "") return `${addressWords.EMAIL} is required`;
      return optionalEmailSchema.safeParse(address).success ? null : "This is not an email address";
    case "TELEGRAM":
      if (address === "") return `${addressWords.TELEGRAM} is required`;
      return CHAT.test(address) ? null : "A chat is a number such as -1001234567890, or the @name of a channel";
    case "WHATSAPP":
      if (address === "") return `${addressWords.WHATSAPP} is required`;
      return PHONE.test(address) ? null : "A phone number begins with + and the country, such as +919876543210";
    default:
      return null;
  }
}

function tokenProblem(channel: ChannelKind, token: string): string | null {
  if (isBlank(token)) return "The token is required";
  if (channel === "TELEGRAM" && !BOT_TOKEN.test(token.trim())) {
    return "A bot's token is a number, a colon and a code, as BotFather tells it";
  }
  return ACCESS_TOKEN.test(token.trim()) ? null : "A token has letters, digits and signs, and no spaces";
}

function urlProblem(text: string): string | null {
  if (isBlank(text)) return "The address is required";
  const url = URL.parse(text.trim());
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) {
    return "The address must begin with https://";
  }
  if (url.username !== "" || url.password !== "") return "The address must not have a user name or password";
  if (url.protocol === "http:" && !isWithinOwnNetwork(url.hostname)) {
    return "The address must begin with https://; http:// is for addresses within the own network";
  }
  return null;
}

/** Names and addresses that nothing outside of the own network has, as a URL writes them. */
function isWithinOwnNetwork(host: string): boolean {
  if (/^(?:127|10)\.|^192\.168\.|^172\.(?:1[6-9]|2\d|3[01])\.|^169\.254\./.test(host)) return /^[\d.]+$/.test(host);
  if (/^\[(?:::1\]|f[cd]|fe[89ab])/i.test(host)) return true;
  return (!host.includes(".") && !host.startsWith("[")) || /\.(?:local|internal|lan|localhost|home\.arpa)$/i.test(host);
}

/** The address as it is stored: phone numbers without the spaces and signs that people type. */
export function normalAddress(channel: ChannelKind, typed: string): string {
  const address = typed.trim();
  return channel === "WHATSAPP" ? address.replaceAll(/[\s().-]/g, "") : address;
}

/** What may be shown of where messages go: of an address with a secret only its host. Null where it is not known. */
export function shownAddress(channel: ChannelKind, fields: DestinationFields): string | null {
  if (!destinationFields[channel].includes("url")) return normalAddress(channel, fields.address ?? "");
  return isBlank(fields.url) ? null : (URL.parse(fields.url?.trim() ?? "")?.host ?? null);
}

function isBlank(text: string | null | undefined): boolean {
  return text === undefined || text === null || text.trim() === "";
}
