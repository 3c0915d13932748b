import type { DigestContent, SiteNight, SummaryContent } from "@suncrew/contract/notifications/regular-content.ts";
import { type Message, MESSAGE_LINES_MAX, type MessageFrame, type MessageLine, TITLE_NAME_MAX } from "./message.ts";
import { oneLine, recipientTime, shortened } from "./plain-text.ts";

/** One message with a line for each site: those with trouble first. */
export function summaryMessage(frame: MessageFrame, { sites }: SummaryContent): Message {
  const cleaned = sites.filter(({ runs }) => runs > 0);
  const runs = cleaned.reduce((sum, site) => sum + site.runs, 0);
  const done = cleaned.reduce((sum, site) => sum + site.done, 0);
  const lines = cleaned
    .toSorted((one, other) => troubleOf(other) - troubleOf(one) || (one.name < other.name ? -1 : 1))
    .map((site): MessageLine => ({ ...plain(nightText(site)), site: oneLine(site.name), url: site.url }));
  const [only] = cleaned;
  if (only === undefined) {
    return regular(frame, "SUMMARY", "Last night: no runs", [plain("Nothing was to be cleaned last night.")]);
  }
  if (cleaned.length === 1) {
    const heading = `Last night at ${shortened(oneLine(only.name), TITLE_NAME_MAX)}`;
    return { ...regular(frame, "SUMMARY", `${heading}: ${nightText(only)}`, lines), heading };
  }
  const title = `Last night: ${number(done)} of ${counted(runs, "run")} done at ${counted(cleaned.length, "site")}`;
  return regular(frame, "SUMMARY", title, lines);
}

/** "34 of 36 runs, 2 skipped for rain". */
export function nightText({ runs, done, failed, missed, cut_short, skipped, for_rain }: SiteNight): string {
  const others = [
    [failed, "failed"],
    [missed, "missed"],
    [cut_short, "cut short"],
    [skipped - for_rain, "skipped"],
    [for_rain, "skipped for rain"],
  ] as const;
  const parts = others.flatMap(([count, words]) => (count > 0 ? [`${number(count)} ${words}`] : []));
  return [`${number(done)} of ${counted(runs, "run")}`, ...parts].join(", ");
}

const troubleOf = ({ failed, missed, cut_short, skipped, for_rain }: SiteNight) =>
  failed + missed + cut_short + skipped - for_rain;

/** The last day in a few lines; one line where there is nothing to say. */
export function digestMessage(frame: MessageFrame, content: DigestContent): Message {
  const { raised, cleared, done, failed, open, open_count: count } = content;
  const isQuiet = raised + cleared + done + failed + count === 0;
  if (isQuiet)
    return regular(frame, "DIGEST", "The last day: all quiet", [plain("No alerts and no runs in the last 24 hours.")]);
  const parts = [
    raised === 0 ? "no alerts" : counted(raised, "alert"),
    ...(count > 0 ? [`${number(count)} critical open`] : []),
    ...(failed > 0 ? [`${number(failed)} of ${counted(done + failed, "run")} failed`] : []),
    ...(failed === 0 && done > 0 ? [`${counted(done, "run")} done`] : []),
  ];
  const title = `The last day: ${parts.join(", ")}`;
  const sums = [
    plain(`${counted(raised, "alert")} raised and ${number(cleared)} cleared in the last 24 hours.`),
    plain(done + failed === 0 ? "No runs ended." : `${counted(done, "run")} done and ${number(failed)} failed.`),
  ];
  const criticals = open.map(({ severity, text, site, robot, raised_at, url }): MessageLine => ({
    severity,
    text: oneLine(text),
    site: site === null ? null : oneLine(site),
    robot: robot === null ? null : oneLine(robot),
    at: recipientTime(new Date(raised_at), frame.timezone, frame.now),
    url,
  }));
  const message = regular(frame, "DIGEST", title, [...sums, ...criticals]);
  return { ...message, more: message.more + Math.max(0, count - criticals.length) };
}

/** Nothing in it is acknowledged: what is open was told by its rule. */
function regular(
  frame: MessageFrame,
  kind: "DIGEST" | "SUMMARY",
  title: string,
  lines: readonly MessageLine[],
): Message {
  const { id, url, footer, now, unsubscribeUrl = null } = frame;
  const shown = lines.slice(0, MESSAGE_LINES_MAX);
  const more = lines.length - shown.length;
  return {
    id,
    kind,
    url,
    footer,
    at: now,
    severity: null,
    title,
    heading: null,
    lines: shown,
    more,
    acknowledgeUrl: null,
    unsubscribeUrl,
  };
}

const plain = (text: string): MessageLine => ({ severity: null, text, site: null, robot: null, at: null, url: null });
const number = (count: number) => count.toLocaleString("en-GB");
const counted = (count: number, one: string) => `${number(count)} ${count === 1 ? one : `${one}s`}`;
