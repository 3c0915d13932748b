import type { CodedText } from "@suncrew/contract/http/coded-text.ts";
import { stripInvisible } from "@suncrew/contract/http/text.ts";
import { mailTexts } from "./mail-texts.ts";
import { createTransport } from "nodemailer";
import { z } from "zod";

export interface Mail {
  /** The same for each attempt, so that a mailbox recognises a duplicate; letters, digits and hyphens. */
  readonly messageId: string;
  /** Several recipients do not see each other; a single one is named in the mail. */
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  /** The same as the text, for readers that show it. */
  readonly html?: string;
  readonly file?: { readonly name: string; readonly type: "application/pdf"; readonly content: Uint8Array };
  readonly headers?: Readonly<Partial<Record<MailHeader, string>>>;
}

/** RFC 2369 and RFC 8058 let a reader unsubscribe with one press; RFC 3834 keeps absence notes from answering. */
export type MailHeader = "List-Unsubscribe" | "List-Unsubscribe-Post" | "Auto-Submitted";

export interface MailResult {
  readonly accepted: readonly string[];
  readonly rejected: readonly Rejection[];
  /** What the mail server answered in the end, as it words it. */
  readonly answer?: string;
}

interface Rejection {
  readonly address: string;
  readonly reason: string;
  /** The mail server may take it later. */
  readonly isTemporary?: true;
}

/** The mail was accepted for nobody; the message is the text of the reason, for people to read. */
export class MailRefused extends Error {
  override readonly name = "MailRefused";
  readonly reason: CodedText;
  /** The mail server will not take this mail later either. */
  readonly isFinal: boolean;
  /** What the mail server answered, as it words it, where the reason does not repeat it. */
  readonly answer: string | null;

  constructor(
    reason: CodedText,
    { isFinal = false, answer = null, ...options }: ErrorOptions & { isFinal?: boolean; answer?: string | null } = {},
  ) {
    super(reason.text, options);
    this.reason = reason;
    this.isFinal = isFinal;
    this.answer = answer;
  }
}

export interface Mailer {
  /**
   * Resolves once the server has answered for every address. Throws MailRefused if none was accepted, and also on timeout
   * or when `signal` aborts; only SMTP_SILENT leaves open whether the mail was accepted.
   */
  send(mail: Mail, signal: AbortSignal): Promise<MailResult>;
  /** False while no mail server is set up; without it, one is. */
  isSetUp?(): Promise<boolean>;
}

/** Whether mail can be sent as of now: a mail server may be set up or removed at any time. */
export async function canSendMail(mailer: Mailer | undefined): Promise<boolean> {
  return mailer !== undefined && ((await mailer.isSetUp?.()) ?? true);
}

export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  /** Encrypted from the first byte. */
  readonly secure: boolean;
  /** Refuses to continue unencrypted: a server without TLS gets neither password nor mail. */
  readonly requireTls: boolean;
  readonly user: string | null;
  readonly password: string | null;
  readonly from: { readonly name: string; readonly address: string };
}

/** What may be shown of a mail server. */
export interface ShownMailServer extends Omit<SmtpSettings, "password"> {
  readonly hasPassword: boolean;
}

export function shownMailServer({ password, ...shown }: SmtpSettings): ShownMailServer {
  return { ...shown, hasPassword: password !== null && password !== "" };
}

const CONNECT_MS = 10_000;
const SILENT_MS = 60_000;
/** A server that never finishes is given up on, well before the lease of the mail ends. */
const MAX_MS = 5 * 60_000;

/** What the library's failures carry beside their message. */
const failureSchema = z.object({
  code: z.string().optional(),
  /** Of the operating system, or of TLS: it tells more than the library's code. */
  originalCode: z.string().optional(),
  response: z.string().optional(),
  recipient: z.string().optional(),
});
const refusedAllSchema = z.object({ rejectedErrors: z.array(z.unknown()).min(1) });

function openTransport({ host, port, secure, requireTls, user, password }: SmtpSettings) {
  return createTransport({
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
}

/** Connects, encrypts and signs in, and sends a plain mail if there is an address. Throws MailRefused if that fails. */
export async function tryMailServer(settings: SmtpSettings, to: string | null): Promise<void> {
  const transport = openTransport(settings);
  const wasHandedOver = watchHandover(transport);
  try {
    await transport.verify();
    if (to === null) return;
    const text = "This mail was sent by `npm run doctor`. Suncrew can send mail.\n";
    await transport.sendMail({ from: settings.from, to, subject: "Suncrew can send mail", text });
  } catch (error) {
    throw new MailRefused(reasonOf(failureOf(error), wasHandedOver()), { cause: error });
  } finally {
    transport.close();
  }
}

/** Sends each mail over a connection of its own. */
export function smtpMailer(settings: SmtpSettings, maxMs = MAX_MS): Mailer {
  const { from } = settings;
  const domain = from.address.slice(from.address.lastIndexOf("@") + 1);
  return {
    async send({ messageId, to, subject, text, html, file, headers }, signal) {
      const [only, ...others] = to;
      const transport = openTransport(settings);
      const wasHandedOver = watchHandover(transport);
      try {
        const {
          accepted,
          rejectedErrors = [],
          response,
        } = await transport.sendMail({
          from,
          // An address of its own, because as a plain text it could be read as several.
          to: only !== undefined && others.length === 0 ? { name: "", address: only } : "undisclosed-recipients:;",
          subject,
          text,
          ...(html !== undefined && { html }),
          ...(file !== undefined && {
            attachments: [{ filename: file.name, content: Buffer.from(file.content), contentType: file.type }],
          }),
          ...(headers !== undefined && { headers: { ...headers } }),
          envelope: { from: from.address, to: [...to] },
          messageId: `<${messageId}@${domain}>`,
          // Closes the connection too.
          signal: AbortSignal.any([signal, AbortSignal.timeout(maxMs)]),
        });
        return { accepted, rejected: rejectedErrors.map(rejectionOf), answer: shorten(response) };
      } catch (error) {
        // If every address was refused that is a result; anything else is thrown, as a message without secrets.
        const refused = refusedAllSchema.safeParse(error);
        if (refused.success) return { accepted: [], rejected: refused.data.rejectedErrors.map(rejectionOf) };
        const failure = failureOf(error);
        const reason = reasonOf(failure, wasHandedOver());
        const isFinal = reason.code === "SMTP_REJECTED" && (failure.response ?? "").startsWith("5");
        const answer =
          reason.code === "SMTP_REJECTED" || failure.response === undefined ? null : shorten(failure.response);
        throw new MailRefused(reason, { isFinal, answer, cause: error });
      }
    },
  };
}

/**
 * Whether the whole mail of this transport was handed to the connection: until then no mail server delivers it. It has
 * the end of the mail only after everything before was read.
 */
function watchHandover(transport: ReturnType<typeof openTransport>): () => boolean {
  let isHandedOver = false;
  transport.use("stream", ({ message }, done) => {
    message?.processFunc((input) => input.once("end", () => (isHandedOver = true)));
    done();
  });
  return () => isHandedOver;
}

function failureOf(error: unknown): z.output<typeof failureSchema> {
  return failureSchema.safeParse(error).data ?? {};
}

function rejectionOf(error: unknown): Rejection {
  const { recipient = "", response = "refused" } = failureOf(error);
  return { address: recipient, reason: shorten(response), ...(response.startsWith("4") && { isTemporary: true }) };
}

function reasonOf({ code, originalCode, response }: z.output<typeof failureSchema>, wasHandedOver: boolean): CodedText {
  if (code === "EAUTH" || code === "ENOAUTH") return mailTexts.text("SMTP_SIGN_IN_REFUSED", {});
  if (code === "ETLS") return mailTexts.text("SMTP_NO_ENCRYPTION", {});
  if (response !== undefined) return mailTexts.text("SMTP_REJECTED", { response: shorten(response) });
  if (wasHandedOver) return mailTexts.text("SMTP_SILENT", {});
  if (code === "EABORT") return mailTexts.text("SMTP_TOO_SLOW", {});
  return mailTexts.text("SMTP_UNREACHABLE", { code: originalCode ?? code ?? null });
}

function shorten(response: string): string {
  // PostgreSQL stores neither controls nor half a character.
  return stripInvisible(response.replaceAll(/\s+/g, " ").slice(0, 200));
}
