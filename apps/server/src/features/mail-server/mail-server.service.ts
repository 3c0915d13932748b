import type { BodyOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import type {
  deleteMailServer,
  MailEncryption,
  mailServer,
  testMailServer,
  updateMailServer,
} from "@suncrew/contract/reports/mail-server.ts";
import { randomUUID } from "node:crypto";
import type { Dependencies, Settings } from "../../platform/dependencies.ts";
import { conflict, editConflict, type HttpError, invalid } from "../../platform/http/http-error.ts";
import { mailTexts } from "../../platform/mail-texts.ts";
import {
  canSendMail,
  type Mailer,
  MailRefused,
  type ShownMailServer,
  smtpMailer,
  type SmtpSettings,
} from "../../platform/mailer.ts";
import { isLoopback } from "../../platform/network.ts";
import { SealedSecrets } from "../../platform/sealed-secrets.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { auditedChange, recordChange } from "../audit/public.ts";
import { mailPage } from "../notifications/public.ts";
import {
  lockMailServer,
  type MailServerRow,
  readMailServer,
  removeMailServer,
  storeMailServer,
} from "./mail-server.repository.ts";

const BOUND_TO = "mail server";
/** Nobody waits longer in front of a page. */
const TEST_MS = 30_000;

/** What was set up in the console; null if nothing was. Throws MailRefused if its password cannot be opened. */
export async function storedMailServer({ db, settings }: MailDependencies): Promise<SmtpSettings | null> {
  const row = await readMailServer(db);
  return row === null ? null : smtpOf(row, sealOf(settings));
}

type MailDependencies = Pick<Dependencies, "db"> & { readonly settings: Pick<Settings, "secretKey"> };

/**
 * Sends by the mail server that a Super Admin has set up in the console, which is read for each mail: a change counts on
 * every server with the next one. While there is none, by the `fallback`.
 */
export function storedMailer({ db, settings }: MailDependencies, fallback?: SmtpSettings): Mailer {
  return {
    async isSetUp() {
      return fallback !== undefined || (await readMailServer(db)) !== null;
    },
    async send(mail, signal) {
      const stored = (await storedMailServer({ db, settings })) ?? fallback ?? null;
      if (stored === null) throw new MailRefused(mailTexts.text("MAIL_NOT_SET_UP", {}));
      return smtpMailer(stored).send(mail, signal);
    },
  };
}

type ServiceDependencies = Pick<Dependencies, "db" | "clock" | "mailer"> & {
  readonly settings: Pick<Settings, "secretKey" | "mailServer">;
};

/** The mail server that is used: that of the environment, else the one that was set up here, else the demo's own. */
export class MailServer {
  readonly #deps: ServiceDependencies;
  readonly #ofDemo: SmtpSettings | undefined;
  readonly #sealed: SealedSecrets;

  constructor(deps: ServiceDependencies, ofDemo?: SmtpSettings) {
    this.#deps = deps;
    this.#ofDemo = ofDemo;
    this.#sealed = sealOf(deps.settings);
  }

  async read(): Promise<ResponseOf<typeof mailServer>> {
    const { db, settings } = this.#deps;
    if (settings.mailServer)
      return { source: "ENVIRONMENT", server: shownSettings(settings.mailServer), changed: null };
    const row = await readMailServer(db);
    if (row === null) return { source: this.#ofDemo === undefined ? "NONE" : "DEMO", server: null, changed: null };
    const changed = { at: row.changed_at.toISOString(), by: row.changed_by, version: row.version };
    return { source: "CONSOLE", server: shownOf(row), changed };
  }

  /**
   * Keeps the password only for the server and user it was entered for. Throws 400 for another machine without
   * encryption, and 409 where the environment names a mail server or another edit came between.
   */
  async update(
    viewer: Viewer,
    { version, password, ...body }: BodyOf<typeof updateMailServer>,
  ): Promise<ResponseOf<typeof updateMailServer>> {
    this.#refuseIfOfEnvironment();
    if (body.encryption === "NONE" && !isLoopback(body.host)) {
      const message = "Without encryption mail goes to this machine itself only: choose TLS or STARTTLS.";
      throw invalid("encryption", message, "MAIL_UNENCRYPTED");
    }
    const user = body.user === "" ? null : body.user;
    if (user === null && password !== undefined) throw invalid("user", "A password needs a user.");
    const at = this.#deps.clock.now();
    const change = { actor: viewer, action: "UPDATE_MAIL_SERVER", entity: "mail_server", at };
    await auditedChange(this.#deps.db, change, async (tx, details) => {
      const stored = await lockMailServer(tx);
      const { host, port, encryption, from_name, from_address } = body;
      const isSame = stored?.host === host && stored.port === port && stored.user_name === user;
      const kept = isSame && user !== null ? stored.password : null;
      const row = {
        host,
        port,
        encryption,
        user_name: user,
        password: password === undefined ? kept : this.#sealed.seal(BOUND_TO, password),
        from_name,
        from_address,
        changed_at: at,
        changed_by: viewer.name,
      };
      details.before = stored === null ? null : { ...shownOf(stored), sign_in: "set" };
      // Not by a name that the audit leaves out.
      details.after = { ...shownOf(row), sign_in: password === undefined ? "as before" : "changed" };
      if (version !== undefined && version !== stored?.version) throw editConflict("mail server");
      await storeMailServer(tx, row);
    });
    return { message: "The mail server was saved. Send a test to see whether it takes mail." };
  }

  /** Throws 409 where the environment names a mail server. */
  async delete(viewer: Viewer): Promise<ResponseOf<typeof deleteMailServer>> {
    this.#refuseIfOfEnvironment();
    const at = this.#deps.clock.now();
    const change = { actor: viewer, action: "DELETE_MAIL_SERVER", entity: "mail_server", at };
    await auditedChange(this.#deps.db, change, async (tx, details) => {
      const stored = await lockMailServer(tx);
      details.before = stored === null ? null : shownOf(stored);
      await removeMailServer(tx);
    });
    const without =
      this.#ofDemo === undefined ? "Nothing is sent by email any more." : "Mail goes to the demo's mailbox.";
    return { message: `The mail server was removed. ${without}` };
  }

  /** Sends a mail now. What the mail server answers is the result; throws 409 without one. */
  async test(viewer: Viewer, { to }: BodyOf<typeof testMailServer>): Promise<ResponseOf<typeof testMailServer>> {
    const { db, clock, mailer } = this.#deps;
    if (mailer === undefined || !(await canSendMail(mailer))) throw mailNotSetUp();
    const result = await tested(mailer, to, viewer.name);
    await db.transaction().execute((tx) =>
      recordChange(tx, {
        actor: viewer,
        action: "TEST_MAIL_SERVER",
        entity: "mail_server",
        outcome: result.delivered ? "DONE" : "FAILED",
        ...(!result.delivered && { reason: result.message }),
        after: { to },
        at: clock.now(),
      }),
    );
    return result;
  }

  #refuseIfOfEnvironment(): void {
    if (!this.#deps.settings.mailServer) return;
    const message = "The mail server is set by SMTP_URL and MAIL_FROM, which win over what is entered here.";
    throw conflict("MAIL_SET_BY_ENVIRONMENT", message);
  }
}

export function mailNotSetUp(): HttpError {
  return conflict("MAIL_NOT_SET_UP", mailTexts.text("MAIL_NOT_SET_UP", {}).text);
}

async function tested(mailer: Mailer, to: string, by: string): Promise<ResponseOf<typeof testMailServer>> {
  try {
    const title = "Suncrew can send mail";
    const paragraph = "This is a test. Suncrew's mails look like this.";
    const footer = `${by} sent it from Suncrew's report settings.`;
    const page = { language: "en", title, paragraphs: [paragraph], facts: [], footer, unsubscribe: null };
    const mail = {
      messageId: `test-${randomUUID()}`,
      to: [to],
      subject: title,
      text: `${title}.\n\n${paragraph}\n\n${footer}\n`,
      html: mailPage(page),
      headers: { "Auto-Submitted": "auto-generated" },
    } as const;
    const { rejected, answer = "" } = await mailer.send(mail, AbortSignal.timeout(TEST_MS));
    const [refusal] = rejected;
    if (refusal !== undefined) {
      return { delivered: false, message: `The mail server did not take it for ${to}: ${refusal.reason}` };
    }
    return { delivered: true, message: `The mail server took the mail to ${to}: ${answer}`.replace(/: $/, ".") };
  } catch (error) {
    if (!(error instanceof MailRefused)) throw error;
    const answer = error.answer === null ? "" : ` It answered: ${error.answer}`;
    return { delivered: false, message: `${error.reason.text}${answer}` };
  }
}

function sealOf({ secretKey }: Pick<Settings, "secretKey">): SealedSecrets {
  return new SealedSecrets(secretKey, "mail server");
}

/** Throws MailRefused if the password cannot be opened. */
function smtpOf(row: MailServerRow, sealed: SealedSecrets): SmtpSettings {
  const password = row.password === null ? null : sealed.open(BOUND_TO, row.password);
  if (password === null && row.password !== null) {
    throw new MailRefused(mailTexts.text("MAIL_PASSWORD_UNREADABLE", {}));
  }
  return {
    host: row.host,
    port: row.port,
    secure: row.encryption === "TLS",
    requireTls: row.encryption === "STARTTLS",
    user: row.user_name,
    password,
    from: { name: row.from_name, address: row.from_address },
  };
}

function encryptionOf({ secure, requireTls }: Pick<ShownMailServer, "secure" | "requireTls">): MailEncryption {
  if (secure) return "TLS";
  return requireTls ? "STARTTLS" : "NONE";
}

function shownSettings({ from, hasPassword, ...server }: ShownMailServer): ShownServer {
  const { host, port, user } = server;
  const sender = { from_name: from.name, from_address: from.address };
  return { host, port, encryption: encryptionOf(server), user, has_password: hasPassword, ...sender };
}

type ShownServer = NonNullable<ResponseOf<typeof mailServer>["server"]>;

function shownOf(row: Omit<MailServerRow, "id" | "version">) {
  const { host, port, encryption, user_name: user, from_name, from_address } = row;
  return { host, port, encryption, user, has_password: row.password !== null, from_name, from_address };
}
