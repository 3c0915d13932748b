import { deliveryTexts } from "@suncrew/domain/notifications/delivery-texts.ts";
import { layoutOf, type Message } from "@suncrew/domain/notifications/message.ts";
import { shortened } from "@suncrew/domain/notifications/plain-text.ts";
import { z } from "zod";
import type { Clock } from "../../../platform/clock.ts";
import type { OutgoingHttp } from "../../../platform/outgoing-http.ts";
import {
  ACKNOWLEDGE_LABEL,
  type Channel,
  delivered,
  type HttpAnswer,
  isSuccess,
  missingSecret,
  moreText,
  outcomeOfCall,
  refused,
  retry,
  type SendOutcome,
} from "./channel.ts";

const SERVICE = "WhatsApp";
/** WhatsApp takes 1,024 characters for a template with its parameters: enough is left for the template's own. */
const MAX_LINES_TEXT = 400;
const MAX_TITLE = 120;
const BETWEEN = " • ";

/**
 * WhatsApp's Cloud API. A business may begin a conversation with an approved template only; ours has three variables in
 * its body: the heading, the alerts, and the links. A button of the template could have one link only, and would say
 * Acknowledge below an all-clear, too.
 */
export function whatsappChannel(http: OutgoingHttp, apiUrl: string, clock: Clock): Channel {
  return {
    channel: "WHATSAPP",
    async send(message, { address, secret: { token }, options }, signal) {
      if (token === undefined || options === null) return missingSecret();
      const parameters = parametersOf(message).map((text) => ({ type: "text", text }));
      const body = JSON.stringify({
        messaging_product: "whatsapp",
        recipient_type: "individual",
        to: address.replaceAll(/\D/g, ""),
        type: "template",
        template: {
          name: options.template,
          language: { code: options.template_language },
          components: [{ type: "body", parameters }],
        },
        // Comes back with each report about the message.
        biz_opaque_callback_data: message.id,
      });
      const url = `${apiUrl.replace(/\/$/, "")}/${options.phone_number_id}/messages`;
      const call = await http.postJson({ url, body, headers: { authorization: `Bearer ${token}` } }, signal);
      return outcomeOfCall(SERVICE, call, clock.now(), judge);
    },
  };
}

/** None may be empty, have line ends or tabs, or more than four spaces in a row. */
function parametersOf(message: Message): readonly string[] {
  const { more, footer, url, acknowledgeUrl } = message;
  const { heading, lines } = layoutOf(message);
  const told = lines.map(({ word, place, at, text }) => {
    const about = [word, place, at].filter((part) => part !== null).join(", ");
    return about === "" ? text : `${about}: ${text}`;
  });
  const fitting: string[] = [];
  for (const text of told) {
    const length = [...fitting, text].join(BETWEEN).length;
    if (fitting.length > 0 && length > MAX_LINES_TEXT) break;
    fitting.push(shortened(oneLine(text), MAX_LINES_TEXT));
  }
  const left = more + told.length - fitting.length;
  const alerts = [...fitting, ...(left > 0 ? [moreText(left)] : [])].join(BETWEEN) || footer;
  const links = [url, acknowledgeUrl === null ? null : `${ACKNOWLEDGE_LABEL}: ${acknowledgeUrl}`];
  const linked = links.filter((link) => link !== null).join(BETWEEN);
  return [shortened(heading, MAX_TITLE), alerts, linked].map((text) => oneLine(text) || "-");
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, " ").trim();

const answerSchema = z.object({
  messages: z.array(z.object({ id: z.string().max(200) })).optional(),
  error: z.object({ code: z.int() }).optional(),
});

/** API calls, account, number and pair of numbers: too much in too short a time. */
const TOO_MANY = new Set([4, 80007, 130429, 131048, 131056]);
/** Unknown, down, in maintenance. */
const FAILING = new Set([1, 2, 131000, 131016, 131057]);
const TOKEN = new Set([0, 3, 10, 190]);
/** Payment, restrictions, numbers that are not registered or not allowed yet. */
const ACCOUNT = new Set([368, 130497, 131005, 131030, 131031, 131037, 131042, 131045, 133010]);

function judge(answer: HttpAnswer): SendOutcome | null {
  const { status } = answer;
  const { messages, error } = parsed(answer) ?? {};
  if (isSuccess(answer)) {
    const [message] = messages ?? [];
    // Not WhatsApp: something in between answers, such as a network's own page.
    if (message === undefined) return retry(deliveryTexts.text("SERVICE_FAILING", { service: SERVICE, status }));
    return delivered(message.id);
  }
  if (error === undefined) return null;
  const { code } = error;
  // With a status of its own the status says how long to wait.
  if (TOO_MANY.has(code))
    return status === 429 ? null : retry(deliveryTexts.text("SERVICE_BUSY", { service: SERVICE }));
  if (FAILING.has(code)) return retry(deliveryTexts.text("SERVICE_FAILING", { service: SERVICE, status }));
  if (TOKEN.has(code) || (code >= 200 && code <= 299)) return refused(deliveryTexts.text("WHATSAPP_TOKEN_INVALID", {}));
  if (code === 131026 || code === 131021) return refused(deliveryTexts.text("WHATSAPP_UNDELIVERABLE", {}));
  if (code >= 132000 && code <= 132999) return refused(deliveryTexts.text("WHATSAPP_TEMPLATE", { code }));
  if (ACCOUNT.has(code)) return refused(deliveryTexts.text("WHATSAPP_ACCOUNT", { code }));
  return status >= 500 ? null : refused(deliveryTexts.text("WHATSAPP_REFUSED", { code }));
}

function parsed({ body }: HttpAnswer): z.output<typeof answerSchema> | null {
  try {
    return answerSchema.safeParse(JSON.parse(body)).data ?? null;
  } catch {
    return null;
  }
}
