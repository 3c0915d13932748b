import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import type { Settings } from "../../platform/dependencies.ts";
import type { Mail } from "../../platform/mailer.ts";

const actionSchema = z.enum(["ACKNOWLEDGE", "UNSUBSCRIBE"]);
export type LinkAction = z.output<typeof actionSchema>;

/** How long a link of each kind can be used, in milliseconds. */
export const LINK_MS: Readonly<Record<LinkAction, number>> = {
  ACKNOWLEDGE: 48 * 3_600_000,
  // As long as people keep mails.
  UNSUBSCRIBE: 400 * 86_400_000,
};

/** What a link permits, to whoever has it. */
export interface MessageLink {
  readonly action: LinkAction;
  readonly deliveryId: string;
  readonly contactPointId: number;
  readonly expiresAt: Date;
}

/** Unix seconds at the end. */
const payloadSchema = z.tuple([actionSchema, z.uuid(), z.int().positive(), z.int().positive()]);

type LinkSettings = Pick<Settings, "secretKey" | "publicUrl">;

/** Signs with a key that is derived from the server's secret for this purpose only. */
function signatureOf(secretKey: string, payload: string): Buffer {
  const key = Buffer.from(hkdfSync("sha256", secretKey, "", "suncrew message links v1", 32));
  return createHmac("sha256", key).update(payload, "utf8").digest();
}

function tokenOf(secretKey: string, { action, deliveryId, contactPointId, expiresAt }: MessageLink): string {
  const content = [action, deliveryId, contactPointId, Math.floor(expiresAt.getTime() / 1000)];
  const payload = Buffer.from(JSON.stringify(content)).toString("base64url");
  return `${payload}.${signatureOf(secretKey, payload).toString("base64url")}`;
}

/** Null for what this installation has not signed; whether it has expired is for the caller to say. */
export function readToken(secretKey: string, token: string): MessageLink | null {
  const [payload = "", signature = ""] = token.split(".");
  const [expected, actual] = [signatureOf(secretKey, payload), Buffer.from(signature, "base64url")];
  if (expected.length !== actual.length || !timingSafeEqual(expected, actual)) return null;
  const parsed = payloadSchema.safeParse(JSON.parse(Buffer.from(payload, "base64url").toString("utf8")));
  if (!parsed.success) return null;
  const [action, deliveryId, contactPointId, expires] = parsed.data;
  return { action, deliveryId, contactPointId, expiresAt: new Date(expires * 1000) };
}

/**
 * The links of a message; null where nobody knows at which address people reach this installation. Tokens follow a `#`,
 * which browsers do not send, so that they are in no log.
 */
export function linksOf(
  { secretKey, publicUrl }: LinkSettings,
  deliveryId: string,
  contactPointId: number,
  now: Date,
): { readonly acknowledgeUrl: string | null; readonly unsubscribeUrl: string | null } {
  const base = publicUrl?.()?.replace(/\/+$/, "") ?? null;
  if (base === null) return { acknowledgeUrl: null, unsubscribeUrl: null };
  const urlOf = (path: string, action: LinkAction) => {
    const expiresAt = new Date(now.getTime() + LINK_MS[action]);
    return `${base}${path}#${tokenOf(secretKey, { action, deliveryId, contactPointId, expiresAt })}`;
  };
  return {
    acknowledgeUrl: urlOf("/acknowledge", "ACKNOWLEDGE"),
    unsubscribeUrl: urlOf("/unsubscribe", "UNSUBSCRIBE"),
  };
}

/** The address that a mail program calls (RFC 8058), in place of the page that a person opens. */
export function oneClickUrl(unsubscribeUrl: string): string {
  return unsubscribeUrl.replace("/unsubscribe#", "/api/notifications/links/one-click?token=");
}

/** What mail programs are told of a mail that nobody wrote, and that its recipient can unsubscribe from by this link. */
export function mailHeaders(unsubscribeUrl: string | null): NonNullable<Mail["headers"]> {
  const automatic = { "Auto-Submitted": "auto-generated" };
  if (unsubscribeUrl === null) return automatic;
  const url = oneClickUrl(unsubscribeUrl);
  const { protocol, hash } = new URL(url);
  return {
    ...automatic,
    "List-Unsubscribe": `<${url}>`,
    // RFC 8058: mail programs post to it, over https, and what stands behind # stays with them.
    ...(protocol === "https:" && hash === "" && { "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" }),
  };
}
