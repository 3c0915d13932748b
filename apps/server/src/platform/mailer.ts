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
