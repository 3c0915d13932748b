import { z } from "zod";

/**
 * Invisible characters: controls, lone surrogates, line and paragraph separators, bidirectional controls, zero-width
 * spaces and fillers. They make different names look the same.
 */
const INVISIBLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB\u2800]/u;

/** The viramas (vowel-killing signs) of the Indic scripts. */
const VIRAMA = String.raw`[\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D3B\u0D3C\u0D4D\u0DCA]`;
/**
 * Places where such characters are legitimate and change the rendering: joiners next to a virama (as in ক্‌ষ, র‍্য, ന്‍),
 * between Arabic letters, and inside an emoji.
 */
const LEGITIMATE = new RegExp(
  String.raw`(?<=${VIRAMA})[\u200C\u200D]|(?<=\p{L})\u200D(?=${VIRAMA})` +
    String.raw`|(?<=\p{Script=Arabic}\p{M}*)\u200C(?=\p{Script=Arabic})` +
    String.raw`|(?<=\p{Extended_Pictographic}[\uFE0F\p{EMod}]?)\u200D(?=\p{Extended_Pictographic})` +
    String.raw`|(?<=\p{Extended_Pictographic})[\uFE0E\uFE0F]`,
  "gu",
);
const LINE_ENDS_AND_TABS = /\r\n|[\n\t]/g;

/** Whether a text may contain line breaks and tabs. */
export type Lines = "one line" | "several lines";

/** Describes the first invisible character, to follow "must not have"; null if there is none. */
export function findInvisibleCharacter(text: string, lines: Lines): string | null {
  const rest = lines === "one line" ? text : text.replaceAll(LINE_ENDS_AND_TABS, "");
  const [found] = INVISIBLE.exec(rest.replaceAll(LEGITIMATE, "")) ?? [];
  if (found === undefined) return null;
  if (/[\n\r\u2028\u2029]/.test(found)) return "a line break";
  if (found === "\t") return "a tab";
  const code = (found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return `a character that cannot be seen (U+${code})`;
}

/** Removes invisible characters from a text stored before they were rejected, so that its form can be saved again. */
export function stripInvisible(text: string, lines: Lines = "one line"): string {
  const replacement = (part: string) => (lines === "several lines" && /[\n\t]/.test(part) ? part : spaceForBreak(part));
  // Whether one is legitimate depends on its neighbours, so they are matched by position.
  const legitimate = new Set([...text.matchAll(LEGITIMATE)].map(({ index }) => index));
  return text.replaceAll(new RegExp(INVISIBLE, "gu"), (part, index: number) =>
    legitimate.has(index) ? part : replacement(part),
  );
}

/** Line breaks become spaces, so that words stay separate. */
function spaceForBreak(part: string): string {
  return /[\n\t\u2028\u2029]/.test(part) ? " " : "";
}

/**
 * Text typed by a person: trimmed, every kind of space made a plain one, invisible characters rejected. Line ends and
 * tabs are allowed only with "several lines".
 */
export function typedText(schema: z.ZodString, lines: Lines = "one line"): z.ZodString {
  return schema
    .overwrite((text) => text.replaceAll(/\p{Zs}/gu, " "))
    .trim()
    .superRefine((text, context) => {
      const invisible = findInvisibleCharacter(text, lines);
      if (invisible !== null) context.addIssue({ code: "custom", message: `must not have ${invisible}` });
    });
}

/** Text that must not be missing or blank; `message` is the error when it is. */
export function requiredText(message: string, maxLength: number) {
  return typedText(z.string({ error: message }))
    .min(1, message)
    .max(maxLength, `must have at most ${maxLength} characters`);
}

/** Text that may be missing, null or blank, which all become null. */
export function optionalText(maxLength: number, lines: Lines = "one line") {
  return typedText(z.string(), lines)
    .max(maxLength, `must have at most ${maxLength} characters`)
    .transform((text) => (text === "" ? null : text))
    .nullish()
    .transform((text) => text ?? null);
}

/** Whether PostgreSQL can store the text. For search terms, which may contain characters that new text may not. */
export function isWritable(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}
