import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { getDocument } from "pdfjs-dist/legacy/build/pdf.mjs";
import { z } from "zod";

/** Text with its position, in points from the lower left corner of the page. */
export interface PdfText {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

/** An element of the structure tree: `tag` is its type, such as H1; content itself has none. */
export interface PdfElement {
  readonly tag: string;
  readonly alt: string | null;
  readonly children: readonly PdfElement[];
}

export interface PdfPage {
  readonly text: string;
  readonly texts: readonly PdfText[];
  readonly tree: PdfElement;
}

export interface ReadPdf {
  readonly title: string;
  readonly language: string;
  readonly outline: readonly string[];
  readonly pages: readonly PdfPage[];
}

const infoSchema = z.object({ Title: z.string(), Language: z.string() });
const nodeSchema = z.object({
  role: z.string().optional(),
  alt: z.string().optional(),
  get children() {
    return z.array(nodeSchema).optional();
  },
});
type Node = z.output<typeof nodeSchema>;

/** Opened by pdf.js, which shares nothing with the code that wrote it. Structure trees of many pages take seconds. */
export async function readPdf(stream: Readable, { withTrees = true } = {}): Promise<ReadPdf> {
  const task = getDocument({ data: new Uint8Array(await buffer(stream)), verbosity: 0 });
  try {
    const opened = await task.promise;
    const { Title, Language } = infoSchema.parse((await opened.getMetadata()).info);
    const outline = z.array(z.object({ title: z.string() })).parse((await opened.getOutline()) ?? []);
    const pages: PdfPage[] = [];
    for (let nth = 1; nth <= opened.numPages; nth += 1) {
      const page = await opened.getPage(nth);
      const { items } = await page.getTextContent();
      const texts = items.flatMap((item) => ("str" in item ? [item] : []));
      pages.push({
        text: texts.map(({ str, hasEOL }) => (hasEOL ? `${str}\n` : str)).join(""),
        texts: texts.flatMap(({ str, transform, width }) => {
          const [x, y] = z.tuple([z.number(), z.number()]).parse(transform.slice(4));
          return str.trim() === "" ? [] : [{ text: str, x, y, width }];
        }),
        tree: elementOf(nodeSchema.parse(withTrees ? await page.getStructTree() : {})),
      });
    }
    return { title: Title, language: Language, outline: outline.map(({ title }) => title), pages };
  } finally {
    await task.destroy();
  }
}

function elementOf({ role, alt, children }: Node): PdfElement {
  return { tag: role ?? "", alt: alt ?? null, children: (children ?? []).map(elementOf) };
}

/** All elements of a type, on all pages in order. */
export function elementsOf({ pages }: ReadPdf, tag: string): PdfElement[] {
  const within = (element: PdfElement): PdfElement[] => [
    ...(element.tag === tag ? [element] : []),
    ...element.children.flatMap(within),
  ];
  return pages.flatMap(({ tree }) => within(tree));
}
