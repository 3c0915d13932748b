import { type WebhookCall, webhookTypes } from "@suncrew/contract/notifications/webhook-call.ts";
import { deliveryTexts } from "@suncrew/domain/notifications/delivery-texts.ts";
import { messageAsText, type Message } from "@suncrew/domain/notifications/message.ts";
import { createHmac } from "node:crypto";
import type { Clock } from "../../../platform/clock.ts";
import type { OutgoingHttp } from "../../../platform/outgoing-http.ts";
import {
  type Channel,
  type HttpAnswer,
  isSuccess,
  missingSecret,
  outcomeOfCall,
  refused,
  retry,
  type SendOutcome,
  waitOf,
} from "./channel.ts";

const SERVICE = "The receiver";
const SECRET_PREFIX = "whsec_";
const GONE = 410;

/** Signed calls after the Standard Webhooks specification 1.0, for everything that is no channel of its own. */
export function webhookChannel(http: OutgoingHttp, clock: Clock): Channel {
  return {
    channel: "WEBHOOK",
    async send(message, { secret: { url, signing_secret: secret, former_signing_secret: former } }, signal) {
      if (url === undefined || secret === undefined) return missingSecret();
      const body = JSON.stringify(callOf(message));
      const secrets = former === undefined ? [secret] : [secret, former];
      return callWebhook(http, clock, { id: message.id, url, body, secrets }, signal);
    },
  };
}

/** One call; the same `id` at each try. Throws only if `signal` aborts. */
export async function callWebhook(
  http: OutgoingHttp,
  clock: Clock,
  call: { readonly id: string; readonly url: string; readonly body: string; readonly secrets: readonly string[] },
  signal: AbortSignal,
): Promise<SendOutcome> {
  const { id, url, body, secrets } = call;
  const headers = signatureHeaders(id, clock.now(), body, secrets);
  const answered = await http.postJson({ url, body, headers }, signal);
  return outcomeOfCall(SERVICE, answered, clock.now(), (answer) => judge(answer, clock.now()));
}

/** `secrets` are `whsec_` and base64. While one is replaced the call is signed with both. */
export function signatureHeaders(id: string, at: Date, body: string, secrets: readonly string[]) {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret, "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}

function callOf(message: Message): WebhookCall {
  const { id, kind, severity, title, lines, more, url, acknowledgeUrl, at } = message;
  return {
    type: webhookTypes[kind],
    timestamp: at.toISOString(),
    data: {
      id,
      severity,
      title,
      // A program reads it: whoever it passes it on to has no subscription here.
      text: messageAsText({ ...message, unsubscribeUrl: null }),
      lines: lines.map((line) => ({ ...line })),
      more,
      url,
      acknowledge_url: acknowledgeUrl,
    },
  };
}

/** Receivers are programs that people still work on: all but 410 may be repaired within the day. */
function judge(answer: HttpAnswer, now: Date): SendOutcome | null {
  const { status } = answer;
  if (isSuccess(answer) || status === 429 || status >= 500) return null;
  if (status === GONE) return refused(deliveryTexts.text("WEBHOOK_GONE", {}));
  return retry(deliveryTexts.text("WEBHOOK_NOT_ACCEPTED", { status }), waitOf(answer, now));
}
