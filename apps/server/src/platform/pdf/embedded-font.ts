import type { FontFace, PlacedGlyph } from "./shaping.ts";

type Reference = PDFKit.PDFKitReference;

/**
 * One font of one document, with the glyphs that it uses. pdfkit's own gives each glyph one text for the whole
 * document; in the scripts of India the same glyph is copied as one character here and as another there, so a code of
 * ours stands for a glyph together with its text.
 */
export class EmbeddedFont {
  readonly face: FontFace;
  /** What pages name in their resources. */
  readonly dictionary: Reference;
  readonly #document: PDFKit.PDFDocument;
  readonly #subset;
  readonly #codes = new Map<string, number>();
  /** Places of glyphs in the subset, which counts them as they are included. */
  readonly #places = new Map<number, number>([[0, 0]]);
  /** By code; 0 is the glyph for what is missing. */
  readonly #entries: { readonly glyph: number; readonly width: number; readonly text: string }[] = [];

  constructor(document: PDFKit.PDFDocument, face: FontFace) {
    this.face = face;
    this.#document = document;
    this.#subset = face.font.createSubset();
    this.dictionary = document.ref({ Type: "Font" });
    this.#entries.push({ glyph: 0, width: face.font.getGlyph(0).advanceWidth * this.#scale, text: "\uFFFD" });
  }

  get #scale(): number {
    return 1000 / this.face.font.unitsPerEm;
  }

  /** Four hexadecimal digits for the content of a page. */
  code({ id, text, width }: PlacedGlyph): string {
    const key = `${id} ${text}`;
    let code = this.#codes.get(key);
    if (code === undefined) {
      code = this.#entries.length;
      this.#codes.set(key, code);
      this.#entries.push({ glyph: this.#place(id), width, text });
    }
    return hexCode(code);
  }

  #place(glyph: number): number {
    let place = this.#places.get(glyph);
    if (place === undefined) {
      place = this.#places.size;
      this.#places.set(glyph, place);
      this.#subset.includeGlyph(this.face.font.getGlyph(glyph));
    }
    return place;
  }

  /** Writes the font; nothing may be set in it afterwards. */
  end(): void {
    const { font } = this.face;
    // Six capitals before a subset's name, different for each font of a document.
    const tag = Array.from({ length: 6 }, (_, nth) =>
      String.fromCharCode(65 + ((this.dictionary.id >> (nth * 3)) & 7)),
    );
    const name = `${tag.join("")}+${font.postscriptName}`;
    const { minX, minY, maxX, maxY } = font.bbox;
    const descriptor = this.#written({
      Type: "FontDescriptor",
      FontName: name,
      Flags: 4,
      FontBBox: [minX, minY, maxX, maxY].map((one) => one * this.#scale),
      ItalicAngle: 0,
      Ascent: font.ascent * this.#scale,
      Descent: font.descent * this.#scale,
      CapHeight: font.capHeight * this.#scale,
      StemV: 80,
      FontFile2: this.#written({}, this.#subset.encode()),
    });
    const descendant = this.#written({
      Type: "Font",
      Subtype: "CIDFontType2",
      BaseFont: name,
      CIDSystemInfo: { Registry: new String("Adobe"), Ordering: new String("Identity"), Supplement: 0 },
      FontDescriptor: descriptor,
      CIDToGIDMap: this.#written({}, this.#glyphsByCode()),
      W: [0, this.#entries.map(({ width }) => width)],
    });
    Object.assign(this.dictionary.data, {
      Subtype: "Type0",
      BaseFont: name,
      Encoding: "Identity-H",
      DescendantFonts: [descendant],
      ToUnicode: this.#written({}, Buffer.from(this.#textsByCode(), "latin1")),
    });
    this.dictionary.end(undefined);
  }

  #written(data: object, content?: Uint8Array): Reference {
    const reference = this.#document.ref(data);
    reference.end(content);
    return reference;
  }

  #glyphsByCode(): Uint8Array {
    const map = Buffer.alloc(this.#entries.length * 2);
    for (const [code, { glyph }] of this.#entries.entries()) map.writeUInt16BE(glyph, code * 2);
    return map;
  }

  #textsByCode(): string {
    const lines = this.#entries.map(({ text }, code) => `<${hexCode(code)}> <${hexText(text)}>`);
    const blocks: string[] = [];
    for (let start = 0; start < lines.length; start += 100) {
      const block = lines.slice(start, start + 100);
      blocks.push(`${block.length} beginbfchar`, ...block, "endbfchar");
    }
    return [
      "/CIDInit /ProcSet findresource begin 12 dict begin begincmap",
      "/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def",
      "/CMapName /Adobe-Identity-UCS def /CMapType 2 def",
      "1 begincodespacerange <0000> <ffff> endcodespacerange",
      ...blocks,
      "endcmap CMapName currentdict /CMap defineresource pop end end",
    ].join("\n");
  }
}

function hexCode(code: number): string {
  return code.toString(16).padStart(4, "0");
}

/** UTF-16, as PDF wants it. */
export function hexText(text: string): string {
  return Array.from({ length: text.length }, (_, nth) => hexCode(text.charCodeAt(nth))).join("");
}
