import type { FontFace, PlacedGlyph } from "./shaping.ts";

type Reference = PDFKit.PDFKitReference;

/**
 * One font of one document, with the glyphs that are used. pdfkit's own gives each glyph one text for the whole document;
 * in the scripts of India the same glyph copies as different characters, so our codes stand for a glyph with its text.
 */
export class EmbeddedFont {
  readonly face: FontFace;
  /** Named in the resources of pages. */
  readonly dictionary: Reference;
  readonly #document: PDFKit.PDFDocument;
  readonly #subset;
  /** By glyph and text. */
  readonly #codes = new Map<string, number>();
  /** Indexes of glyphs in the subset, which counts them as they are included. */
  readonly #subsetGlyphs = new Map<number, number>([[0, 0]]);
  /** By code; 0 is the glyph for missing characters. */
  readonly #entries: { readonly glyph: number; readonly width: number; readonly text: string }[];

  constructor(document: PDFKit.PDFDocument, face: FontFace) {
    this.face = face;
    this.#document = document;
    this.#subset = face.font.createSubset();
    this.dictionary = document.ref({ Type: "Font" });
    this.#entries = [{ glyph: 0, width: face.font.getGlyph(0).advanceWidth * this.#scale, text: "\uFFFD" }];
  }

  get #scale(): number {
    return 1000 / this.face.font.unitsPerEm;
  }

  /** Four hexadecimal digits for the content of a page. */
  code({ id, text, width }: PlacedGlyph): string {
    const key = `${id} ${text}`;
    let code = this.#codes.get(key);
    if (code === undefined) {
      code = this.#entries.push({ glyph: this.#include(id), width, text }) - 1;
      this.#codes.set(key, code);
    }
    return hexCode(code);
  }

  #include(glyph: number): number {
    let index = this.#subsetGlyphs.get(glyph);
    if (index === undefined) {
      index = this.#subsetGlyphs.size;
      this.#subsetGlyphs.set(glyph, index);
      this.#subset.includeGlyph(this.face.font.getGlyph(glyph));
    }
    return index;
  }

  /** Writes the font, after which nothing more can be set in it. */
  end(): void {
    const { font } = this.face;
    // A subset's name starts with six capitals that differ between the fonts of a document.
    const tag = Array.from({ length: 6 }, (_, index) =>
      String.fromCharCode(65 + ((this.dictionary.id >> (index * 3)) & 7)),
    );
    const name = `${tag.join("")}+${font.postscriptName}`;
    const { minX, minY, maxX, maxY } = font.bbox;
    const descriptor = this.#write({
      Type: "FontDescriptor",
      FontName: name,
      Flags: 4,
      FontBBox: [minX, minY, maxX, maxY].map((one) => one * this.#scale),
      ItalicAngle: 0,
      Ascent: font.ascent * this.#scale,
      Descent: font.descent * this.#scale,
      CapHeight: font.capHeight * this.#scale,
      StemV: 80,
      FontFile2: this.#write({}, this.#subset.encode()),
    });
    const descendant = this.#write({
      Type: "Font",
      Subtype: "CIDFontType2",
      BaseFont: name,
      CIDSystemInfo: { Registry: new String("Adobe"), Ordering: new String("Identity"), Supplement: 0 },
      FontDescriptor: descriptor,
      CIDToGIDMap: this.#write({}, Buffer.from(this.#entries.flatMap(({ glyph }) => [glyph >> 8, glyph & 0xff]))),
      W: [0, this.#entries.map(({ width }) => width)],
    });
    Object.assign(this.dictionary.data, {
      Subtype: "Type0",
      BaseFont: name,
      Encoding: "Identity-H",
      DescendantFonts: [descendant],
      ToUnicode: this.#write({}, Buffer.from(this.#textsByCode(), "latin1")),
    });
    this.dictionary.end(undefined);
  }

  #write(data: object, content?: Uint8Array): Reference {
    const reference = this.#document.ref(data);
    reference.end(content);
    return reference;
  }

  #textsByCode(): string {
    const lines = this.#entries.map(({ text }, code) => `<${hexCode(code)}> <${hexText(text)}>`);
    // A block takes at most 100 lines.
    const blocks = Array.from({ length: Math.ceil(lines.length / 100) }, (_, index) => {
      const block = lines.slice(index * 100, (index + 1) * 100);
      return [`${block.length} beginbfchar`, ...block, "endbfchar"];
    });
    return [
      "/CIDInit /ProcSet findresource begin 12 dict begin begincmap",
      "/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def",
      "/CMapName /Adobe-Identity-UCS def /CMapType 2 def",
      "1 begincodespacerange <0000> <ffff> endcodespacerange",
      ...blocks.flat(),
      "endcmap CMapName currentdict /CMap defineresource pop end end",
    ].join("\n");
  }
}

function hexCode(code: number): string {
  return code.toString(16).padStart(4, "0");
}

/** UTF-16 in hexadecimal digits. */
export function hexText(text: string): string {
  return Buffer.from(text, "utf16le").swap16().toString("hex");
}
