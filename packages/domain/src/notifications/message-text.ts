import type { Severity } from "@suncrew/contract/alerts/severity.ts";
import type { Message, MessageLine } from "./message.ts";

export const OPEN_LABEL = "Open in Suncrew";
export const ACKNOWLEDGE_LABEL = "Acknowledge";
export const severityWords: Readonly<Record<Severity, string>> = {
  CRITICAL: "Critical",
  WARNING: "Warning",
  INFO: "Info",
};
/** For channels that have no colours. */
export const severityMarks: Readonly<Record<Severity, string>> = { CRITICAL: "🔴", WARNING: "🟠", INFO: "🔵" };
const CLEARED_MARK = "✅";

export const moreText = (more: number): string => `and ${more} more`;

/** What begins the title where there are no colours, with its blank; empty where nothing is to be said. */
export function titleMark({ kind, severity }: Message): string {
  if (kind === "CLEARED") return `${CLEARED_MARK} `;
  return severity === null ? "" : `${severityMarks[severity]} `;
}

/** Where and when, such as `Bhadla, R-07 · 05:31`; empty if nothing is known. */
export function placeText({ site, robot, at }: MessageLine): string {
  const place = [site, robot].filter((part) => part !== null && part !== "").join(", ");
  return [place, at].filter((part) => part !== "").join(" · ");
}

/** No longer than `max` UTF-16 units, with an ellipsis where something was cut, and no character cut in two. */
export function shortened(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, Math.max(0, max - 1)).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** A message in plain text; without its links it may be shown to people who could not follow them. */
export function plainTextOf(message: Message, { withLinks }: { readonly withLinks: boolean }): string {
  const { title, lines, more, footer, url, acknowledgeUrl, unsubscribeUrl } = message;
  const told = lines.map((line) => {
    const text = line.severity === null ? line.text : `${severityWords[line.severity]}: ${line.text}`;
    return [text, placeText(line), withLinks ? (line.url ?? "") : ""].filter((part) => part !== "").join("\n  ");
  });
  if (more > 0) told.push(moreText(more));
  const links = [
    ...(url === null ? [] : [`${OPEN_LABEL}: ${url}`]),
    ...(acknowledgeUrl === null ? [] : [`${ACKNOWLEDGE_LABEL}: ${acknowledgeUrl}`]),
  ];
  const end = [footer, ...(withLinks && unsubscribeUrl !== null ? [`Unsubscribe: ${unsubscribeUrl}`] : [])];
  const parts = [[title], told, withLinks ? links : [], end.filter((part) => part !== "")];
  return parts
    .filter((part) => part.length > 0)
    .map((part) => part.join("\n"))
    .join("\n\n");
}
