import { internationalPhone } from "@suncrew/domain/partners/phone-number.ts";
import {
  mailtoLink,
  SHARE_SUBJECT,
  shareMessage,
  smsLink,
  whatsAppLink,
} from "@suncrew/domain/partners/share-links.ts";
import type { SignIn } from "./sign-in-of.ts";

export type WayToSend = "email" | "whatsApp" | "sms";

/** The number to write to, or why there is none. */
export function phoneOf({ phone, country }: SignIn) {
  return internationalPhone(phone, country);
}

/** Why the credentials cannot be sent this way; null where they can. */
export function sendObstacle(signIn: SignIn, way: WayToSend): string | null {
  if (signIn.username === null) return "This partner has no sign-in yet. Create it first.";
  if (signIn.password === null) return "There is no password to share. Regenerate it first.";
  if (way === "email") return signIn.email.trim() === "" ? "No e-mail address is given." : null;
  return phoneOf(signIn).problem;
}

/** The message for the partner; `password` may be a stand-in where it is only looked at. */
export function messageFor(signIn: SignIn, password: string, customMessage: string): string {
  const addressee = signIn.contactPerson.trim() === "" ? signIn.name : signIn.contactPerson;
  return shareMessage({
    addressee,
    username: signIn.username ?? "",
    password,
    signInAddress: location.origin,
    customMessage,
  });
}

/** The prefilled link; null where there is an obstacle. */
export function linkFor(signIn: SignIn, way: WayToSend, customMessage: string): string | null {
  if (signIn.password === null || sendObstacle(signIn, way) !== null) return null;
  const message = messageFor(signIn, signIn.password, customMessage);
  if (way === "email") return mailtoLink(signIn.email, SHARE_SUBJECT, message);
  const { e164 } = phoneOf(signIn);
  if (e164 === null) return null;
  return way === "whatsApp" ? whatsAppLink(e164, message) : smsLink(e164, message);
}
