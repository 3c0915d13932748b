import { z } from "zod";
import type { SmtpSettings } from "../platform/mailer.ts";
import { isLoopback } from "../platform/network.ts";

export interface MailVariables {
  readonly SMTP_URL?: string | undefined;
  readonly MAIL_FROM?: string | undefined;
}

const address = z.email().max(254);

/** 'reports@example.org' or 'Suncrew <reports@example.org>'; null where it is neither. */
export function senderOf(text: string): SmtpSettings["from"] | null {
  const [, name = "", inside = text] = /^([^<>"\p{Cc}]{0,100}?)\s*<([^<>]+)>$/u.exec(text) ?? [];
  const parsed = address.safeParse(inside);
  return parsed.success ? { name, address: parsed.data } : null;
}

/** An smtp or smtps address that names a server and nothing more: a path or a query would mean nothing. */
export function isMailServer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname, search, hash } = new URL(text);
  const isBare = pathname.replace(/^\/$/, "") === "" && search === "" && hash === "";
  return ["smtp:", "smtps:"].includes(protocol) && hostname !== "" && isBare && readsUser(text);
}

function readsUser(text: string): boolean {
  try {
    const { username, password } = new URL(text);
    const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
    return user !== "" || secret === "";
  } catch {
    return false;
  }
}

/** The settings of variables in which nothing is wrong; null where no mail is sent. */
export function mailSettings({ SMTP_URL: url, MAIL_FROM: sender }: MailVariables): SmtpSettings | null {
  const from = sender === undefined ? null : senderOf(sender);
  if (url === undefined || from === null) return null;
  const { protocol, hostname, port, username, password } = new URL(url);
  const secure = protocol === "smtps:";
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? (secure ? 465 : 587) : Number(port),
    secure,
    // A report and a sign-in leave this machine encrypted or not at all.
    requireTls: !secure && !isLoopback(hostname),
    user: username === "" ? null : decodeURIComponent(username),
    password: username === "" ? null : decodeURIComponent(password),
    from,
  };
}

/** What does not fit together, one sentence each. */
export function wrongMailSettings({ SMTP_URL: url, MAIL_FROM: sender }: MailVariables): string[] {
  if (url !== undefined && sender === undefined) return ["MAIL_FROM is missing: mails sent by SMTP_URL need a sender."];
  if (url === undefined && sender !== undefined)
    return ["SMTP_URL is missing: without it nothing is sent from MAIL_FROM."];
  return [];
}
