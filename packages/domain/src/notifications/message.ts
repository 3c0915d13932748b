import type { Severity } from "@suncrew/contract/alerts/severity.ts";
import type { MessageKind } from "@suncrew/contract/notifications/deliveries.ts";
import type { AlertKind } from "@suncrew/contract/notifications/notification-rules.ts";
import { isWorse, severityRank } from "../alerts/severity-order.ts";
import { oneLine, recipientTime, recipientTimes, shortened, shortenedSentences } from "./plain-text.ts";

/** The title in characters, as a phone shows it. */
export const TITLE_MAX = 120;
/** The lines that a person reads; the console has the others. */
export const MESSAGE_LINES_MAX = 12;

/** What is told, in plain text, from which each channel makes its own format and escapes for it. */
export interface Message {
  /** Of the delivery, a UUID; the same at every try. */
  readonly id: string;
  readonly kind: MessageKind;
  /** Of the worst alert; null if it tells no open one. */
  readonly severity: Severity | null;
  /** One line of at most `TITLE_MAX` characters: what a phone shows. */
  readonly title: string;
  /** Where its one line tells the rest of the title: how bad and where. Null: the title stands above the lines. */
  readonly heading: string | null;
  /** The worst first. */
  readonly lines: readonly MessageLine[];
  /** Lines left out. */
  readonly more: number;
  /** Why the recipient gets it. */
  readonly footer: string;
  /** The exact place in the console. */
  readonly url: string | null;
  /** A signed link. */
  readonly acknowledgeUrl: string | null;
  /** A signed link, for email. */
  readonly unsubscribeUrl: string | null;
  readonly at: Date;
}

export interface MessageLine {
  /** Null if it is no open alert. */
  readonly severity: Severity | null;
  /** One line. */
  readonly text: string;
  readonly site: string | null;
  readonly robot: string | null;
  /** By the recipient's clock, as text. */
  readonly at: string | null;
  readonly url: string | null;
}

/** What a message needs beside what it tells. */
export interface MessageFrame extends Pick<Message, "id" | "url" | "footer"> {
  readonly acknowledgeUrl?: string | null;
  readonly unsubscribeUrl?: string | null;
  /** The recipient's. */
  readonly timezone: string;
  readonly now: Date;
}

/** An alert to tell. */
export interface ToldAlert {
  /** A bigint as text. */
  readonly id: string;
  readonly kind: AlertKind;
  readonly severity: Severity;
  readonly text: string;
  /** This and the name are null for alerts about Suncrew's own servers. */
  readonly siteId: number | null;
  readonly site: string | null;
  /** Its text may have times by the site's clock. */
  readonly siteTimezone: string | null;
  /** This and the name are null for alerts about a whole site or Suncrew's own servers. */
  readonly robotId: number | null;
  readonly robot: string | null;
  readonly raisedAt: Date;
  readonly clearedAt: Date | null;
  readonly url: string | null;
  /** It was told before, and nobody has acknowledged it. */
  readonly again?: boolean;
}

/** Tells open alerts: at least one. */
export function alertsMessage(frame: MessageFrame, alerts: readonly ToldAlert[]): Message {
  const told = absorbed(alerts);
  const lines = told.slice(0, MESSAGE_LINES_MAX).map((alert) => ({
    ...lineOf(alert),
    at: byBothClocks(alert, frame, (timezone) => recipientTime(alert.raisedAt, timezone, frame.now)),
  }));
  const severity = told.reduce<Severity | null>((worst, one) => worseOf(worst, one.severity), null);
  const more = told.length - lines.length;
  return { ...framed(frame, "ALERTS"), severity, title: titleOf(told), heading: headingOf(told), lines, more };
}

/** Tells whoever was told of alerts that they are over: at least one. */
export function clearedMessage(frame: MessageFrame, alerts: readonly ToldAlert[]): Message {
  const told = absorbed(alerts);
  const lines = told.slice(0, MESSAGE_LINES_MAX).map((alert) => ({
    ...lineOf(alert),
    severity: null,
    at: byBothClocks(alert, frame, (timezone) =>
      recipientTimes(alert.raisedAt, alert.clearedAt ?? frame.now, timezone, frame.now),
    ),
  }));
  const [only] = told;
  const framedCleared = { ...framed(frame, "CLEARED"), lines, more: told.length - lines.length };
  return only !== undefined && told.length === 1
    ? { ...framedCleared, title: titled(`Cleared: ${subjectOf(only)}`), heading: `Cleared: ${placeInTitle(only)}` }
    : { ...framedCleared, title: titled(`Cleared: ${counted(told.length, "alert")} ${placesOf(told)}`) };
}

/** Shows that a contact point works. */
export function testMessage(frame: MessageFrame, contactPoint: string): Message {
  const text = `This is a test of the contact point ${oneLine(contactPoint)}. Alerts will arrive like this.`;
  const line = { severity: null, text, site: null, robot: null, url: null };
  return {
    ...framed(frame, "TEST"),
    title: "Test message from Suncrew",
    lines: [{ ...line, at: recipientTime(frame.now, frame.timezone, frame.now) }],
  };
}

/** Why somebody is told: by these rules, or by what they subscribed to. */
export function footerOf(rules: readonly { readonly name: string; readonly own: boolean }[]): string {
  const namesOf = (own: boolean) => [
    ...new Set(rules.filter((rule) => rule.own === own).map(({ name }) => oneLine(name))),
  ];
  const [subscriptions, others] = [namesOf(true), namesOf(false)];
  const reasons = [
    ...(subscriptions.length > 0
      ? [`your ${subscriptions.length === 1 ? "subscription" : "subscriptions"} ${listed(subscriptions)}`]
      : []),
    ...(others.length > 0 ? [`the ${others.length === 1 ? "rule" : "rules"} ${listed(others)}`] : []),
  ];
  return reasons.length === 0 ? "" : `You get this because of ${reasons.join(" and ")}.`;
}

/**
 * The plain text that emails, SMS gateways and others share. Without its links for the log of deliveries: whoever has
 * a signed link can use it.
 */
export function messageAsText(message: Message, links: "with links" | "without links" = "with links"): string {
  const isLinked = links === "with links";
  const { heading, lines: shown } = layoutOf(message);
  const lines = shown.flatMap(({ at, word, place, text, url }) => {
    const about = [at, word, place].filter((part) => part !== null).join(", ");
    if (shown.length + message.more === 1) return [text, ...(about === "" ? [] : [about])];
    return [
      ...(about === "" ? [`- ${text}`] : [`- ${about}`, `  ${text}`]),
      ...(isLinked && url !== null && url !== message.url ? [`  ${url}`] : []),
    ];
  });
  const parts = [
    [heading],
    [...lines, ...(message.more > 0 ? [`… and ${number(message.more)} more`] : [])],
    isLinked
      ? [
          ...(message.url === null ? [] : [`Open: ${message.url}`]),
          ...(message.acknowledgeUrl === null ? [] : [`Acknowledge: ${message.acknowledgeUrl}`]),
        ]
      : [],
    [
      ...(message.footer === "" ? [] : [message.footer]),
      ...(isLinked && message.unsubscribeUrl !== null ? [`Unsubscribe: ${message.unsubscribeUrl}`] : []),
    ],
  ];
  return parts
    .filter((part) => part.length > 0)
    .map((part) => part.join("\n"))
    .join("\n\n");
}

/** A line as people read it below the heading. */
export interface ShownLine extends Pick<MessageLine, "severity" | "text" | "at" | "url"> {
  /** The severity's. */
  readonly word: string | null;
  /** "Robot R-12 at Sunfield". */
  readonly place: string | null;
}

/** What stands above the lines, and the lines without what it says already. */
export function layoutOf({ title, heading, lines }: Message): {
  readonly heading: string;
  readonly lines: readonly ShownLine[];
} {
  return {
    heading: heading ?? title,
    lines: lines.map((line) => {
      const { severity, text, at, url } = line;
      return heading === null
        ? { text, at, url, severity, word: severity === null ? null : severityWords[severity], place: placeOf(line) }
        : { text, at, url, severity: null, word: null, place: null };
    }),
  };
}

/** How messages call severities. */
const severityWords: Readonly<Record<Severity, string>> = {
  CRITICAL: "Critical",
  WARNING: "Warning",
  INFO: "Info",
};

/** "Robot R-12 at Sunfield", "Sunfield"; null for alerts about Suncrew's own servers, and for what is no alert. */
function placeOf({ robot, site }: Pick<MessageLine, "robot" | "site">): string | null {
  if (robot === null) return site;
  const name = /^robot\b/iu.test(robot) ? robot : `Robot ${robot}`;
  return site === null ? name : `${name} at ${site}`;
}

function framed({ id, url, footer, now, ...frame }: MessageFrame, kind: MessageKind) {
  const { acknowledgeUrl = null, unsubscribeUrl = null } = frame;
  return { id, kind, url, footer, at: now, severity: null, heading: null, more: 0, acknowledgeUrl, unsubscribeUrl };
}

interface CountedAlert extends ToldAlert {
  /** Alerts of offline robots that belong to that of their dark site. */
  readonly absorbs: number;
}

/** Of a robot: why its run went wrong is told in the same line as that it did. */
const causes: readonly AlertKind[] = [
  "LOST_WHILE_MOVING",
  "STUCK",
  "ROBOT_FAULT",
  "LOW_BATTERY",
  "OFFLINE_TOO_LONG",
  "COMMAND_UNCONFIRMED",
];
const ofRuns: readonly AlertKind[] = ["RUN_FAILED", "RUN_SKIPPED"];

function withRuns(alerts: readonly ToldAlert[]): ToldAlert[] {
  const causeOf = new Map<number | null, ToldAlert>();
  for (const alert of alerts.filter(({ kind, robotId }) => robotId !== null && causes.includes(kind))) {
    const other = causeOf.get(alert.robotId);
    if (other === undefined || isWorse(alert.severity, other.severity)) causeOf.set(alert.robotId, alert);
  }
  const joins = ({ kind, robotId }: ToldAlert) => ofRuns.includes(kind) && causeOf.has(robotId);
  const runs = Map.groupBy(alerts.filter(joins), ({ robotId }) => robotId);
  return alerts
    .filter((alert) => !joins(alert))
    .map((alert) => {
      const own = causeOf.get(alert.robotId) === alert ? (runs.get(alert.robotId) ?? []) : [];
      if (own.length === 0) return alert;
      const all = [alert, ...own];
      const severity = own.reduce<Severity>((worst, run) => worseOf(worst, run.severity), alert.severity);
      const text = all.map((each) => sentence(each.text)).join(" ");
      return { ...alert, severity, text, again: all.every(({ again }) => again === true) };
    });
}

/** Robots end their texts as they like. */
function sentence(text: string): string {
  const line = oneLine(text);
  return /[.!?…]$/u.test(line) ? line : `${line}.`;
}

/** The worst first, then the newest; a dark site stands for its offline robots, a robot's fault for its run. */
function absorbed(alerts: readonly ToldAlert[]): CountedAlert[] {
  const offline = new Map<number | null, number>();
  const dark = new Set(alerts.filter(({ kind }) => kind === "SITE_DARK").map(({ siteId }) => siteId));
  const told = alerts.filter(({ kind, siteId }) => {
    if (kind !== "OFFLINE_TOO_LONG" || !dark.has(siteId)) return true;
    offline.set(siteId, (offline.get(siteId) ?? 0) + 1);
    return false;
  });
  return withRuns(told)
    .map((alert) => ({ ...alert, absorbs: alert.kind === "SITE_DARK" ? (offline.get(alert.siteId) ?? 0) : 0 }))
    .toSorted(
      (one, other) =>
        severityRank[one.severity] - severityRank[other.severity] ||
        other.raisedAt.getTime() - one.raisedAt.getTime() ||
        other.id.length - one.id.length ||
        (one.id < other.id ? 1 : -1),
    );
}

function lineOf({ severity, text, site, robot, url, absorbs }: CountedAlert): Omit<MessageLine, "at"> {
  const stands = absorbs === 0 ? "" : ` This covers ${counted(absorbs, "alert")} of its offline robots.`;
  const names = { site: site === null ? null : oneLine(site), robot: robot === null ? null : oneLine(robot) };
  return { severity, text: `${oneLine(text)}${stands}`, ...names, url };
}

/** By the recipient's clock; and by the site's where that shows something else, because texts have its times. */
function byBothClocks(
  { siteTimezone }: ToldAlert,
  { timezone }: MessageFrame,
  textIn: (timezone: string) => string,
): string {
  const own = textIn(timezone);
  const there = siteTimezone === null ? own : textIn(siteTimezone);
  return own === there ? own : `${own} (${there} at the site)`;
}

/** Long names leave room in the title for what happened. */
export const TITLE_NAME_MAX = 30;

function titleOf(told: readonly CountedAlert[]): string {
  const isAgain = told.every(({ again }) => again === true);
  const [only] = told;
  if (only !== undefined && told.length === 1) return titled(`${severityOf(only)}: ${subjectOf(only)}`);
  const counts = (["CRITICAL", "WARNING", "INFO"] as const).flatMap((severity) => {
    const count = told.filter((one) => one.severity === severity).length;
    if (count === 0) return [];
    return [
      severity === "WARNING" ? counted(count, "warning") : `${number(count)} ${severityWords[severity].toLowerCase()}`,
    ];
  });
  const alerts = counted(told.length, "alert");
  return titled(`${alerts} ${isAgain ? "still open " : ""}${placesOf(told)}: ${counts.join(", ")}`);
}

/** Of one alert alone. */
function headingOf(told: readonly CountedAlert[]): string | null {
  const [only] = told;
  return only !== undefined && told.length === 1 ? `${severityOf(only)}: ${placeInTitle(only)}` : null;
}

const severityOf = ({ severity, again }: ToldAlert) =>
  `${severityWords[severity]}${again === true ? ", still open" : ""}`;

/** Where and what, of one alert. */
const subjectOf = (alert: ToldAlert) => `${placeInTitle(alert)}: ${oneLine(alert.text)}`;

function placeInTitle({ site, robot }: ToldAlert): string {
  const [shortSite = null, shortRobot = null] = [site, robot].map((name) =>
    name === null ? null : shortened(oneLine(name), TITLE_NAME_MAX),
  );
  return placeOf({ site: shortSite, robot: shortRobot }) ?? "Suncrew";
}

/** "at Sunfield", "at 3 sites", "at 3 sites and of Suncrew's servers". */
function placesOf(told: readonly ToldAlert[]): string {
  const sites = new Map(told.flatMap(({ siteId, site }) => (siteId === null ? [] : [[siteId, site] as const])));
  const [site] = sites.values();
  const named = site === undefined || site === null ? "1 site" : shortened(oneLine(site), TITLE_NAME_MAX);
  const places = sites.size === 1 ? named : counted(sites.size, "site");
  const isOfServers = told.some(({ siteId }) => siteId === null);
  if (sites.size === 0) return "of Suncrew's servers";
  return isOfServers ? `at ${places} and of Suncrew's servers` : `at ${places}`;
}

function titled(title: string): string {
  return shortenedSentences(title, TITLE_MAX).replace(/\.$/, "");
}

function worseOf(one: Severity | null, other: Severity): Severity {
  return one === null || isWorse(other, one) ? other : one;
}

const number = (count: number) => count.toLocaleString("en-GB");
const counted = (count: number, one: string) => `${number(count)} ${count === 1 ? one : `${one}s`}`;

/** In quotation marks; at most three. */
function listed(names: readonly string[]): string {
  const quoted = names.slice(0, 3).map((name) => `“${name}”`);
  const rest = names.length - quoted.length;
  const parts = rest > 0 ? [...quoted, `${rest} more`] : quoted;
  return parts.length === 1 ? (parts[0] ?? "") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1) ?? ""}`;
}
