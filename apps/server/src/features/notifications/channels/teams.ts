import { deliveryTexts } from "@suncrew/domain/notifications/delivery-texts.ts";
import { layoutOf, type Message, type ShownLine } from "@suncrew/domain/notifications/message.ts";
import { shortened } from "@suncrew/domain/notifications/plain-text.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { OutgoingHttp } from "../../../platform/outgoing-http.ts";
import {
  ACKNOWLEDGE_LABEL,
  type Channel,
  type HttpAnswer,
  missingSecret,
  moreText,
  OPEN_LABEL,
  outcomeOfCall,
  refused,
  type SendOutcome,
  whereAndWhen,
} from "./channel.ts";

/** Teams takes 28 kB in all. */
const MAX_LINES = 20;
const MAX_TEXT = 300;

/** Workflows of Microsoft Teams, "When a Teams webhook request is received", which replace its connectors. */
export function teamsChannel(http: OutgoingHttp, clock: Clock): Channel {
  return {
    channel: "TEAMS",
    async send(message, { secret: { url } }, signal) {
      if (url === undefined) return missingSecret();
      const call = await http.postJson({ url, body: JSON.stringify(teamsBody(message)) }, signal);
      return outcomeOfCall("Microsoft Teams", call, clock.now(), judge);
    },
  };
}

function teamsBody(message: Message) {
  const { kind, severity, title, more, footer, url, acknowledgeUrl } = message;
  const { heading, lines } = layoutOf(message);
  const left = more + Math.max(0, lines.length - MAX_LINES);
  const color = kind === "CLEARED" ? "Good" : severity === null ? "Default" : colors[severity];
  const content = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.4",
    // What notifications and old readers show.
    fallbackText: title,
    msteams: { width: "Full" },
    body: [
      text([{ text: heading, weight: "Bolder", size: "Medium", color }]),
      ...lines.slice(0, MAX_LINES).flatMap(lineTexts),
      ...(left > 0 ? [text([{ text: moreText(left) }])] : []),
      ...(footer === "" ? [] : [text([{ text: shortened(footer, MAX_TEXT), size: "Small", isSubtle: true }])]),
    ],
    actions: [
      ...(url === null ? [] : [openUrl(url, OPEN_LABEL)]),
      ...(acknowledgeUrl === null ? [] : [openUrl(acknowledgeUrl, ACKNOWLEDGE_LABEL)]),
    ],
  };
  const contentType = "application/vnd.microsoft.card.adaptive";
  return { type: "message", attachments: [{ contentType, contentUrl: null, content }] };
}

const colors = { CRITICAL: "Attention", WARNING: "Warning", INFO: "Accent" } as const;

interface Run {
  readonly text: string;
  readonly weight?: "Bolder";
  readonly size?: "Small" | "Medium";
  readonly color?: string;
  readonly isSubtle?: boolean;
  readonly selectAction?: ReturnType<typeof openUrl>;
}

/** A rich text has no Markdown, so that nothing from outside becomes a link or a heading. */
function text(runs: readonly Run[]) {
  return { type: "RichTextBlock", inlines: runs.map((run) => ({ type: "TextRun", ...run })) };
}

const openUrl = (url: string, title: string) => ({ type: "Action.OpenUrl", title, url });

function lineTexts(line: ShownLine) {
  const { severity, word, url } = line;
  const place = whereAndWhen(line);
  const told = text([
    ...(severity === null ? [] : [{ text: `${word}: `, weight: "Bolder" as const, color: colors[severity] }]),
    { text: shortened(line.text, MAX_TEXT), ...(url !== null && { selectAction: openUrl(url, OPEN_LABEL) }) },
  ]);
  if (place === "") return [told];
  return [told, { ...text([{ text: shortened(place, MAX_TEXT), isSubtle: true }]), spacing: "None" }];
}

/** Accepted is 202; whether the workflow then posts it, Teams tells its owner only. */
function judge({ status, body }: HttpAnswer): SendOutcome | null {
  if (status === 404 || status === 410 || (status === 400 && body.includes("WorkflowTriggerIsNotEnabled"))) {
    return refused(deliveryTexts.text("TEAMS_WORKFLOW_GONE", {}));
  }
  if (status === 401 || status === 403) return refused(deliveryTexts.text("TEAMS_ADDRESS_INVALID", {}));
  return null;
}
