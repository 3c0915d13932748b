import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { PdfDocument } from "./pdf-document.ts";

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
