import { LOGO_MAX_PIXELS, type LogoMediaType } from "@suncrew/contract/report-templates/report-templates.ts";
import { crc32, deflateSync, inflateSync } from "node:zlib";
import { invalid } from "../../platform/http/http-error.ts";
import { isDrawable } from "../../platform/pdf/pdf-document.ts";

/** An image that a report can show as it is. */
export interface LogoImage {
  readonly mediaType: LogoMediaType;
  readonly width: number;
  readonly height: number;
  readonly content: Buffer;
}

/** A line is not a logo, and what is wider is not seen. Pixels. */
const SIDES = { least: 16, most: 4_000 } as const;

/**
 * Reads an uploaded PNG or JPEG. What is stored is written anew: a PNG without transparency, on white, and a JPEG without
 * what a camera adds, such as its place. Throws 400.
 */
export function readLogoImage(file: Buffer): LogoImage {
  const image = readImage(file);
  // A report must never fail because of its logo.
  if (!isDrawable(image.content)) throw broken();
  return image;
}

function readImage(file: Buffer): LogoImage {
  if (file.subarray(0, 8).equals(PNG_SIGNATURE)) return readPng(file);
  if (file.length > 4 && file.readUInt16BE(0) === 0xffd8) return readJpeg(file);
  throw refused("A logo must be a PNG or JPEG file.");
}

function refused(message: string) {
  return invalid("file", message);
}

function broken() {
  return refused("The image is damaged or incomplete.");
}

function checkSize(width: number, height: number): void {
  const [short, long] = [Math.min(width, height), Math.max(width, height)];
  if (short >= SIDES.least && long <= SIDES.most && width * height <= LOGO_MAX_PIXELS) return;
  const most = LOGO_MAX_PIXELS.toLocaleString("en");
  throw refused(
    `The image has ${width} by ${height} pixels. A logo has at least ${SIDES.least} and at most ${SIDES.most.toLocaleString("en")} on each side, and at most ${most} altogether.`,
  );
}

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Of each colour type: grey, RGB, palette, grey with alpha, RGB with alpha. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const DEPTHS: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};

interface PngHeader {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly type: number;
  readonly channels: number;
}

/** PNG, third edition. */
function readPng(file: Buffer): LogoImage {
  const chunks = pngChunks(file);
  const header = pngHeader(chunks[0]);
  const { width, height, depth, channels } = header;
  checkSize(width, height);
  const rowBytes = Math.ceil((width * channels * depth) / 8);
  const data = Buffer.concat(chunks.filter(({ name }) => name === "IDAT").map(({ content }) => content));
  const rows = inflated(data, (rowBytes + 1) * height);
  unfilter(rows, rowBytes, Math.max(1, (channels * depth) >> 3));
  const palette = chunks.find(({ name }) => name === "PLTE")?.content ?? Buffer.alloc(0);
  const transparency = chunks.find(({ name }) => name === "tRNS")?.content ?? null;
  const pixels = onWhite(rows, rowBytes, header, { palette, transparency });
  return { mediaType: "image/png", width, height, content: writePng(width, height, pixels) };
}

interface Chunk {
  readonly name: string;
  readonly content: Buffer;
}

function pngChunks(file: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = 8; at + 12 <= file.length;) {
    const length = file.readUInt32BE(at);
    const end = at + 8 + length;
    if (end + 4 > file.length || crc32(file.subarray(at + 4, end)) !== file.readUInt32BE(end)) throw broken();
    const name = file.toString("latin1", at + 4, at + 8);
    if (name === "IEND") return chunks;
    chunks.push({ name, content: file.subarray(at + 8, end) });
    at = end + 4;
  }
  throw broken();
}

function pngHeader(first: Chunk | undefined): PngHeader {
  if (first?.name !== "IHDR" || first.content.length !== 13) throw broken();
  const { content } = first;
  const [depth = 0, type = 0, , , interlaced = 0] = content.subarray(8);
  const channels = CHANNELS[type];
  if (channels === undefined || DEPTHS[type]?.includes(depth) !== true) throw broken();
  if (interlaced !== 0) throw refused("The PNG is interlaced. Save it without interlacing.");
  return { width: content.readUInt32BE(0), height: content.readUInt32BE(4), depth, type, channels };
}

/** Never more than `length` bytes, whatever the file claims. */
function inflated(data: Buffer, length: number): Buffer {
  try {
    const rows = inflateSync(data, { maxOutputLength: length });
    if (rows.length === length) return rows;
  } catch {
    // Not in the format, or longer.
  }
  throw broken();
}

/** Undoes the filter of each row, in place; `step` is the distance of the same byte of the pixel before. */
function unfilter(rows: Buffer, rowBytes: number, step: number): void {
  for (let begin = 0; begin < rows.length; begin += rowBytes + 1) {
    const filter = rows[begin] ?? 0;
    if (filter > 4) throw broken();
    for (let index = 1; index <= rowBytes; index += 1) {
      const at = begin + index;
      const left = index > step ? (rows[at - step] ?? 0) : 0;
      const up = begin > 0 ? (rows[at - rowBytes - 1] ?? 0) : 0;
      const upLeft = index > step && begin > 0 ? (rows[at - rowBytes - 1 - step] ?? 0) : 0;
      rows[at] = (rows[at] ?? 0) + predicted(filter, left, up, upLeft);
    }
  }
}

function predicted(filter: number, left: number, up: number, upLeft: number): number {
  switch (filter) {
    case 1:
      return left;
    case 2:
      return up;
    case 3:
      return (left + up) >> 1;
    case 4: {
      const estimate = left + up - upLeft;
      const [toLeft, toUp, toUpLeft] = [
        Math.abs(estimate - left),
        Math.abs(estimate - up),
        Math.abs(estimate - upLeft),
      ];
      return toLeft <= toUp && toLeft <= toUpLeft ? left : toUp <= toUpLeft ? up : upLeft;
    }
    default:
      return 0;
  }
}

/** The pixels as RGB, three bytes each, as they look on white. */
function onWhite(
  rows: Buffer,
  rowBytes: number,
  { width, height, depth, type, channels }: PngHeader,
  { palette, transparency }: { readonly palette: Buffer; readonly transparency: Buffer | null },
): Buffer {
  const pixels = Buffer.alloc(width * height * 3);
  const most = 2 ** Math.min(8, depth) - 1;
  const sampleAt = (row: number, index: number): number => {
    const begin = row * (rowBytes + 1) + 1;
    if (depth === 16) return rows[begin + index * 2] ?? 0;
    if (depth === 8) return rows[begin + index] ?? 0;
    const bit = index * depth;
    return ((rows[begin + (bit >> 3)] ?? 0) >> (8 - depth - (bit & 7))) & most;
  };
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const first = column * channels;
      const grey = (sampleAt(row, first) * 255) / most;
      const entry = type === 3 ? sampleAt(row, first) : 0;
      const alpha =
        type === 3 ? (transparency?.[entry] ?? 255) : channels % 2 === 0 ? sampleAt(row, first + channels - 1) : 255;
      for (let channel = 0; channel < 3; channel += 1) {
        const value =
          type === 3 ? (palette[entry * 3 + channel] ?? 0) : channels < 3 ? grey : sampleAt(row, first + channel);
        pixels[(row * width + column) * 3 + channel] = Math.round(255 + ((value - 255) * alpha) / 255);
      }
    }
  }
  return pixels;
}

function writePng(width: number, height: number, pixels: Buffer): Buffer {
  const rows = Buffer.alloc((width * 3 + 1) * height);
  for (let row = 0; row < height; row += 1)
    pixels.copy(rows, row * (width * 3 + 1) + 1, row * width * 3, (row + 1) * width * 3);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  const chunk = (name: string, content: Buffer) => {
    const named = Buffer.concat([Buffer.from(name, "latin1"), content]);
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(content.length);
    check.writeUInt32BE(crc32(named));
    return Buffer.concat([length, named, check]);
  };
  return Buffer.concat([
    PNG_SIGNATURE,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Segments that a decoder needs: the rest may have a place, a name or a preview. JFIF and Adobe's say how to decode. */
const KEPT_APPLICATION_SEGMENTS: ReadonlySet<number> = new Set([0xe0, 0xee]);
const COMMENT = 0xfe;
const START_OF_SCAN = 0xda;

/** ITU T.81, baseline and progressive. */
function readJpeg(file: Buffer): LogoImage {
  const end = file.lastIndexOf(Buffer.from([0xff, 0xd9]));
  const kept: Buffer[] = [file.subarray(0, 2)];
  let size: { readonly width: number; readonly height: number } | null = null;
  for (let at = 2; at + 4 <= end;) {
    const marker = file[at + 1] ?? 0;
    if (file[at] !== 0xff) throw broken();
    const next = at + 2 + file.readUInt16BE(at + 2);
    if (next > end || next < at + 4) throw broken();
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) size = jpegSize(file.subarray(at + 4, next), marker);
    if (marker === START_OF_SCAN) {
      if (size === null) throw broken();
      kept.push(file.subarray(at, end + 2));
      return { mediaType: "image/jpeg", ...size, content: Buffer.concat(kept) };
    }
    const isApplication = marker >= 0xe0 && marker <= 0xef;
    if (marker !== COMMENT && (!isApplication || KEPT_APPLICATION_SEGMENTS.has(marker)))
      kept.push(file.subarray(at, next));
    at = next;
  }
  throw broken();
}

function jpegSize(frame: Buffer, marker: number): { readonly width: number; readonly height: number } {
  if (frame.length < 6) throw broken();
  const [precision, components] = [frame[0], frame[5]];
  const isUsual = marker <= 0xc2 && precision === 8 && (components === 1 || components === 3);
  if (!isUsual) throw refused("The JPEG has colours for print, or a rare format. Save it as RGB, or as PNG.");
  const [height, width] = [frame.readUInt16BE(1), frame.readUInt16BE(3)];
  checkSize(width, height);
  return { width, height };
}
