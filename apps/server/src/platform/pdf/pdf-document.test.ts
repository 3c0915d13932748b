import { once } from "node:events";
import { expect, test } from "vitest";
import { PdfDocument, streamPdf } from "./pdf-document.ts";

const PAGES = 2_000;

/** A document of many pages, each larger than what a reader takes at once. */
function manyPages() {
  const document = new PdfDocument({
    title: "Many pages",
    subject: "",
    author: "",
    language: "en",
    createdAt: new Date(0),
    decorate: () => {},
  });
  const seen = { drawn: 0, isLeft: false };
  function* steps(): Generator<void> {
    try {
      for (; seen.drawn < PAGES; seen.drawn += 1) {
        document.newPage();
        // Incompressible data.
        const noise = Array.from({ length: 6_000 }, (_, nth) =>
          (((nth + 1) * (seen.drawn + 7) * 7_919) % 9_973).toString(36),
        );
        document.kit.addContent(`% ${noise.join("")}`);
        yield;
      }
    } finally {
      seen.isLeft = true;
    }
  }
  return { stream: streamPdf(document, steps()), seen };
}

test("§2 Site Reports: drawing does not run ahead of a slow reader", async () => {
  const { stream, seen } = manyPages();
  await once(stream, "readable");
  const drawn = seen.drawn;
  expect(drawn).toBeLessThan(100);
  // Nobody reads: turns of the event loop pass, and no page is added beyond what the stream buffers.
  for (let turn = 0; turn < 500; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(seen.drawn).toBeLessThan(100);
  stream.destroy();
  await once(stream, "close");
});

test("§2 Site Reports: a caller that disconnects ends the work at the next step", async () => {
  const { stream, seen } = manyPages();
  await once(stream, "readable");
  stream.read();
  stream.destroy();
  await once(stream, "close");
  for (let turn = 0; turn < 20 && !seen.isLeft; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(seen.isLeft).toBe(true);
  expect(seen.drawn).toBeLessThan(100);
});
