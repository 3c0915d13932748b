import { createHash } from "node:crypto";
import { type FileHandle, open, rename, rm } from "node:fs/promises";

/**
 * A backup is a plain tar archive (ustar), so that `tar -tf` lists it and no tool of ours is needed to look inside. Each
 * part is small enough to be held in memory.
 */

/** What the manifest says of a part. */
export interface Part {
  readonly name: string;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

const BLOCK = 512;
/** Larger than any part that is written: compressed pieces of rows, and small files. */
const MAX_PART_BYTES = 64 * 1_024 * 1_024;

/** Why a file cannot be read as a backup, as a message for the operator. */
export class DamagedBackup extends Error {}

/** Writes an archive beside its final name, which it gets once it is complete; nobody else may read it. */
export class ArchiveWriter {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly parts: Part[] = [];

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  /** Rejects with the error of the operating system, also if the file exists already. */
  static async create(path: string): Promise<ArchiveWriter> {
    await (await open(path, "wx", 0o600)).close();
    await rm(path);
    return new ArchiveWriter(path, await open(`${path}.part`, "wx", 0o600));
  }

  async add(name: string, content: Uint8Array): Promise<void> {
    const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK);
    await this.#file.writev([headerOf(name, content.length), content, padding]);
    this.parts.push({ name, bytes: content.length, sha256: sha256Of(content) });
  }

  /** Ends the archive; it is on the disk once this resolves. */
  async close(): Promise<void> {
    await this.#file.write(Buffer.alloc(2 * BLOCK));
    await this.#file.sync();
    await this.#file.close();
    await rename(`${this.#path}.part`, this.#path);
  }

  /** Removes what was written. */
  async discard(): Promise<void> {
    await this.#file.close().catch(() => {});
    await rm(`${this.#path}.part`, { force: true });
  }
}

export const sha256Of = (content: Uint8Array): string => createHash("sha256").update(content).digest("hex");

/** Reads the wanted parts in order, all by default. Throws DamagedBackup for what is no archive, or was cut short. */
export async function* readParts(
  path: string,
  wants: (name: string) => boolean = () => true,
): AsyncGenerator<{ readonly name: string; readonly content: Buffer }> {
  const file = await open(path, "r");
  try {
    let at = 0;
    const read = async (bytes: number): Promise<Buffer> => {
      const buffer = Buffer.alloc(bytes);
      for (let done = 0; done < bytes;) {
        const { bytesRead } = await file.read(buffer, done, bytes - done, at + done);
        if (bytesRead === 0) throw new DamagedBackup("The file ends too early: it was cut short.");
        done += bytesRead;
      }
      at += bytes;
      return buffer;
    };
    for (;;) {
      const header = await read(BLOCK);
      if (header.every((byte) => byte === 0)) return;
      const { name, bytes } = readHeader(header);
      const padding = (BLOCK - (bytes % BLOCK)) % BLOCK;
      if (!wants(name)) {
        at += bytes + padding;
        continue;
      }
      const content = await read(bytes);
      await read(padding);
      yield { name, content };
    }
  } finally {
    await file.close();
  }
}

function headerOf(name: string, bytes: number): Buffer {
  if (Buffer.byteLength(name) > 99) throw new Error(`${name} is too long a name for a part of a backup.`);
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, "0")}\0`;
  header.write(name, 0, "utf8");
  header.write(octal(0o600, 7), 100, "latin1");
  header.write(octal(0, 7), 108, "latin1");
  header.write(octal(0, 7), 116, "latin1");
  header.write(octal(bytes, 11), 124, "latin1");
  header.write(octal(0, 11), 136, "latin1");
  header.write("0", 156, "latin1");
  header.write("ustar\u000000", 257, "latin1");
  header.write(`${octal(checksumOf(header), 6)} `, 148, "latin1");
  return header;
}

function readHeader(header: Buffer): { readonly name: string; readonly bytes: number } {
  const text = (from: number, to: number) => header.toString("utf8", from, to).split("\0")[0] ?? "";
  const bytes = Number.parseInt(text(124, 136), 8);
  const isIntact = text(257, 262) === "ustar" && Number.parseInt(text(148, 156), 8) === checksumOf(header);
  if (!isIntact || !(bytes >= 0 && bytes <= MAX_PART_BYTES)) {
    throw new DamagedBackup("The file is no backup of Suncrew, or it is damaged.");
  }
  return { name: text(0, 100), bytes };
}

/** The sum of the header's bytes, with blanks in place of itself. */
function checksumOf(header: Buffer): number {
  return header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 0x20 : byte), 0);
}
