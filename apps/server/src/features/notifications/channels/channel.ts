import type { Severity } from "@suncrew/contract/alerts/severity.ts";
import type { CodedText } from "@suncrew/contract/http/coded-text.ts";
import type { ChannelKind, WhatsappOptions } from "@suncrew/contract/notifications/contact-points.ts";
import { deliveryTexts } from "@suncrew/domain/notifications/delivery-texts.ts";
import type { Message, ShownLine } from "@suncrew/domain/notifications/message.ts";
import type { HttpOutcome } from "../../../platform/outgoing-http.ts";

/** Where a message goes. */
export interface Destination {
  /** EMAIL: the address. TELEGRAM: the chat. WHATSAPP: the phone number. Of others: what people see of it. */
  readonly address: string;
  readonly secret: {
    /** SLACK, TEAMS, WEBHOOK: the address to call. */
    readonly url?: string;
    /** TELEGRAM, WHATSAPP. */
    readonly token?: string;
    /** WEBHOOK: `whsec_` and base64. */
    readonly signing_secret?: string;
    /** WEBHOOK: the one before, as long as both count. */
    readonly former_signing_secret?: string;
  };
  /** WHATSAPP. */
  readonly options: WhatsappOptions | null;
}

export type SendOutcome =
  | {
      readonly outcome: "DELIVERED";
      /** What the service calls the message. */
      readonly reference?: string;
    }
  /** It may succeed later; `afterMs` is how long the service asks to wait. */
  | { readonly outcome: "RETRY"; readonly reason: CodedText; readonly afterMs?: number }
  /** It will not succeed as it is. */
  | { readonly outcome: "REFUSED"; readonly reason: CodedText };

/** A way to reach people. */
export interface Channel {
  readonly channel: ChannelKind;
  /** Sends once. Whatever the service answers is an outcome: throws only if `signal` aborts. */
  send(message: Message, to: Destination, signal: AbortSignal): Promise<SendOutcome>;
}

export type HttpAnswer = Extract<HttpOutcome, { readonly kind: "answered" }>;

export const delivered = (reference?: string): SendOutcome => ({
  outcome: "DELIVERED",
  ...(reference !== undefined && { reference }),
});
export const refused = (reason: CodedText): SendOutcome => ({ outcome: "REFUSED", reason });
export const retry = (reason: CodedText, afterMs: number | null = null): SendOutcome => ({
  outcome: "RETRY",
  reason,
  ...(afterMs !== null && { afterMs }),
});

export const missingSecret = (): SendOutcome => refused(deliveryTexts.text("SECRET_MISSING", {}));

/** What a call means; `judge` knows what the service's own answers mean, and is null where the status says enough. */
export function outcomeOfCall(
  service: string,
  call: HttpOutcome,
  now: Date,
  judge: (answer: HttpAnswer) => SendOutcome | null,
): SendOutcome {
  switch (call.kind) {
    case "answered":
      return judge(call) ?? outcomeOfStatus(service, call, now);
    case "unreachable":
      return retry(deliveryTexts.text("SERVICE_UNREACHABLE", { service, code: call.code }));
    case "unknown":
      return retry(deliveryTexts.text("SERVICE_SILENT", { service, code: call.code }));
    case "forbidden":
      return refused(
        call.because === "URL"
          ? deliveryTexts.text("ADDRESS_NOT_CALLABLE", {})
          : deliveryTexts.text("ADDRESS_IS_PRIVATE", {}),
      );
  }
}

const REQUEST_TIMEOUT = 408;
const TOO_EARLY = 425;
const TOO_MANY = 429;

export const isSuccess = ({ status }: HttpAnswer): boolean => status >= 200 && status <= 299;

function outcomeOfStatus(service: string, answer: HttpAnswer, now: Date): SendOutcome {
  const { status } = answer;
  if (isSuccess(answer)) return delivered();
  if (status === TOO_MANY) return retry(deliveryTexts.text("SERVICE_BUSY", { service }), waitOf(answer, now));
  if (status >= 500 || status === REQUEST_TIMEOUT || status === TOO_EARLY) {
    return retry(deliveryTexts.text("SERVICE_FAILING", { service, status }), waitOf(answer, now));
  }
  return refused(deliveryTexts.text("SERVICE_REFUSED", { service, status }));
}

/** How long `Retry-After` asks to wait, in milliseconds: seconds, or a date (RFC 9110, 10.2.3). */
export function waitOf({ headers }: HttpAnswer, now: Date): number | null {
  const text = headers["retry-after"]?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const at = text === "" ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime());
}

// What channels write alike

export const OPEN_LABEL = "Open in Suncrew";
export const ACKNOWLEDGE_LABEL = "Acknowledge";

export const moreText = (more: number): string => `… and ${more} more`;

/** For channels without colours of their own. */
export const severityMarks: Readonly<Record<Severity, string>> = { CRITICAL: "🔴", WARNING: "🟠", INFO: "🔵" };

/** A title or heading with the mark of what it tells. */
export function marked(text: string, { kind, severity }: Message): string {
  const mark = kind === "CLEARED" ? "✅" : severity === null ? null : severityMarks[severity];
  return mark === null ? text : `${mark} ${text}`;
}

/** Where and when, such as `Robot R-07 at Bhadla · 05:31 IST`; empty if nothing is known. */
export function whereAndWhen({ place, at }: ShownLine): string {
  return [place, at].filter((part) => part !== null).join(" · ");
}
