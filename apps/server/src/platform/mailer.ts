/** A mail with a file. */
export interface Mail {
  /** The same for each try, so that a mailbox knows a mail that comes twice. */
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

/** Sends mail by SMTP. */
export interface Mailer {
  /** Resolves once the server has answered for every address; rejects where none was taken, in words for people. */
  send(mail: Mail): Promise<MailResult>;
}
