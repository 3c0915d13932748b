import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import Kit from "pdfkit";
import { plainText } from "./shaping.ts";
import { type TextStyle, Typesetter } from "./typesetter.ts";

/** The one look of printed pages: colours of the console's Light theme, lengths in points. */
export const theme = {
  text: "#15202b",
  muted: "#54616e",
  accent: "#0b6478",
  accentSoft: "#dcf0f4",
  border: "#dce2e8",
  soft: "#f5f7f9",
  sun: "#f5a800",
  poor: "#a01616",
  fair: "#794600",
  fairSoft: "#fdefd2",
} as const;

/** A4, upright. */
export const page = {
  left: 48,
  right: 547,
  top: 76,
  bottom: 778,
  width: 499,
  height: 841.89,
  fullWidth: 595.28,
} as const;

interface PdfOptions {
  readonly title: string;
  readonly subject: string;
  readonly author: string;
  /** BCP 47. */
  readonly language: string;
  readonly createdAt: Date;
  /** Head and foot of a page, drawn as it begins; they are no content to be read out. */
  readonly decorate: (document: PdfDocument, pageNumber: number) => void;
}

/** The structure types in use, of PDF 1.7 section 14.8.4. */
export type Tag =
  | "H1"
  | "H2"
  | "H3"
  | "P"
  | "Caption"
  | "Table"
  | "TR"
  | "TH"
  | "TD"
  | "Figure"
  | "Sect"
  | "L"
  | "LI"
  | "LBody";

interface TagOptions {
  /** For who cannot see a figure. */
  readonly alt?: string;
  /** Left, top, right, bottom. */
  readonly bbox?: [number, number, number, number];
  readonly scope?: "Column" | "Row";
}

const totalStyle: TextStyle = { size: 8, color: theme.muted };

/** Holds text for the document's metadata, which pdfkit writes once as it is and once into XML without escaping it. */
class MetadataText extends String {
  override toString(): string {
    return this.valueOf().replace(/[<>&]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  }
}

/**
 * A tagged document (PDF/UA) on A4 that is written page by page: what is finished can be read at once, so that memory
 * does not grow with its length. `y` is where the next thing goes, from the upper edge.
 */
export class PdfDocument {
  y: number = page.top;
  readonly kit: PDFKit.PDFDocument;
  readonly type: Typesetter;
  readonly #options: PdfOptions;
  readonly #open: PDFKit.PDFStructureElement[] = [];
  readonly #total: PDFKit.PDFKitReference;
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
      // None of pdfkit's own fonts: all text is set by the typesetter.
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
    this.#total = this.kit.ref({ Type: "XObject", Subtype: "Form", BBox: [0, -4, 60, 12] });
    const whole = this.kit.struct("Document");
    this.kit.addStructure(whole);
    this.#open.push(whole);
  }

  newPage(): void {
    this.kit.addPage();
    this.#pages += 1;
    this.y = page.top;
    this.artifact(() => this.#options.decorate(this, this.#pages));
  }

  /** Begins a new page where less than this is left of this one; true if it did. */
  need(height: number): boolean {
    if (this.#pages > 0 && this.y + height <= page.bottom) return false;
    this.newPage();
    return true;
  }

  /** What is tagged until `close` lies within it. */
  open(tag: Tag, options: TagOptions = {}): void {
    const element = this.kit.struct(tag, options);
    this.#open.at(-1)?.add(element);
    this.#open.push(element);
  }

  close(): void {
    this.#open.pop()?.end();
  }

  /** What is drawn belongs to the innermost open tag; no page may begin meanwhile. */
  content(draw: () => void): void {
    this.#open.at(-1)?.add(draw);
  }

  mark(tag: Tag, draw: () => void, options: TagOptions = {}): void {
    this.open(tag, options);
    this.content(draw);
    this.close();
  }

  /** Lines, grounds, heads and feet: nobody reads them out. */
  artifact(draw: () => void): void {
    this.kit.markContent("Artifact", { type: "Layout" });
    draw();
    this.kit.endMarkedContent();
  }

  /** An entry of the outline that leads to this page; what it returns takes entries below it. */
  outline(title: string, parent: PDFKit.PDFOutline = this.kit.outline): PDFKit.PDFOutline {
    return parent.addItem(plainText(title));
  }

  /** "Page 3 of 12", ending near `right`: the total is a form that is filled in when it is known. */
  pageNumber(right: number, baseline: number): void {
    const forms: unknown = this.kit.page.xobjects;
    if (typeof forms === "object" && forms !== null) Object.assign(forms, { Total: this.#total });
    const room = this.type.width("00", totalStyle);
    this.type.set(`Page ${this.#pages} of`, right - room - 2.5, baseline, totalStyle, "RIGHT");
    this.kit.addContent(`q 1 0 0 -1 ${right - room} ${baseline} cm /Total Do Q`);
  }

  /** All there is to read now; null where there is nothing. */
  take(): Buffer | null {
    const taken: unknown = this.kit.read();
    return Buffer.isBuffer(taken) ? taken : taken instanceof Uint8Array ? Buffer.from(taken) : null;
  }

  end(): void {
    while (this.#open.length > 0) this.close();
    this.type.endForm(this.#total, String(this.#pages), totalStyle);
    this.type.end();
    this.kit.end();
  }
}

/**
 * The bytes of a document as they come to be. `steps` draws a little at each step; between two of them others get
 * their turn, and the next one waits until the reader wants more. A stream that is destroyed takes no further step.
 */
export function streamPdf(document: PdfDocument, steps: Iterable<void>): Readable {
  async function* bytes(): AsyncGenerator<Buffer> {
    for (const _ of steps) {
      const written = document.take();
      if (written !== null) yield written;
      await nextTurn();
    }
    document.end();
    for (let written = document.take(); written !== null; written = document.take()) yield written;
  }
  return Readable.from(bytes(), { objectMode: false });
}
