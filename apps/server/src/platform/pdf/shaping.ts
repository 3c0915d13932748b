import * as fontkit from "fontkit";
import type { Glyph, GlyphPosition } from "fontkit";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** SEMIBOLD is for headings and figures. */
export type Weight = "REGULAR" | "SEMIBOLD";

export interface FontFace {
  /** Its name in the resources of a page. */
  readonly id: string;
  readonly font: fontkit.Font;
}

const require = createRequire(import.meta.url);
const folders = { REGULAR: "400Regular", SEMIBOLD: "600SemiBold" } as const;

/**
 * Noto Sans (SIL Open Font License) has one file per script. In Unicode, the scripts of India are blocks of 128 characters
 * from U+0900, in this order.
 */
const LATIN_FILE = "NotoSans";
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

/** Loaded on first use and shared by all documents: parsing a font takes a tenth of a second. */
const faces = new Map<string, FontFace>();

export function latinFace(weight: Weight): FontFace {
  return loadFace(LATIN_FILE, weight);
}

function loadFace(file: string, weight: Weight): FontFace {
  const id = `${file}-${weight}`;
  const loaded = faces.get(id);
  if (loaded !== undefined) return loaded;
  const fontPackage = file.replace(/(?<=[a-z])(?=[A-Z])/g, "-").toLowerCase();
  const folder = folders[weight];
  const path = require.resolve(`@expo-google-fonts/${fontPackage}/${folder}/${file}_${folder}.ttf`);
  const font = fontkit.create(readFileSync(path));
  if (!("layout" in font)) throw new Error(`${file} is a collection of fonts`);
  const face = { id, font };
  faces.set(id, face);
  return face;
}

/** A positioned glyph; lengths are in thousandths of the font size. */
export interface PlacedGlyph {
  readonly id: number;
  /** The font's own advance width. */
  readonly width: number;
  readonly advance: number;
  readonly xOffset: number;
  readonly yOffset: number;
  /** The text it copies as; joined, those of a run's glyphs are the text of the run. */
  readonly text: string;
}

export interface GlyphRun {
  readonly face: FontFace;
  readonly text: string;
  readonly glyphs: readonly PlacedGlyph[];
  /** True if glyphs may be in another order than their characters. */
  readonly isShaped: boolean;
}

/** Takes the font of the text before it: joining marks, the danda that all scripts of India share, punctuation. */
const SHARED = /[\u0964\u0965\u200C\u200D]|[^\p{L}\p{M}\p{N}]/u;
const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** What a reader takes for single characters. */
export function graphemesOf(text: string): string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Turns line breaks and tabs into spaces and lone surrogates into U+FFFD; removes control characters and direction marks. */
export function plainText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\s+/gu, " ")
    .replace(/(?![\u200C\u200D])[\p{Cc}\p{Cf}]/gu, "")
    .trim();
}

/** Expects plain text. A character without a font is a visible box, and still copies as itself. */
export function shape(text: string, weight: Weight = "REGULAR"): GlyphRun[] {
  const runs: { face: FontFace; isShaped: boolean; text: string }[] = [];
  for (const character of text) {
    const codePoint = codePointOf(character);
    const last = runs.at(-1);
    const joins = last?.isShaped === true && SHARED.test(character) && last.face.font.hasGlyphForCodePoint(codePoint);
    const indicFile = indicFiles[Math.floor((codePoint - INDIC_START) / 128)];
    const face = joins ? last.face : loadFace(indicFile ?? LATIN_FILE, weight);
    if (last?.face === face) last.text += character;
    else runs.push({ face, isShaped: joins || indicFile !== undefined, text: character });
  }
  return runs.map((run) => ({ ...run, glyphs: run.isShaped ? shapedGlyphs(run.face, run.text) : latinGlyphs(run) }));
}

/** Recently used glyphs of all documents: those of a character, or of a word that is shaped. */
const cache = new Map<string, readonly PlacedGlyph[]>();
const CACHE_SIZE = 8_000;

function cached(key: string, make: () => readonly PlacedGlyph[]): readonly PlacedGlyph[] {
  const known = cache.get(key);
  if (known !== undefined) return known;
  if (cache.size >= CACHE_SIZE) cache.clear();
  const glyphs = make();
  cache.set(key, glyphs);
  return glyphs;
}

/** One glyph per character, without kerning, which is not worth its time in tables. */
function latinGlyphs({ face, text }: { readonly face: FontFace; readonly text: string }): PlacedGlyph[] {
  return Array.from(text).flatMap((character) =>
    cached(`${face.id} ${character}`, () => {
      const { id, advanceWidth } = face.font.glyphForCodePoint(codePointOf(character));
      const width = (advanceWidth * 1000) / face.font.unitsPerEm;
      return [{ id, width, advance: width, xOffset: 0, yOffset: 0, text: character }];
    }),
  );
}

function shapedGlyphs(face: FontFace, text: string): PlacedGlyph[] {
  const words = text.split(/(?<= )|(?= )/u);
  return words.flatMap((word) => cached(`${face.id} ${word}`, () => shapeWord(face, word)));
}

function shapeWord(face: FontFace, word: string): PlacedGlyph[] {
  const { glyphs, positions } = layout(face, word);
  const texts = textsOfGlyphs(face, word, glyphs.length);
  const scale = 1000 / face.font.unitsPerEm;
  return glyphs.map((glyph, index) => ({
    id: glyph.id,
    width: glyph.advanceWidth * scale,
    advance: (positions[index]?.xAdvance ?? glyph.advanceWidth) * scale,
    xOffset: (positions[index]?.xOffset ?? 0) * scale,
    yOffset: (positions[index]?.yOffset ?? 0) * scale,
    text: texts[index] ?? "",
  }));
}

/**
 * The text that each glyph of a word copies as. A vowel sign may stand before its consonant, and one glyph may show
 * several characters, so a glyph may carry its neighbour's character; each syllable as a whole copies right.
 */
function textsOfGlyphs(face: FontFace, word: string, count: number): string[] {
  const syllables = graphemesOf(word);
  const counts = syllables.map((syllable) => layout(face, syllable).glyphs.length);
  if (counts.reduce((sum, one) => sum + one, 0) !== count) return distribute(word, count);
  return syllables.flatMap((syllable, index) => distribute(syllable, counts[index] ?? 0));
}

/** One character per glyph, the rest for the last; a vowel sign of two glyphs is split into its halves. */
function distribute(text: string, count: number): string[] {
  const composed = Array.from(text);
  const parts = composed.length < count ? Array.from(text.normalize("NFD")) : composed;
  return Array.from({ length: count }, (_, index) =>
    index === count - 1 ? parts.slice(index).join("") : (parts[index] ?? ""),
  );
}

/** fontkit fails on the mark positioning of some fonts; their marks then stay where they are. */
function layout({ font }: FontFace, text: string): { glyphs: readonly Glyph[]; positions: readonly GlyphPosition[] } {
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

function codePointOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}
