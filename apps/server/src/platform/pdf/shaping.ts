import * as fontkit from "fontkit";
import type { Glyph, GlyphPosition } from "fontkit";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** SEMIBOLD is for headings and figures. */
export type Weight = "REGULAR" | "SEMIBOLD";

export interface FontFace {
  /** Its name among the resources of a page. */
  readonly id: string;
  readonly font: fontkit.Font;
}

const require = createRequire(import.meta.url);
const folders = { REGULAR: "400Regular", SEMIBOLD: "600SemiBold" } as const;

/**
 * Noto Sans (SIL Open Font License), one file for each script. The scripts of India lie in Unicode in blocks of 128
 * from U+0900 on, in this order.
 */
const LATIN = "NotoSans";
const INDIC_START = 0x0900;
const indicFiles = [
  "NotoSansDevanagari",
  "NotoSansBengali",
  "NotoSansGurmukhi",
  "NotoSansGujarati",
  "NotoSansOriya",
  "NotoSansTamil",
  "NotoSansTelugu",
  "NotoSansKannada",
  "NotoSansMalayalam",
] as const;

/** Read when they are first wanted, once for all documents: reading their tables takes a tenth of a second. */
const loaded = new Map<string, FontFace>();

export function latinFace(weight: Weight): FontFace {
  return face(LATIN, weight);
}

/** Null where the character belongs to no script of India. */
function indicFace(codePoint: number, weight: Weight): FontFace | null {
  const file = indicFiles[Math.floor((codePoint - INDIC_START) / 128)];
  return file === undefined ? null : face(file, weight);
}

function face(file: string, weight: Weight): FontFace {
  const id = `${file}-${weight}`;
  const known = loaded.get(id);
  if (known !== undefined) return known;
  const pack = file.replace(/(?<=[a-z])(?=[A-Z])/g, "-").toLowerCase();
  const folder = folders[weight];
  const opened = fontkit.create(
    readFileSync(require.resolve(`@expo-google-fonts/${pack}/${folder}/${file}_${folder}.ttf`)),
  );
  if (!("layout" in opened)) throw new Error(`${file} is a collection of fonts`);
  const made = { id, font: opened };
  loaded.set(id, made);
  return made;
}

/** A glyph in its place; lengths in thousandths of the font size. */
export interface PlacedGlyph {
  readonly id: number;
  /** The width that the font itself gives it. */
  readonly width: number;
  readonly advance: number;
  readonly xOffset: number;
  readonly yOffset: number;
  /** What is copied for it; the texts of a run's glyphs put together are the text of the run. */
  readonly text: string;
}

/** Text of one font. */
export interface GlyphRun {
  readonly face: FontFace;
  readonly text: string;
  readonly glyphs: readonly PlacedGlyph[];
  /** True where glyphs stand in another order than the characters they show. */
  readonly isShaped: boolean;
}

/** What takes the font of the text before it: marks that join, the danda that all scripts of India share, signs. */
const SHARED = /[\u0964\u0965\u200C\u200D]|[^\p{L}\p{M}\p{N}]/u;
const SPACE = 0x20;
const KEPT = 4_000;

/** What was asked for last, of all documents. */
const words = new Map<string, readonly PlacedGlyph[]>();
const characters = new Map<string, PlacedGlyph>();
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Line ends and tabs become blanks; controls, marks of direction and halves of characters go. */
export function plainText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\s+/gu, " ")
    .replace(/(?![\u200C\u200D])[\p{Cc}\p{Cf}]/gu, "")
    .trim();
}

/** Expects plain text. A character that no font has is a visible box, and is still copied as itself. */
export function shape(text: string, weight: Weight): GlyphRun[] {
  const runs: { face: FontFace; isShaped: boolean; text: string }[] = [];
  for (const character of text) {
    const codePoint = character.codePointAt(0) ?? SPACE;
    const last = runs.at(-1);
    const joins = last?.isShaped === true && SHARED.test(character) && last.face.font.hasGlyphForCodePoint(codePoint);
    const indic = joins ? last.face : indicFace(codePoint, weight);
    const face = indic ?? latinFace(weight);
    if (last?.face === face) last.text += character;
    else runs.push({ face, isShaped: indic !== null, text: character });
  }
  return runs.map((run) => ({
    ...run,
    glyphs: run.isShaped ? shapeWords(run.face, run.text) : oneByOne(run.face, run.text),
  }));
}

/** Without kerning, which is not worth its time in tables. */
function oneByOne(face: FontFace, text: string): PlacedGlyph[] {
  return Array.from(text, (character) => {
    const key = `${face.id} ${character}`;
    const known = characters.get(key);
    if (known !== undefined) return known;
    const { id, advanceWidth } = face.font.glyphForCodePoint(character.codePointAt(0) ?? SPACE);
    const width = (advanceWidth * 1000) / face.font.unitsPerEm;
    const placed = { id, width, advance: width, xOffset: 0, yOffset: 0, text: character };
    if (characters.size >= KEPT) characters.clear();
    characters.set(key, placed);
    return placed;
  });
}

function shapeWords(face: FontFace, text: string): PlacedGlyph[] {
  return text.split(/(?<= )|(?= )/u).flatMap((word) => shapeWord(face, word));
}

function shapeWord(face: FontFace, word: string): readonly PlacedGlyph[] {
  const key = `${face.id} ${word}`;
  const known = words.get(key);
  if (known !== undefined) return known;
  const { glyphs, positions } = layout(face, word);
  const texts = shareOut(face, word, glyphs.length);
  const scale = 1000 / face.font.unitsPerEm;
  const placed = glyphs.map((glyph, nth) => ({
    id: glyph.id,
    width: glyph.advanceWidth * scale,
    advance: (positions[nth]?.xAdvance ?? glyph.advanceWidth) * scale,
    xOffset: (positions[nth]?.xOffset ?? 0) * scale,
    yOffset: (positions[nth]?.yOffset ?? 0) * scale,
    text: texts[nth] ?? "",
  }));
  if (words.size >= KEPT) words.clear();
  words.set(key, placed);
  return placed;
}

/**
 * The texts of a word's glyphs. Vowel signs stand before what they follow in writing, and one glyph shows many
 * characters, so a glyph may carry its neighbour's character: what counts is that all of a syllable copies right.
 */
function shareOut(face: FontFace, word: string, count: number): string[] {
  const syllables = Array.from(graphemes.segment(word), ({ segment }) => segment);
  const counts = syllables.map((syllable) => layout(face, syllable).glyphs.length);
  if (counts.reduce((sum, one) => sum + one, 0) !== count) return spread(word, count);
  return syllables.flatMap((syllable, nth) => spread(syllable, counts[nth] ?? 0));
}

/** A character for each glyph, the rest for the last one; a vowel sign of two glyphs is taken as its two halves. */
function spread(text: string, count: number): string[] {
  const composed = Array.from(text);
  const parts = composed.length < count ? Array.from(text.normalize("NFD")) : composed;
  return Array.from({ length: count }, (_, nth) =>
    nth === count - 1 ? parts.slice(nth).join("") : (parts[nth] ?? ""),
  );
}

interface Layout {
  readonly glyphs: readonly Glyph[];
  readonly positions: readonly GlyphPosition[];
}

/** Some fonts place marks in ways that fontkit cannot read: then marks stay where they are, and nothing fails. */
function layout({ font }: FontFace, text: string): Layout {
  const attempts: Record<string, boolean>[] = [{}, { mark: false, mkmk: false, abvm: false, blwm: false, dist: false }];
  for (const features of attempts) {
    try {
      return font.layout(text, features);
    } catch {
      continue;
    }
  }
  return { glyphs: font.glyphsForString(text), positions: [] };
}
