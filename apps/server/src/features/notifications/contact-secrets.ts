import { whatsappOptionsSchema } from "@suncrew/contract/notifications/contact-points.ts";
import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { Settings } from "../../platform/dependencies.ts";
import { SealedSecrets } from "../../platform/sealed-secrets.ts";
import type { Destination } from "./channels/channel.ts";

const contactSecretsSchema = z.object({
  /** SLACK, TEAMS, WEBHOOK: the address to call. */
  url: z.string().optional(),
  /** TELEGRAM: the bot's. WHATSAPP: the access token. */
  token: z.string().optional(),
  /** WEBHOOK: signs its calls. */
  signing_secret: z.string().optional(),
  /** The one that was replaced, which signs as well until `former_until`, an instant. */
  former_signing_secret: z.string().optional(),
  former_until: z.iso.datetime().optional(),
});
/** What a contact point has that is never shown again. */
export type ContactSecrets = z.output<typeof contactSecretsSchema>;

/** How long calls are signed with a former secret as well. */
export const FORMER_SECRET_HOURS = 24;

/** A new signing secret, in the form of the Standard Webhooks specification. */
export function newSigningSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}

/** Seals with a key of their own, which is not in the database. */
export function contactSeal({ secretKey }: Pick<Settings, "secretKey">): SealedSecrets {
  return new SealedSecrets(secretKey, "contact points");
}

const boundTo = (contactPointId: number) => `contact point ${contactPointId}`;

/** What the row of this contact point holds. */
export function sealContact(sealed: SealedSecrets, contactPointId: number, secrets: ContactSecrets): string {
  return sealed.seal(boundTo(contactPointId), JSON.stringify(secrets));
}

/** The secrets of a row, none if it has none; null if they cannot be opened, such as after SECRET_KEY has changed. */
export function openContact(
  sealed: SealedSecrets,
  { id, secret }: { readonly id: number; readonly secret: string | null },
): ContactSecrets | null {
  if (secret === null) return {};
  const text = sealed.open(boundTo(id), secret);
  return text === null ? null : contactSecretsSchema.parse(JSON.parse(text));
}

interface ContactRow {
  readonly id: number;
  readonly address: string;
  readonly options: unknown;
  readonly secret: string | null;
}

/** Where messages to this contact point go as of `now`; null if its secrets cannot be opened. */
export function destinationOf(row: ContactRow, sealed: SealedSecrets, now: Date): Destination | null {
  const secrets = openContact(sealed, row);
  if (secrets === null) return null;
  const { url, token, signing_secret, former_signing_secret: former, former_until: until } = secrets;
  const isFormerValid = until !== undefined && Date.parse(until) > now.getTime();
  return {
    address: row.address,
    secret: {
      ...(url !== undefined && { url }),
      ...(token !== undefined && { token }),
      ...(signing_secret !== undefined && { signing_secret }),
      ...(former !== undefined && isFormerValid && { former_signing_secret: former }),
    },
    options: row.options === null ? null : whatsappOptionsSchema.parse(row.options),
  };
}
