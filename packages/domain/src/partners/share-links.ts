/** What a partner needs in order to sign in. */
export interface CredentialsToShare {
  /** The person addressed. */
  readonly addressee: string;
  readonly username: string;
  readonly password: string;
  /** The console's URL. */
  readonly signInAddress: string;
  /** The sender's own text; may be blank. */
  readonly customMessage: string;
}

export const SHARE_SUBJECT = "Your Suncrew login credentials";

/** §2 Share Login Credentials: the message, the same for email, WhatsApp and SMS. Lines end with \n. */
export function shareMessage(credentials: CredentialsToShare): string {
  const custom = credentials.customMessage.trim().replaceAll(/\r\n?/g, "\n");
  return [
    `Hello ${credentials.addressee.trim()},`,
    "",
    "these are your login credentials for Suncrew:",
    `Username: ${credentials.username}`,
    `Password: ${credentials.password}`,
    `Sign in at: ${credentials.signInAddress}`,
    ...(custom === "" ? [] : ["", custom]),
    "",
    "Please change the password in your profile after you have signed in.",
  ].join("\n");
}

/** Opens a prefilled email (RFC 6068: lines end with CRLF, a space is %20, because + would remain a plus sign). */
export function mailtoLink(address: string, subject: string, body: string): string {
  const to = encoded(address.trim()).replaceAll("%40", "@");
  return `mailto:${to}?subject=${encoded(subject)}&body=${encoded(body.replaceAll(/\r?\n/g, "\r\n"))}`;
}

/** Opens a prefilled chat; `e164` is +919845012345, of which WhatsApp expects only the digits. */
export function whatsAppLink(e164: string, text: string): string {
  return `https://wa.me/${e164.replaceAll(/\D/g, "")}?text=${encoded(text)}`;
}

/** Opens a prefilled text message (RFC 5724). */
export function smsLink(e164: string, text: string): string {
  return `sms:${e164}?body=${encoded(text)}`;
}

/** Half a surrogate pair, as in a truncated emoji, cannot be encoded: it becomes the replacement character. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
