import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import Kit from "pdfkit";
import { plainText } from "./shaping.ts";
import { type TextStyle, Typesetter } from "./typesetter.ts";

/** Colours of the console's Light theme. */
export const theme = {
  text: "#15202b",
  muted: "#54616e",
  accent: "#0b6478",
  accentSoft: "#dcf0f4",
  border: "#dce2e8",
  soft: "#f5f7f9",
  sun: "#f5a800",
  good: "#1b7a43",
  poor: "#a01616",
  fair: "#794600",
  fairSoft: "#fdefd2",
} as const;

/** A4 portrait and its margins, in points. */
export const page = { left: 48, right: 547, top: 76, bottom: 778, width: 499, fullWidth: 595.28 } as const;

interface PdfOptions {
  readonly title: string;
  readonly subject: string;
  readonly author: string;
  /** BCP 47. */
  readonly language: string;
  readonly createdAt: Date;
  /** Draws the header and footer of a new page, which screen readers skip. */
  readonly decorate: (document: PdfDocument, pageNumber: number) => void;
}

/** Structure types of PDF 1.7, section 14.8.4. */
export type Tag = "H1" | "H2" | "H3" | "P" | "Table" | "TR" | "TH" | "TD" | "Figure";

interface TagOptions {
  /** Alternative text of a figure. */
  readonly alt?: string;
  /** Left, top, right, bottom. */
  readonly bbox?: [number, number, number, number];
  readonly scope?: "Column" | "Row";
}

const pageNumberStyle: TextStyle = { size: 8, color: theme.muted };

/** Text for the metadata, which pdfkit writes once as it is and once into XML without escaping it. */
class MetadataText extends String {
  override toString(): string {
    return this.valueOf().replace(/[<>&]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  }
}

/**
 * A tagged A4 document (PDF/UA), written page by page: finished pages can be read at once, so memory does not grow with
 * its length. `y` is where the next block starts, in points from the top edge.
 */
export class PdfDocument {
  y: number = page.top;
  readonly kit: PDFKit.PDFDocument;
  readonly type: Typesetter;
  readonly #options: PdfOptions;
  /** Open structure elements, the innermost last. */
  readonly #open: PDFKit.PDFStructureElement[];
  readonly #pageCount: PDFKit.PDFKitReference;
  #pages = 0;

  constructor(options: PdfOptions) {
    this.#options = options;
    this.kit = new Kit({
      size: "A4",
      margin: 0,
      autoFirstPage: false,
      pdfVersion: "1.7",
      tagged: true,
      displayTitle: true,
      lang: options.language,
      // None of pdfkit's own fonts: the typesetter sets all text.
      font: "",
    });
    Object.assign(this.kit.info, {
      Title: new MetadataText(plainText(options.title)),
      Subject: new MetadataText(plainText(options.subject)),
      Author: new MetadataText(plainText(options.author)),
      Creator: "Suncrew",
      Producer: "Suncrew",
      CreationDate: options.createdAt,
    });
    this.kit.appendXML(
      '<rdf:Description xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/" rdf:about=""><pdfuaid:part>1</pdfuaid:part></rdf:Description>',
    );
    this.type = new Typesetter(this.kit);
    this.#pageCount = this.kit.ref({ Type: "XObject", Subtype: "Form", BBox: [0, -4, 60, 12] });
    this.#open = [this.kit.struct("Document")];
    this.kit.addStructure(this.#innermost);
  }

  get #innermost(): PDFKit.PDFStructureElement {
    const element = this.#open.at(-1);
    if (element === undefined) throw new Error("The document has ended.");
    return element;
  }

  newPage(): void {
    this.kit.addPage();
    this.#pages += 1;
    this.y = page.top;
    this.artifact(() => this.#options.decorate(this, this.#pages));
  }

  /** Starts a new page if less than `height` is left on this one; true if it did. */
  reserve(height: number): boolean {
    if (this.#pages > 0 && this.y + height <= page.bottom) return false;
    this.newPage();
    return true;
  }

  /** Whatever is tagged until `close` is a child of this element. */
  open(tag: Tag, options: TagOptions = {}): void {
    const element = this.kit.struct(tag, options);
    this.#innermost.add(element);
    this.#open.push(element);
  }

  close(): void {
    this.#open.pop()?.end();
  }

  /** Adds what is drawn to the innermost open element. `draw` must not start a page. */
  content(draw: () => void): void {
    this.#innermost.add(draw);
  }

  mark(tag: Tag, draw: () => void, options: TagOptions = {}): void {
    this.#innermost.add(this.kit.struct(tag, options, draw));
  }

  /** Decoration that screen readers skip. */
  artifact(draw: () => void): void {
    this.kit.markContent("Artifact", { type: "Layout" });
    draw();
    this.kit.endMarkedContent();
  }

  line(fromX: number, fromY: number, toX: number, toY: number, width: number, color: string): void {
    this.kit.moveTo(fromX, fromY).lineTo(toX, toY).lineWidth(width).strokeColor(color).stroke();
  }

  fill(left: number, top: number, width: number, height: number, color: string): void {
    this.kit.rect(left, top, width, height).fillColor(color).fill();
  }

  /** Adds a bookmark to this page; its own bookmarks may be added to what it returns. */
  outline(title: string, parent: PDFKit.PDFOutline = this.kit.outline): PDFKit.PDFOutline {
    return parent.addItem(plainText(title));
  }

  /** "Page 3 of 12", right-aligned; every page shows one form for the total, which is filled in at the end. */
  pageNumber(right: number, baseline: number): void {
    Object.assign(this.kit.page.xobjects, { Total: this.#pageCount });
    const totalWidth = this.type.width("00", pageNumberStyle);
    this.type.set(`Page ${this.#pages} of`, right - totalWidth - 2.5, baseline, pageNumberStyle, "RIGHT");
    this.kit.addContent(`q 1 0 0 -1 ${right - totalWidth} ${baseline} cm /Total Do Q`);
  }

  /** Takes the bytes written since the last call; null if there are none. */
  read(): Buffer | null {
    const bytes: unknown = this.kit.read();
    return Buffer.isBuffer(bytes) ? bytes : null;
  }

  end(): void {
    while (this.#open.length > 0) this.close();
    this.type.endForm(this.#pageCount, String(this.#pages), pageNumberStyle);
    this.type.end();
    this.kit.end();
  }
}

/** Whether a document can show this image. */
export function isDrawable(image: Buffer): boolean {
  try {
    new Kit({ font: "" }).image(image, 0, 0);
    return true;
  } catch {
    return false;
  }
}

/**
 * The bytes of a document while it is drawn, a little at each step. Others get their turn between two steps, and the
 * next step waits until the reader wants more. Destroying the stream ends the work.
 */
export function streamPdf(document: PdfDocument, steps: Iterable<void>): Readable {
  async function* bytes(): AsyncGenerator<Buffer> {
    for (const _ of steps) {
      const written = document.read();
      if (written !== null) yield written;
      await nextTurn();
    }
    document.end();
    for (let written = document.read(); written !== null; written = document.read()) yield written;
  }
  return Readable.from(bytes(), { objectMode: false });
}
