import fc from "fast-check";
import { inflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { jpegOf, PNG_SIGNATURE, pngChunk, pngOf, sampleLogo } from "../../../test/sample-logo.ts";
import { HttpError } from "../../platform/http/http-error.ts";
import { readLogoImage } from "./logo-image.ts";

const WIDTH = 16;
const HEIGHT = 16;

/** The RGB of a pixel of what is stored, which is not filtered. */
function pixelOf(stored: Buffer, width: number, x: number, y: number): number[] {
  const at = stored.indexOf("IDAT");
  const rows = inflateSync(stored.subarray(at + 4, at + 4 + stored.readUInt32BE(at - 4)));
  const begin = y * (width * 3 + 1) + 1 + x * 3;
  return [...rows.subarray(begin, begin + 3)];
}

const repeated = (bytes: readonly number[]) => () => Array.from({ length: WIDTH }, () => bytes).flat();
const base = { width: WIDTH, height: HEIGHT };

describe("decisions, logo of reports: a PNG is stored without transparency, as it looks on white", () => {
  const palette = ["PLTE", Buffer.from([1, 2, 3, 200, 100, 50])] as const;
  test.each([
    ["grey", pngOf({ ...base, type: 0, row: repeated([77]) }), [77, 77, 77]],
    ["black and white", pngOf({ ...base, type: 0, depth: 1, row: () => [0xff, 0xff] }), [255, 255, 255]],
    ["RGB", pngOf({ ...base, type: 2, row: repeated([10, 20, 30]) }), [10, 20, 30]],
    ["RGB with 16 bits", pngOf({ ...base, type: 2, depth: 16, row: repeated([10, 9, 20, 9, 30, 9]) }), [10, 20, 30]],
    ["a palette", pngOf({ ...base, type: 3, row: repeated([1]), chunks: [palette] }), [200, 100, 50]],
    [
      "a palette with a transparent colour",
      pngOf({ ...base, type: 3, row: repeated([1]), chunks: [palette, ["tRNS", Buffer.from([255, 0])]] }),
      [255, 255, 255],
    ],
    [
      "a palette of 4 bits",
      pngOf({ ...base, type: 3, depth: 4, row: () => Array(8).fill(0x10), chunks: [palette] }),
      [200, 100, 50],
    ],
    ["grey, half transparent", pngOf({ ...base, type: 4, row: repeated([55, 51]) }), [215, 215, 215]],
    ["RGB, transparent", pngOf({ ...base, type: 6, row: repeated([10, 20, 30, 0]) }), [255, 255, 255]],
  ] as const)("%s", (_what, file, pixel) => {
    const { content, ...image } = readLogoImage(file);
    expect(image).toEqual({ mediaType: "image/png", width: WIDTH, height: HEIGHT });
    expect(pixelOf(content, WIDTH, 0, 0)).toEqual(pixel);
    // What is stored is a PNG itself, and stays as it is.
    expect(readLogoImage(content).content).toEqual(content);
  });

  test("each way to filter a row is undone", () => {
    // Every row is a ramp: Sub and Paeth as differences to the left, Up as none to the row above, Average as it comes.
    const ramp = Array.from({ length: WIDTH }, (_, x) => x * 3);
    const left = ramp.map((value, x) => value - (ramp[x - 1] ?? 0));
    const rows = [
      ramp,
      left,
      ramp.map(() => 0),
      ramp.map((value, x) => value - ((value + (ramp[x - 1] ?? 0)) >> 1)),
      ramp.map(() => 0),
    ];
    const filtered = pngOf({
      ...base,
      type: 0,
      row: (nth) => (rows[nth] ?? ramp).map((value) => value & 255),
      filterOf: (nth) => (nth < 5 ? nth : 0),
    });
    const { content } = readLogoImage(filtered);
    for (const y of [0, 1, 2, 3, 4, 5]) {
      for (const x of [0, 1, 15]) expect(pixelOf(content, WIDTH, x, y), `${x}, ${y}`).toEqual([x * 3, x * 3, x * 3]);
    }
  });

  test("what the file has besides its pixels is not stored", () => {
    const { content } = readLogoImage(
      pngOf({ ...base, type: 0, row: repeated([7]), chunks: [["tEXt", Buffer.from("Author\0Anita")]] }),
    );
    expect(content.includes("Anita")).toBe(false);
  });
});

describe("decisions, logo of reports: a JPEG is stored without what a camera adds", () => {
  test("its frame and scan stay; place, comments and what follows are left out", () => {
    for (const made of [jpegOf(), jpegOf({ components: 1 }), jpegOf({ marker: 0xc2 })]) {
      const { content, ...image } = readLogoImage(made);
      expect(image).toEqual({ mediaType: "image/jpeg", width: 60, height: 20 });
      for (const word of ["Exif", "Anita", "append"]) expect(content.includes(word)).toBe(false);
      expect(content.includes("JFIF")).toBe(true);
      expect(content.subarray(-2)).toEqual(Buffer.from([0xff, 0xd9]));
    }
  });
});

describe("decisions, logo of reports: what is no logo is refused with the reason", () => {
  const many = { ...base, type: 0 };
  const bomb = Buffer.concat([
    PNG_SIGNATURE,
    sampleLogo.subarray(8, 33),
    pngOf({ width: 16, height: 40_000, type: 0, row: repeated([0]) }).subarray(33),
  ]);
  test.each([
    ["a text", Buffer.from("<svg onload=alert(1)>"), "PNG or JPEG"],
    ["nothing", Buffer.alloc(0), "PNG or JPEG"],
    ["too many pixels", pngOf({ ...many, width: 2_000, height: 1_000, row: () => [] }), "2000 by 1000 pixels"],
    ["too narrow", pngOf({ ...many, width: 900, height: 3, row: () => [] }), "at least 16"],
    ["an interlaced PNG", pngOf({ ...many, row: repeated([1]), interlaced: true }), "interlaced"],
    ["a PNG that unpacks to more than it says", bomb, "damaged"],
    ["a PNG with too few rows", pngOf({ ...many, row: () => [1] }), "damaged"],
    [
      "a PNG with a wrong checksum",
      Buffer.concat([sampleLogo.subarray(0, 50), Buffer.from([1]), sampleLogo.subarray(51)]),
      "damaged",
    ],
    ["half a PNG", sampleLogo.subarray(0, 40), "damaged"],
    ["a PNG with an unknown filter", pngOf({ ...many, row: repeated([1]), filterOf: () => 5 }), "damaged"],
    ["a PNG that begins with its end", Buffer.concat([PNG_SIGNATURE, pngChunk("IEND", Buffer.alloc(0))]), "damaged"],
    ["a JPEG for print", jpegOf({ components: 4 }), "colours for print"],
    ["a JPEG of 12 bits", jpegOf({ precision: 12 }), "colours for print"],
    ["a JPEG without pixels", jpegOf({ width: 0 }), "0 by 20 pixels"],
    ["half a JPEG", jpegOf().subarray(0, 60), "damaged"],
  ])("%s", (_what, file, reason) => {
    expect(() => readLogoImage(file)).toThrow(HttpError);
    expect(() => readLogoImage(file)).toThrow(reason);
  });

  test("whatever bytes are sent, it is a logo or a refusal", () => {
    const changed = fc.tuple(
      fc.constantFrom(sampleLogo, jpegOf()),
      fc.array(fc.tuple(fc.nat(200), fc.nat(255)), { maxLength: 6 }),
      fc.nat(300),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          changed,
          fc.tuple(
            fc.uint8Array().map((bytes) => Buffer.from(bytes)),
            fc.constant([]),
            fc.constant(300),
          ),
        ),
        ([file, changes, length]) => {
          const bytes = Buffer.from(file.subarray(0, length));
          for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
          try {
            expect(readLogoImage(bytes).content.length).toBeGreaterThan(0);
          } catch (error) {
            if (!(error instanceof HttpError)) throw error;
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
