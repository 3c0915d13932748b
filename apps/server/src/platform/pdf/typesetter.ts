import { EmbeddedFont, hexText } from "./embedded-font.ts";
import { type FontFace, type GlyphRun, graphemesOf, latinFace, plainText, shape, type Weight } from "./shaping.ts";

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
    return widthOf(shape(plainText(text), style.weight), style.size);
  }

  /** Breaks text into lines of at most `width` points; an ellipsis ends text that needs more than `maxLines`. */
  lines(text: string, width: number, style: TextStyle, maxLines = Number.POSITIVE_INFINITY): string[] {
    const fits = (line: string) => this.width(line, style) <= width;
    const lines: string[] = [];
    let rest = plainText(text);
    while (rest !== "") {
      if (fits(rest)) return [...lines, rest];
      const graphemes = graphemesOf(rest);
      if (lines.length + 1 >= maxLines) {
        const start = longestStart(graphemes, (line) => fits(line + ELLIPSIS), 1);
        return [...lines, start.trimEnd() + ELLIPSIS];
      }
      // A word that is too wide for a line is broken between characters.
      const line = longestStart(rest.split(/(?<= )/u), fits) || longestStart(graphemes, fits, 1);
      lines.push(line.trimEnd());
      rest = rest.slice(line.length).trimStart();
    }
    return lines;
  }

  /** The text on one line, ending in an ellipsis where it does not fit. */
  truncate(text: string, width: number, style: TextStyle): string {
    return this.lines(text, width, style, 1)[0] ?? "";
  }

  /** Sets one line that starts at, ends at or is centred on `x`; `baseline` is in points from the top of the page. */
  set(text: string, x: number, baseline: number, style: TextStyle, align: Align = "LEFT"): void {
    const runs = shape(plainText(text), style.weight);
    const width = widthOf(runs, style.size);
    let left = align === "LEFT" ? x : align === "RIGHT" ? x - width : x - width / 2;
    this.#document.fillColor(style.color);
    for (const run of runs) {
      const font = this.#font(run.face);
      Object.assign(this.#document.page.fonts, { [run.face.id]: font.dictionary });
      this.#document.addContent(runContent(run, font, left, baseline, style.size));
      left += widthOf([run], style.size);
    }
  }

  /** Sets lines below one another; `baseline` is that of the first, `step` the distance to the next. */
  setLines(lines: readonly string[], x: number, baseline: number, step: number, style: TextStyle, align?: Align): void {
    for (const [index, line] of lines.entries()) this.set(line, x, baseline + index * step, style, align);
  }

  /** Fills in a form with a short Latin text that is known only at the end, such as the number of pages. */
  endForm(form: PDFKit.PDFKitReference, text: string, { weight, size, color }: TextStyle): void {
    const [run] = shape(text, weight);
    if (run === undefined) return;
    const font = this.#font(run.face);
    Object.assign(form.data, { Resources: { Font: { [run.face.id]: font.dictionary } } });
    const codes = run.glyphs.map((glyph) => font.code(glyph)).join("");
    const rgb = [1, 3, 5].map((start) => rounded(Number.parseInt(color.slice(start, start + 2), 16) / 255)).join(" ");
    form.end(Buffer.from(`BT ${rgb} rg /${run.face.id} ${size} Tf 0 0 Td <${codes}> Tj ET`, "latin1"));
  }

  end(): void {
    for (const font of this.#fonts.values()) font.end();
  }

  #font(face: FontFace): EmbeddedFont {
    let font = this.#fonts.get(face);
    if (font === undefined) this.#fonts.set(face, (font = new EmbeddedFont(this.#document, face)));
    return font;
  }
}

/** As many of the parts, joined, as fit, and never fewer than `minimum`. */
function longestStart(parts: readonly string[], fits: (text: string) => boolean, minimum = 0): string {
  let start = "";
  for (const [index, part] of parts.entries()) {
    if (index >= minimum && !fits(start + part)) break;
    start += part;
  }
  return start;
}

/** Height of capital letters: the distance from their top to the baseline. */
export function capHeight(size: number): number {
  const { font } = latinFace("REGULAR");
  return (font.capHeight / font.unitsPerEm) * size;
}

function widthOf(runs: readonly GlyphRun[], size: number): number {
  const advances = runs.reduce((sum, { glyphs }) => sum + glyphs.reduce((all, { advance }) => all + advance, 0), 0);
  return (advances * size) / 1000;
}

/** pdfkit flips the page so that y grows downwards; the matrix turns the text upright again. */
function runContent(run: GlyphRun, font: EmbeddedFont, x: number, baseline: number, size: number): string {
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
  // Readers that support ActualText copy and speak it, whatever the order of the glyphs.
  return run.isShaped ? `/Span << /ActualText <feff${hexText(run.text)}> >> BDC ${shown} EMC` : shown;
}

function rounded(length: number): string {
  return String(Math.round(length * 1000) / 1000);
}
