import fc from "fast-check";
import { describe, expect, inject, test } from "vitest";
import { plainText, shape } from "./shaping.ts";

const copied = (text: string) =>
  shape(text, "REGULAR")
    .flatMap(({ glyphs }) => glyphs.map((glyph) => glyph.text))
    .join("");

describe("§2 Site Reports: names in any script", () => {
  test("copied text is the original text, whatever its characters", () => {
    const indic = fc.integer({ min: 0x0900, max: 0x0d7f }).map((code) => String.fromCodePoint(code));
    const text = fc.array(fc.oneof(indic, fc.string({ unit: "grapheme", maxLength: 3 }), fc.constant(" ")), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(text, (parts) => {
        const plain = plainText(parts.join(""));
        expect(copied(plain).normalize("NFC")).toBe(plain.normalize("NFC"));
      }),
      { numRuns: 300 * inject("soak").factor },
    );
  });

  test("a vowel sign written before its consonant, a conjunct and a half form use the glyphs of their script", () => {
    const [run] = shape("कि क्ष र्क", "REGULAR");
    expect(run?.isShaped).toBe(true);
    // Vowel sign and letter; one glyph for क्ष; letter and the mark above it.
    expect(run?.glyphs.map(({ text }) => text)).toEqual(["क", "ि", " ", "क्ष", " ", "र", "्क"]);
    expect(run?.glyphs.every(({ id }) => id > 0)).toBe(true);
  });

  test("punctuation takes the font of the text before it, letters and digits their own", () => {
    const runs = shape("पार्क, (A) 12", "REGULAR");
    expect(runs.map(({ text, face }) => [text, face.id])).toEqual([
      ["पार्क, (", "NotoSansDevanagari-REGULAR"],
      ["A) 12", "NotoSans-REGULAR"],
    ]);
  });

  test("line breaks become spaces; control characters and direction marks are removed", () => {
    expect(plainText(" a\n\tb\u202E\u0000c ")).toBe("a bc");
    expect(plainText("half \uD83D")).toBe("half \uFFFD");
  });
});
