import { describe, expect, test } from "vitest";
import { z } from "zod";
import { optionalText, requiredText, typedText, findInvisibleCharacter, stripInvisible } from "./text.ts";

const code = (...codes: number[]) => String.fromCodePoint(...codes);
const problemOf = (schema: z.ZodType, text: string) =>
  schema.safeParse(text).error?.issues.map(({ message }) => message);

describe("§5 names and one-line texts: no invisible characters", () => {
  test.each([
    ["a control character", 0x07, "a character that cannot be seen (U+0007)"],
    ["a zero byte", 0x00, "a character that cannot be seen (U+0000)"],
    ["delete", 0x7f, "a character that cannot be seen (U+007F)"],
    ["a Latin-1 control character", 0x9b, "a character that cannot be seen (U+009B)"],
    ["right-to-left override", 0x202e, "a character that cannot be seen (U+202E)"],
    ["an isolate", 0x2066, "a character that cannot be seen (U+2066)"],
    ["a right-to-left mark", 0x200f, "a character that cannot be seen (U+200F)"],
    ["an Arabic letter mark", 0x061c, "a character that cannot be seen (U+061C)"],
    ["a zero-width space", 0x200b, "a character that cannot be seen (U+200B)"],
    ["a joiner between Latin letters", 0x200d, "a character that cannot be seen (U+200D)"],
    ["a soft hyphen", 0x00ad, "a character that cannot be seen (U+00AD)"],
    ["a Hangul filler", 0x3164, "a character that cannot be seen (U+3164)"],
    ["a Braille blank", 0x2800, "a character that cannot be seen (U+2800)"],
    ["a tag", 0xe0041, "a character that cannot be seen (U+E0041)"],
    ["a lone surrogate", 0xd83d, "a character that cannot be seen (U+D83D)"],
    ["a line break", 0x0a, "a line break"],
    ["a line separator", 0x2028, "a line break"],
    ["a tab", 0x09, "a tab"],
  ])("%s is refused", (_name, point, problem) => {
    const text = `Park${code(point)}One`;
    expect(problemOf(requiredText("Name is required", 40), text)).toEqual([`must not have ${problem}`]);
    expect(problemOf(optionalText(40), text)).toEqual([`must not have ${problem}`]);
    expect(findInvisibleCharacter(stripInvisible(text), "one line")).toBeNull();
  });

  test.each([
    ["Hindi", "भडला सोलर पार्क"],
    ["Hindi with a joiner", `र्${code(0x200d)}य`],
    ["Hindi with a non-joiner", `क्${code(0x200c)}ष`],
    ["Malayalam", "പാലക്കാട്"],
    ["Malayalam in its older spelling", `അവന്${code(0x200d)}`],
    ["Bengali", "পূর্ব বর্ধমান"],
    ["Bengali with a joiner before the virama", `র${code(0x200d)}্যাব`],
    ["Kannada with a non-joiner", `ಜಾನ್${code(0x200c)}ಸನ್`],
    ["Tamil", "கமுதி"],
    ["Urdu with a non-joiner", `می${code(0x200c)}خواہم`],
    ["emoji", "👷🏽‍♀️ Ravi ☀️"],
    ["Latin", "Éloïse O'Neill-Roy (Süd) №1 ½"],
  ])("%s stays as it is", (_name, text) => {
    expect(requiredText("Name is required", 40).parse(text)).toBe(text);
    expect(stripInvisible(text)).toBe(text);
  });

  test("joiners without a visible effect are refused in these scripts too", () => {
    expect(findInvisibleCharacter(`कम${code(0x200d)}ल`, "one line")).toBe("a character that cannot be seen (U+200D)");
    expect(findInvisibleCharacter(`क्${code(0x200c, 0x200c)}ष`, "one line")).toBe(
      "a character that cannot be seen (U+200C)",
    );
  });

  test("other kinds of spaces become plain ones, and surrounding space is trimmed", () => {
    expect(requiredText("Name is required", 40).parse(`\n Park${code(0xa0)}One${code(0x3000, 0xfeff)}`)).toBe(
      "Park One",
    );
    expect(problemOf(requiredText("Name is required", 40), code(0xa0, 0x2003))).toEqual(["Name is required"]);
  });

  test("a text of several lines may have line ends and tabs, and no other control characters", () => {
    const lines = typedText(z.string(), "several lines");
    expect(lines.parse("Brush\r\n\tworn\n")).toBe("Brush\r\n\tworn");
    expect(problemOf(lines, `Brush${code(0x202e)}\nworn`)).toEqual([
      "must not have a character that cannot be seen (U+202E)",
    ]);
    expect(problemOf(lines, "Brush\rworn")).toEqual(["must not have a line break"]);
  });

  test("a stored text is offered for editing without invisible characters, its line breaks as spaces", () => {
    expect(stripInvisible(`Pa${code(0x200b)}rk\r\nOne${code(0x202e)}`)).toBe("Park One");
    expect(stripInvisible(`Brush\r\n\tworn${code(0x07)}`, "several lines")).toBe("Brush\n\tworn");
  });
});
