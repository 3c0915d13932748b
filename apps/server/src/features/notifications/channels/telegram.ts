import { deliveryTexts } from "@suncrew/domain/notifications/delivery-texts.ts";
import { layoutOf, type Message, type ShownLine } from "@suncrew/domain/notifications/message.ts";
import { oneLine, shortened } from "@suncrew/domain/notifications/plain-text.ts";
import { z } from "zod";
import type { Clock } from "../../../platform/clock.ts";
import type { OutgoingHttp } from "../../../platform/outgoing-http.ts";
import {
  ACKNOWLEDGE_LABEL,
  type Channel,
  delivered,
  type HttpAnswer,
  isSuccess,
  marked,
  missingSecret,
  moreText,
  OPEN_LABEL,
  outcomeOfCall,
  refused,
  retry,
  type SendOutcome,
  severityMarks,
  whereAndWhen,
} from "./channel.ts";

/** Telegram takes 4,096 characters after its tags are read; without counting them this is always less. */
const MAX_MESSAGE = 4_096;
const MAX_TEXT = 300;

/** Telegram's Bot API: sendMessage to a person, a group or a channel. */
export function telegramChannel(http: OutgoingHttp, apiUrl: string, clock: Clock): Channel {
  return {
    channel: "TELEGRAM",
    async send(message, { address, secret: { token } }, signal) {
      if (token === undefined) return missingSecret();
      const body = JSON.stringify({
        chat_id: address,
        text: telegramText(message),
        parse_mode: "HTML",
        link_preview_options: { is_disabled: true },
      });
      const url = `${apiUrl.replace(/\/$/, "")}/bot${encodeURIComponent(token).replaceAll("%3A", ":")}/sendMessage`;
      const call = await http.postJson({ url, body }, signal);
      return outcomeOfCall("Telegram", call, clock.now(), (answer) => judge(answer, token));
    },
  };
}

/** As many lines as fit. */
function telegramText(message: Message): string {
  const { more, footer, url, acknowledgeUrl } = message;
  const { heading, lines } = layoutOf(message);
  const head = `<b>${escaped(marked(heading, message))}</b>`;
  const links = [
    ...(url === null ? [] : [link(url, OPEN_LABEL)]),
    ...(acknowledgeUrl === null ? [] : [link(acknowledgeUrl, ACKNOWLEDGE_LABEL)]),
  ].join("   ");
  const foot = footer === "" ? "" : `<i>${escaped(shortened(footer, MAX_TEXT))}</i>`;
  const withLines = (count: number) => {
    const left = more + lines.length - count;
    const told = [
      ...lines.slice(0, count).map((line) => lineText(line, lines.length + more === 1)),
      ...(left > 0 ? [moreText(left)] : []),
    ];
    return [head, told.join("\n"), links, foot].filter((part) => part !== "").join("\n\n");
  };
  let count = lines.length;
  while (count > 0 && withLines(count).length > MAX_MESSAGE) count--;
  return withLines(count);
}

function lineText(line: ShownLine, isOnly: boolean): string {
  const mark = line.severity === null ? (isOnly ? "" : "• ") : `${severityMarks[line.severity]} `;
  const text = shortened(line.text, MAX_TEXT);
  const told = `${mark}${line.url === null ? escaped(text) : link(line.url, text)}`;
  const place = whereAndWhen(line);
  return place === "" ? told : `${told}\n${escaped(shortened(place, MAX_TEXT))}`;
}

const link = (url: string, label: string) => `<a href="${escaped(url)}">${escaped(label)}</a>`;

/** What the Bot API asks to escape, and the quotation mark for addresses. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

const answerSchema = z.object({
  ok: z.boolean(),
  result: z.object({ message_id: z.int() }).optional(),
  description: z.string().optional(),
  parameters: z
    .object({ retry_after: z.number().nonnegative().optional(), migrate_to_chat_id: z.int().optional() })
    .optional(),
});

function judge(answer: HttpAnswer, token: string): SendOutcome | null {
  const { status } = answer;
  const { ok, result, description = "", parameters = {} } = parsed(answer) ?? {};
  if (isSuccess(answer)) {
    // Not Telegram: something in between answers, such as a network's own page.
    if (ok !== true) return retry(deliveryTexts.text("SERVICE_FAILING", { service: "Telegram", status }));
    return delivered(result === undefined ? undefined : String(result.message_id));
  }
  if (ok !== false) return null;
  if (status === 429) {
    const { retry_after: seconds } = parameters;
    const wait = seconds === undefined ? null : seconds * 1000;
    return wait === null ? null : retry(deliveryTexts.text("SERVICE_BUSY", { service: "Telegram" }), wait);
  }
  // The token is part of the address, which nobody else has.
  if (status === 401 || status === 404) return refused(deliveryTexts.text("TELEGRAM_TOKEN_INVALID", {}));
  if (status === 403) return refused(deliveryTexts.text("TELEGRAM_BLOCKED", {}));
  if (status !== 400) return null;
  if (parameters.migrate_to_chat_id !== undefined) {
    return refused(deliveryTexts.text("TELEGRAM_CHAT_MOVED", { chat: String(parameters.migrate_to_chat_id) }));
  }
  if (/chat not found|peer_id_invalid|chat_id is empty/i.test(description)) {
    return refused(deliveryTexts.text("TELEGRAM_CHAT_NOT_FOUND", {}));
  }
  const text = shortened(oneLine(description.replaceAll(token, "…")), 200);
  return refused(deliveryTexts.text("TELEGRAM_REFUSED", { answer: text }));
}

function parsed({ body }: HttpAnswer): z.output<typeof answerSchema> | null {
  try {
    return answerSchema.safeParse(JSON.parse(body)).data ?? null;
  } catch {
    return null;
  }
}
