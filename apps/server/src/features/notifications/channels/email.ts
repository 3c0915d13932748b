import type { CodedText } from "@suncrew/contract/http/coded-text.ts";
import { messageAsText, type Message } from "@suncrew/domain/notifications/message.ts";
import { mailTexts } from "../../../platform/mail-texts.ts";
import { type Mail, type Mailer, MailRefused } from "../../../platform/mailer.ts";
import { type Channel, delivered, refused, retry } from "./channel.ts";
import { mailHtml } from "./mail-html.ts";
import { mailHeaders } from "../message-links.ts";

/** Less than the lease of a delivery, so that no other server sends it meanwhile. */
const MAX_MS = 60_000;

/** Email over the installation's mail server. */
export function emailChannel(mailer: Mailer, maxMs = MAX_MS): Channel {
  return {
    channel: "EMAIL",
    async send(message, { address }, signal) {
      const mail = mailOf(message, address);
      try {
        const { rejected } = await mailer.send(mail, AbortSignal.any([signal, AbortSignal.timeout(maxMs)]));
        const [refusal] = rejected;
        if (refusal === undefined) return delivered(mail.messageId);
        const { address: rejectedAddress, reason: answer, isTemporary } = refusal;
        const reason = mailTexts.text("RECIPIENTS_REJECTED", {
          rejected: [{ address: rejectedAddress, reason: answer }],
        });
        return outcomeOf(reason, isTemporary !== true);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof MailRefused) return outcomeOf(error.reason, error.isFinal);
        return retry(mailTexts.text("MAIL_FAILED", {}));
      }
    },
  };
}

const outcomeOf = (reason: CodedText, isFinal: boolean) => (isFinal ? refused(reason) : retry(reason));

function mailOf(message: Message, address: string): Mail {
  const { id, title, unsubscribeUrl } = message;
  return {
    messageId: id,
    to: [address],
    subject: title,
    text: `${messageAsText(message)}\n`,
    html: mailHtml(message),
    headers: mailHeaders(unsubscribeUrl),
  };
}
