import { stripInvisible } from "@suncrew/contract/http/text.ts";

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** A text of a robot or a person as one line: no invisible characters, no line breaks. */
export function oneLine(text: string): string {
  return stripInvisible(text).replaceAll(/\s+/gu, " ").trim();
}

/** At most `max` characters: as many whole sentences as fit, if they are half of it, else whole words. */
export function shortenedSentences(text: string, max: number): string {
  const sentences = text.slice(0, max + 1).lastIndexOf(". ");
  return text.length > max && sentences >= max / 2 ? text.slice(0, sentences + 1) : shortened(text, max);
}

/** At most `max` characters: whole words and an ellipsis. */
export function shortened(text: string, max: number): string {
  if (text.length <= max) return text;
  let cut = 0;
  for (const { index, segment } of graphemes.segment(text)) {
    if (index + segment.length > max - 1) break;
    cut = index + segment.length;
  }
  const space = text.slice(0, cut + 1).lastIndexOf(" ");
  // A single long word, or a script without spaces, is cut between two of its characters.
  const end = space >= max / 2 ? space : cut;
  return `${text.slice(0, end).replace(/[\s,;:.(–-]+$/u, "")}…`;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function partsOf(at: Date, timezone: string, locale: string): Partial<Record<Intl.DateTimeFormatPartTypes, string>> {
  const key = `${locale} ${timezone}`;
  const format =
    formats.get(key) ??
    new Intl.DateTimeFormat(locale, {
      weekday: "short",
      day: "numeric",
      month: "short",
      year: "numeric",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
      timeZone: timezone,
      timeZoneName: "short",
    });
  formats.set(key, format);
  return Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
}

/** Each knows the names of its own country's zones only. */
const LOCALES = ["en-GB", "en-IN", "en-US", "en-AU", "en-ZA"] as const;

/** "IST" or "CEST"; "GMT+5:45" for a zone without a name that people know. */
function zoneName(at: Date, timezone: string): string {
  const names = LOCALES.map((locale) => partsOf(at, timezone, locale).timeZoneName ?? "UTC");
  return names.find((name) => !/^GMT[+-]/.test(name)) ?? names[0] ?? "UTC";
}

/** A time by the recipient's clock: "05:31 IST", or "Thu 26 Nov, 05:31 IST" if it is not today there. */
export function recipientTime(at: Date, timezone: string, now: Date): string {
  return `${dateAndTime(at, timezone, now)} ${zoneName(at, timezone)}`;
}

/** "05:31–06:10 IST"; one time if both are the same. */
export function recipientTimes(from: Date, to: Date, timezone: string, now: Date): string {
  const [first, last] = [dateAndTime(from, timezone, now), dateAndTime(to, timezone, now)];
  const zone = zoneName(to, timezone);
  if (first === last) return `${last} ${zone}`;
  const [firstDay, lastDay] = [first, last].map((text) => text.slice(0, -5));
  const [dash, end] = firstDay === lastDay ? ["–", last.slice(-5)] : [" – ", last];
  return `${first}${dash}${end} ${zone}`;
}

function dateAndTime(at: Date, timezone: string, now: Date): string {
  const { weekday, day, month, year, hour, minute } = partsOf(at, timezone, "en-GB");
  const today = partsOf(now, timezone, "en-GB");
  const time = `${hour}:${minute}`;
  if (year !== today.year) return `${weekday} ${day} ${month} ${year}, ${time}`;
  return day === today.day && month === today.month ? time : `${weekday} ${day} ${month}, ${time}`;
}
