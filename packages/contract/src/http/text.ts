import { z } from "zod";

/**
 * What nobody sees in a text: control characters, halves of surrogate pairs, line and paragraph separators, signs that
 * turn the direction of writing, blanks of no width and fillers. With them two names look alike, or one looks like another.
 */
const UNSEEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB\u2800]/u;

/** Of the scripts that write syllables with one: the sign that takes a consonant its vowel. */
const VIRAMA = String.raw`[\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D3B\u0D3C\u0D4D\u0DCA]`;
/**
 * Where the same characters are part of how a text is written, and change how it looks: joiners at a virama (as in ক্‌ষ,
 * র‍্য, ന്‍), between letters of Arabic script, and within one emoji.
 */
const NEEDED = new RegExp(
  String.raw`(?<=${VIRAMA})[\u200C\u200D]|(?<=\p{L})\u200D(?=${VIRAMA})` +
    String.raw`|(?<=\p{Script=Arabic}\p{M}*)\u200C(?=\p{Script=Arabic})` +
    String.raw`|(?<=\p{Extended_Pictographic}[\uFE0F\p{EMod}]?)\u200D(?=\p{Extended_Pictographic})` +
    String.raw`|(?<=\p{Extended_Pictographic})[\uFE0E\uFE0F]`,
  "gu",
);
const LINE_ENDS_AND_TABS = /\r\n|[\n\t]/g;

/** Which lines a text may have. */
export type Lines = "one line" | "several lines";

/** What a text has that nobody would see in it, in words that follow "must not have"; null where there is nothing. */
export function findInvisibleCharacter(text: string, lines: Lines): string | null {
  const rest = lines === "one line" ? text : text.replaceAll(LINE_ENDS_AND_TABS, "");
  const [found] = UNSEEN.exec(rest.replaceAll(NEEDED, "")) ?? [];
  if (found === undefined) return null;
  if (/[\n\r\u2028\u2029]/.test(found)) return "a line break";
  if (found === "\t") return "a tab";
  const code = (found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return `a character that cannot be seen (U+${code})`;
}

/** A text that was stored before there was the rule, as it may be typed: what nobody sees in it is left out. */
export function stripInvisible(text: string, lines: Lines = "one line"): string {
  const kept = (part: string) => (lines === "several lines" && /[\n\t]/.test(part) ? part : breakOf(part));
  // A needed one is of two characters' doing, so each is looked at where it stands.
  const needed = new Set([...text.matchAll(NEEDED)].map(({ index }) => index));
  return text.replaceAll(new RegExp(UNSEEN, "gu"), (part, index: number) => (needed.has(index) ? part : kept(part)));
}

/** Words on two lines stay two words. */
function breakOf(part: string): string {
  return /[\n\t\u2028\u2029]/.test(part) ? " " : "";
}

/**
 * Text that a person types, trimmed, its blanks of any width as plain ones. With what nobody sees in it it is refused;
 * only one of several lines may have line ends and tabs.
 */
export function typedText(schema: z.ZodString, lines: Lines = "one line"): z.ZodString {
  return schema
    .overwrite((text) => text.replaceAll(/\p{Zs}/gu, " "))
    .trim()
    .superRefine((text, context) => {
      const unseen = findInvisibleCharacter(text, lines);
      if (unseen !== null) context.addIssue({ code: "custom", message: `must not have ${unseen}` });
    });
}

/** Text that must not be blank; `sentence` is told where it is missing or blank. */
export function requiredText(sentence: string, maxLength: number) {
  return typedText(z.string({ error: sentence }))
    .min(1, sentence)
    .max(maxLength, `must have at most ${maxLength} characters`);
}

/** Text that may be left out, null or blank: null where nothing is in it. */
export function optionalText(maxLength: number, lines: Lines = "one line") {
  return typedText(z.string(), lines)
    .max(maxLength, `must have at most ${maxLength} characters`)
    .transform((text) => (text === "" ? null : text))
    .nullish()
    .transform((text) => text ?? null);
}

/** Whether the database can hold it: what is looked for may have what no new text has. */
export function isWritable(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}
