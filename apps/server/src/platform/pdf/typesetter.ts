import { EmbeddedFont, hexText } from "./embedded-font.ts";
import { type FontFace, type GlyphRun, latinFace, plainText, shape, type Weight } from "./shaping.ts";

export interface TextStyle {
  /** Points. */
  readonly size: number;
  readonly weight?: Weight;
  /** `#rrggbb`. */
  readonly color: string;
}

export type Align = "LEFT" | "RIGHT" | "CENTRE";

const ELLIPSIS = "\u2026";

/** Measures text and sets it, in as many fonts as its scripts need. */
export class Typesetter {
  readonly #document: PDFKit.PDFDocument;
  readonly #fonts = new Map<FontFace, EmbeddedFont>();

  constructor(document: PDFKit.PDFDocument) {
    this.#document = document;
  }

  /** Points. */
  width(text: string, style: TextStyle): number {
    return widthOf(shape(plainText(text), style.weight ?? "REGULAR"), style.size);
  }

  /** At most this many lines of at most this width; an ellipsis ends a text that does not fit. */
  lines(text: string, width: number, style: TextStyle, most = Number.POSITIVE_INFINITY): string[] {
    const lines: string[] = [];
    let rest = plainText(text);
    while (rest !== "") {
      if (this.width(rest, style) <= width) return [...lines, rest];
      if (lines.length + 1 >= most) return [...lines, this.#cut(rest, width, style)];
      const line = this.#fitting(rest, width, style);
      lines.push(line.trimEnd());
      rest = rest.slice(line.length).trimStart();
    }
    return lines;
  }

  /** Sets one line from `x`, or up to or around it; `baseline` from the upper edge of the page. */
  set(text: string, x: number, baseline: number, style: TextStyle, align: Align = "LEFT"): void {
    const runs = shape(plainText(text), style.weight ?? "REGULAR");
    const width = widthOf(runs, style.size);
    let left = align === "LEFT" ? x : align === "RIGHT" ? x - width : x - width / 2;
    this.#document.fillColor(style.color);
    for (const run of runs) {
      const font = this.#font(run.face);
      const resources: unknown = this.#document.page.fonts;
      if (isDictionary(resources)) resources[run.face.id] = font.dictionary;
      this.#document.addContent(content(run, font, left, baseline, style.size));
      left += widthOf([run], style.size);
    }
  }

  /** A form of one short Latin text that is known only at the end, such as the number of pages. */
  endForm(form: PDFKit.PDFKitReference, text: string, style: TextStyle): void {
    const [run] = shape(text, style.weight ?? "REGULAR");
    if (run === undefined) return;
    const font = this.#font(run.face);
    Object.assign(form.data, { Resources: { Font: { [run.face.id]: font.dictionary } } });
    const codes = run.glyphs.map((glyph) => font.code(glyph)).join("");
    const [red, green, blue] = rgb(style.color);
    form.end(
      Buffer.from(`BT ${red} ${green} ${blue} rg /${run.face.id} ${style.size} Tf 0 0 Td <${codes}> Tj ET`, "latin1"),
    );
  }

  /** Writes the fonts. */
  end(): void {
    for (const font of this.#fonts.values()) font.end();
  }

  #font(face: FontFace): EmbeddedFont {
    let font = this.#fonts.get(face);
    if (font === undefined) this.#fonts.set(face, (font = new EmbeddedFont(this.#document, face)));
    return font;
  }

  /** As many words as fit; of a word that alone is too wide, as many characters, at least one. */
  #fitting(text: string, width: number, style: TextStyle): string {
    let fitting = "";
    for (const word of text.split(/(?<= )/u)) {
      if (this.width(fitting + word, style) > width) break;
      fitting += word;
    }
    return fitting === "" ? this.#fittingCharacters(text, width, style, "") : fitting;
  }

  #cut(text: string, width: number, style: TextStyle): string {
    return this.#fittingCharacters(text, width, style, ELLIPSIS).trimEnd() + ELLIPSIS;
  }

  #fittingCharacters(text: string, width: number, style: TextStyle, end: string): string {
    let fitting = "";
    for (const { segment } of graphemes.segment(text)) {
      if (fitting !== "" && this.width(fitting + segment + end, style) > width) break;
      fitting += segment;
    }
    return fitting;
  }
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Distance from the upper edge of a line to its baseline, for text of this size. */
export function ascent(size: number): number {
  const { font } = latinFace("REGULAR");
  return (font.capHeight / font.unitsPerEm) * size;
}

function widthOf(runs: readonly GlyphRun[], size: number): number {
  const advances = runs.reduce((sum, { glyphs }) => sum + glyphs.reduce((all, { advance }) => all + advance, 0), 0);
  return (advances * size) / 1000;
}

/** pdfkit turns the page so that y grows downwards; the text is turned back. */
function content(run: GlyphRun, font: EmbeddedFont, x: number, baseline: number, size: number): string {
  const parts: string[] = [];
  let array = "";
  let pending = 0;
  const flush = () => {
    if (array !== "") parts.push(`[${array}] TJ`);
    array = "";
  };
  for (const glyph of run.glyphs) {
    const shift = pending + glyph.xOffset;
    if (Math.abs(shift) > 0.01) array += ` ${rounded(-shift)} `;
    if (glyph.yOffset === 0) {
      array += `<${font.code(glyph)}>`;
    } else {
      flush();
      parts.push(`${rounded((glyph.yOffset * size) / 1000)} Ts <${font.code(glyph)}> Tj 0 Ts`);
    }
    pending = glyph.advance - glyph.width - glyph.xOffset;
  }
  flush();
  const shown = `BT /${run.face.id} ${size} Tf 1 0 0 -1 ${rounded(x)} ${rounded(baseline)} Tm ${parts.join(" ")} ET`;
  // Readers that know it copy and speak this text, whatever the order of the glyphs.
  return run.isShaped ? `/Span << /ActualText <feff${hexText(run.text)}> >> BDC ${shown} EMC` : shown;
}

function rounded(length: number): string {
  return String(Math.round(length * 1000) / 1000);
}

function rgb(color: string): readonly [string, string, string] {
  const part = (start: number) => rounded(Number.parseInt(color.slice(start, start + 2), 16) / 255);
  return [part(1), part(3), part(5)];
}

function isDictionary(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
