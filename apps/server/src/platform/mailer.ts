import { createTransport } from "nodemailer";
import { z } from "zod";

/** A mail with a file. */
export interface Mail {
  /** The same for each try, so that a mailbox knows a mail that comes twice; letters, digits and hyphens. */
  readonly messageId: string;
  /** Each gets it without being told of the others. */
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly file: { readonly name: string; readonly type: "application/pdf"; readonly content: Uint8Array };
}

export interface MailResult {
  readonly accepted: readonly string[];
  readonly rejected: readonly { readonly address: string; readonly reason: string }[];
}

/** Nobody's mail was taken; the message says why, for people to read. */
export class MailRefused extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "MailRefused";
  }
}

/** Sends mail by SMTP. */
export interface Mailer {
  /**
   * Resolves once the server has answered for every address; throws MailRefused where none was taken, also where that
   * takes too long or `signal` aborts: then nobody knows.
   */
  send(mail: Mail, signal: AbortSignal): Promise<MailResult>;
}

/** The SMTP server that takes mail, and who sends it. */
export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  /** Encrypted from the first byte. */
  readonly secure: boolean;
  /** Refuses to go on unencrypted: nothing is told to a server that offers no TLS. */
  readonly requireTls: boolean;
  readonly user: string | null;
  readonly password: string | null;
  readonly from: { readonly name: string; readonly address: string };
}

const CONNECT_MS = 10_000;
const SILENT_MS = 60_000;
/** A server that keeps talking but never ends is given up, well before the lease of a mail does. */
const MOST_MS = 5 * 60_000;

/** What the library's failures carry beside their message. */
const failureSchema = z.object({
  code: z.string().optional(),
  response: z.string().optional(),
  recipient: z.string().optional(),
});
const refusedAllSchema = z.object({ rejectedErrors: z.array(z.unknown()).min(1) });

/** Sends each mail over a connection of its own. */
export function smtpMailer(settings: SmtpSettings, mostMs = MOST_MS): Mailer {
  const { host, port, secure, requireTls, user, password, from } = settings;
  const transport = createTransport({
    host,
    port,
    secure,
    requireTLS: requireTls,
    ...(user !== null && { auth: { user, pass: password ?? "" } }),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = from.address.slice(from.address.lastIndexOf("@") + 1);
  return {
    async send(mail, signal) {
      const envelope = { from: from.address, to: [...mail.to] };
      const messageId = `<${mail.messageId}@${domain}>`;
      try {
        const { accepted, rejectedErrors = [] } = await transport.sendMail({
          ...contentOf(mail),
          from,
          envelope,
          messageId,
          // Closes the connection too.
          signal: AbortSignal.any([signal, AbortSignal.timeout(mostMs)]),
        });
        return { accepted, rejected: rejectedErrors.map(rejectionOf) };
      } catch (error) {
        return refusedByAll(error);
      }
    },
  };
}

function contentOf({ subject, text, file }: Mail) {
  const attachments = [{ filename: file.name, content: Buffer.from(file.content), contentType: file.type }];
  // Nobody is told who else gets it.
  return { to: "undisclosed-recipients:;", subject, text, attachments };
}

/** Every address refused is an answer like any other; throws for the rest, in words without secrets. */
function refusedByAll(error: unknown): MailResult {
  const refused = refusedAllSchema.safeParse(error);
  if (refused.success) return { accepted: [], rejected: refused.data.rejectedErrors.map(rejectionOf) };
  throw new MailRefused(wordsOf(failureOf(error)), { cause: error });
}

function failureOf(error: unknown): z.output<typeof failureSchema> {
  return failureSchema.safeParse(error).data ?? {};
}

function rejectionOf(error: unknown): { address: string; reason: string } {
  const { recipient = "", response = "refused" } = failureOf(error);
  return { address: recipient, reason: told(response) };
}

function wordsOf({ code, response }: z.output<typeof failureSchema>): string {
  if (code === "EAUTH" || code === "ENOAUTH") return "The mail server refused the sign-in of SMTP_URL.";
  if (code === "ETLS") return "The mail server offers no encryption that works.";
  if (code === "EABORT") return "The mail server took too long.";
  if (response !== undefined) return `The mail server did not take it: ${told(response)}`;
  return `The mail server was not reached${code === undefined ? "" : ` (${code})`}.`;
}

/** What a server answered, short and on one line. */
function told(response: string): string {
  return response.replaceAll(/\s+/g, " ").slice(0, 200);
}
