import { textsOf } from "@suncrew/contract/http/coded-text.ts";

interface Rejection {
  readonly [name: string]: string;
  readonly address: string;
  /** As the mail server words it. */
  readonly reason: string;
}

/**
 * Why a mail was not sent, or not to everybody, whatever it is about. A code keeps its parameters for good, because
 * stored rows have them.
 */
export const mailTexts = textsOf({
  NO_RECIPIENTS: () => "There are no recipients.",
  MAIL_SERVERS_STOPPED: () => "Every server that tried to send it stopped before it was done.",
  RESTORED: () => "Suncrew was restored from a backup before it was sent: it may have been sent already.",
  MAIL_FAILED: () => "The mail could not be sent. See the server's log for the reason.",
  RECIPIENTS_REJECTED: ({ rejected }: { readonly rejected: readonly Rejection[] }) =>
    `Rejected for ${rejected.map(({ address, reason }) => `${address}: ${reason}`).join("; ")}`.slice(0, 1_000),
  MAIL_NOT_SET_UP: () =>
    "No mail server is set up. A Super Admin can enter one in Report Management, Settings, or set SMTP_URL and MAIL_FROM.",
  MAIL_PASSWORD_UNREADABLE: () =>
    "The password of the mail server cannot be read any more, because SECRET_KEY was changed: enter it again.",
  SMTP_SIGN_IN_REFUSED: () => "The mail server refused the user and the password.",
  SMTP_NO_ENCRYPTION: () => "The mail server offers no encryption that works.",
  SMTP_TOO_SLOW: () => "The mail server took too long.",
  SMTP_SILENT: () => "The mail server did not say whether it accepted the mail. It may have done so.",
  SMTP_REJECTED: ({ response }: { readonly response: string }) => `The mail server rejected it: ${response}`,
  SMTP_UNREACHABLE: ({ code }: { readonly code: string | null }) =>
    `The mail server could not be reached${code === null ? "" : ` (${code})`}.`,
});
