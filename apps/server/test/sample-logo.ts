import { crc32, deflateSync } from "node:zlib";

interface PngOptions {
  readonly width: number;
  readonly height: number;
  /** Of PNG: 0 grey, 2 RGB, 3 palette, 4 grey with alpha, 6 RGB with alpha. */
  readonly type: number;
  readonly depth?: number;
  /** The bytes of a row without its filter. */
  readonly row: (nth: number) => readonly number[];
  readonly filterOf?: (nth: number) => number;
  readonly chunks?: readonly (readonly [name: string, content: Buffer])[];
  readonly interlaced?: boolean;
}

export const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

export function pngChunk(name: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, "latin1"), content]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}

/** A PNG whose rows are as given, filtered already. */
export function pngOf({
  width,
  height,
  type,
  depth = 8,
  row,
  filterOf = () => 0,
  chunks = [],
  interlaced,
}: PngOptions) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, type, 0, 0, interlaced === true ? 1 : 0], 8);
  const rows = Array.from({ length: height }, (_, nth) => Buffer.from([filterOf(nth), ...row(nth)]));
  return Buffer.concat([
    PNG_SIGNATURE,
    pngChunk("IHDR", header),
    ...chunks.map(([name, content]) => pngChunk(name, content)),
    pngChunk("IDAT", deflateSync(Buffer.concat(rows))),
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Orange, 60 by 20 pixels, its left half transparent. */
export const sampleLogo = pngOf({
  width: 60,
  height: 20,
  type: 6,
  row: () => Array.from({ length: 60 }, (_, x) => [245, 168, 0, x < 30 ? 0 : 255]).flat(),
});

const segment = (marker: number, content: Buffer): Buffer => {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
};

/** The segments of a JPEG; its scan is not an image. */
export function jpegOf({ width = 60, height = 20, components = 3, precision = 8, marker = 0xc0 } = {}): Buffer {
  const frame = Buffer.alloc(6 + components * 3);
  frame.set([precision], 0);
  frame.writeUInt16BE(height, 1);
  frame.writeUInt16BE(width, 3);
  frame.set([components], 5);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe0, Buffer.from("JFIF\0")),
    segment(0xe1, Buffer.from("Exif\0\0 taken at 27.53 N 71.91 E")),
    segment(0xfe, Buffer.from("made by Anita")),
    segment(marker, frame),
    segment(0xda, Buffer.from([1, 2, 3])),
    Buffer.from([1, 2, 3, 4]),
    Buffer.from([0xff, 0xd9]),
    Buffer.from("what some programs append"),
  ]);
}
