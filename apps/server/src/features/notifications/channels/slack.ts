import type { CodedText } from "@suncrew/contract/http/coded-text.ts";
import { deliveryTexts } from "@suncrew/domain/notifications/delivery-texts.ts";
import { layoutOf, type Message, type ShownLine } from "@suncrew/domain/notifications/message.ts";
import { shortened } from "@suncrew/domain/notifications/plain-text.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { OutgoingHttp } from "../../../platform/outgoing-http.ts";
import {
  ACKNOWLEDGE_LABEL,
  type Channel,
  type HttpAnswer,
  marked,
  missingSecret,
  moreText,
  OPEN_LABEL,
  outcomeOfCall,
  refused,
  type SendOutcome,
  severityMarks,
  whereAndWhen,
} from "./channel.ts";

/** Slack allows 50 blocks of 3,000 characters, and 150 in a header. */
const MAX_LINES = 40;
const MAX_TEXT = 500;
const MAX_HEADER = 150;

/** Incoming webhooks of Slack, and of servers that accept the same, such as Mattermost. */
export function slackChannel(http: OutgoingHttp, clock: Clock): Channel {
  return {
    channel: "SLACK",
    async send(message, { secret: { url } }, signal) {
      if (url === undefined) return missingSecret();
      const call = await http.postJson({ url, body: JSON.stringify(slackBody(message)) }, signal);
      return outcomeOfCall("Slack", call, clock.now(), judge);
    },
  };
}

function slackBody(message: Message) {
  const { title, more, footer, url, acknowledgeUrl } = message;
  const { heading, lines } = layoutOf(message);
  const left = more + Math.max(0, lines.length - MAX_LINES);
  const links = [
    ...(url === null ? [] : [link(url, OPEN_LABEL)]),
    ...(acknowledgeUrl === null ? [] : [link(acknowledgeUrl, ACKNOWLEDGE_LABEL)]),
  ];
  return {
    // What notifications show.
    text: escaped(shortened(marked(title, message), MAX_HEADER)),
    blocks: [
      {
        type: "header",
        text: { type: "plain_text", text: shortened(marked(heading, message), MAX_HEADER), emoji: false },
      },
      ...lines.slice(0, MAX_LINES).map((line) => section(lineText(line))),
      ...(left > 0 ? [section(moreText(left))] : []),
      // As text: a button would ask Slack for an app that answers it.
      ...(links.length > 0 ? [section(links.join("   "))] : []),
      ...(footer === "" ? [] : [{ type: "context", elements: [mrkdwn(escaped(shortened(footer, MAX_TEXT)))] }]),
    ],
    unfurl_links: false,
    unfurl_media: false,
  };
}

/** `verbatim`: names and addresses in texts from outside become no links. */
const mrkdwn = (text: string) => ({ type: "mrkdwn", text, verbatim: true });
const section = (text: string) => ({ type: "section", text: mrkdwn(text) });

function lineText(line: ShownLine): string {
  const mark = line.severity === null ? "" : `${severityMarks[line.severity]} `;
  const text = shortened(line.text, MAX_TEXT);
  const place = whereAndWhen(line);
  const told = `${mark}${line.url === null ? escaped(text) : link(line.url, text)}`;
  return place === "" ? told : `${told}\n${escaped(shortened(place, MAX_TEXT))}`;
}

const link = (url: string, label: string) =>
  `<${escaped(url).replaceAll("|", "%7C")}|${escaped(label).replaceAll(/[|\n]/g, " ")}>`;

/** All that Slack asks to escape; `<!channel>` in a robot's text calls nobody. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Slack answers with one word of these. */
const reasons: Readonly<Record<string, CodedText>> = {
  no_service: deliveryTexts.text("SLACK_WEBHOOK_GONE", {}),
  no_service_id: deliveryTexts.text("SLACK_WEBHOOK_GONE", {}),
  no_team: deliveryTexts.text("SLACK_WEBHOOK_GONE", {}),
  team_disabled: deliveryTexts.text("SLACK_WEBHOOK_GONE", {}),
  invalid_token: deliveryTexts.text("SLACK_WEBHOOK_GONE", {}),
  channel_not_found: deliveryTexts.text("SLACK_CHANNEL_GONE", {}),
  channel_is_archived: deliveryTexts.text("SLACK_CHANNEL_GONE", {}),
  action_prohibited: deliveryTexts.text("SLACK_FORBIDDEN", {}),
  posting_to_general_channel_denied: deliveryTexts.text("SLACK_FORBIDDEN", {}),
};

function judge({ status, body }: HttpAnswer): SendOutcome | null {
  const word = body.trim();
  if (status < 400 || status > 499 || status === 429 || !/^[a-z_]{1,60}$/.test(word)) return null;
  const known = Object.hasOwn(reasons, word) ? reasons[word] : undefined;
  return refused(known ?? deliveryTexts.text("SLACK_REFUSED", { answer: word }));
}
