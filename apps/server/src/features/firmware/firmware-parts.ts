import { setImmediate } from "node:timers/promises";
import type { Db } from "../../platform/database/database.ts";
import { readPart } from "./firmware-files.repository.ts";

export const PART_BYTES = 262_144;
/** 16 MiB: what all robots of a batch download, they download at the same time. */
const PARTS_KEPT = 64;

/**
 * Hands out firmware part by part, so that no file is held whole for each robot that downloads it. What was read last is
 * kept, and what several ask for at once is read once.
 */
export class FirmwareParts {
  readonly #db: Db;
  readonly #kept = new Map<string, Promise<Buffer>>();

  constructor(db: Db) {
    this.#db = db;
  }

  /** The whole file. Throws where it is deleted on the way. */
  async *of(firmwareId: number, bytes: number): AsyncGenerator<Buffer> {
    for (let from = 0; from < bytes; from += PART_BYTES) {
      yield await this.#part(firmwareId, from, Math.min(PART_BYTES, bytes - from));
      // Parts that are kept come at once: others must not wait until a whole crowd has its file.
      await setImmediate();
    }
  }

  #part(firmwareId: number, from: number, length: number): Promise<Buffer> {
    const key = `${firmwareId}:${from}`;
    const known = this.#kept.get(key);
    const part = known ?? this.#read(key, firmwareId, from, length);
    // Put at the end: the first ones are those that nobody asked for longest.
    this.#kept.delete(key);
    this.#kept.set(key, part);
    if (this.#kept.size > PARTS_KEPT) this.#kept.delete(this.#kept.keys().next().value ?? "");
    return part;
  }

  async #read(key: string, firmwareId: number, from: number, length: number): Promise<Buffer> {
    try {
      const part = await readPart(this.#db, firmwareId, from, length);
      if (part?.length !== length) throw new Error(`Firmware ${firmwareId} has no part at ${from} any more.`);
      return part;
    } catch (error) {
      this.#kept.delete(key);
      throw error;
    }
  }
}
