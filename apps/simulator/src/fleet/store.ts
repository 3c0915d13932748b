import { existsSync, readFileSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { z } from "zod";
import { type RobotMemory, robotMemorySchema } from "../robot/memory.ts";

/** Stores what survives a robot's power loss. */
export interface MemoryStore {
  load(serial: string): RobotMemory | undefined;
  /** Stores soon. */
  save(serial: string, memory: RobotMemory): void;
  /** Resolves once everything saved so far is on disk; rejects if it cannot be written. */
  flush(): Promise<void>;
}

export function createMemoryStore(): MemoryStore {
  const memories = new Map<string, RobotMemory>();
  return {
    load: (serial) => memories.get(serial),
    save: (serial, memory) => void memories.set(serial, memory),
    flush: () => Promise.resolve(),
  };
}

export const storeFileSchema = z.object({ robots: z.record(z.string(), robotMemorySchema) });
const WRITE_AFTER_MS = 2_000;

/**
 * One JSON file for the fleet, replaced atomically so that a crash leaves either the old or the new one. Throws if the
 * file exists but is not valid.
 */
export function openFileStore(path: string, onError: (error: unknown) => void): MemoryStore {
  const memories = readFile(path);
  let dirty = false;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  let queued: Promise<void> | undefined;

  async function write(): Promise<void> {
    if (!dirty) return;
    dirty = false;
    const text = JSON.stringify({ robots: Object.fromEntries(memories) });
    try {
      await replaceFile(path, text);
    } catch (error) {
      dirty = true;
      throw error;
    }
  }

  /** At most one write runs and one waits; the second writes everything saved in the meantime. */
  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    queued ??= writing
      .catch(() => {})
      .then(() => {
        queued = undefined;
        writing = write();
        return writing;
      });
    return queued;
  }

  return {
    load: (serial) => memories.get(serial),
    save(serial, memory) {
      memories.set(serial, memory);
      dirty = true;
      timer ??= setTimeout(() => void flush().catch(onError), WRITE_AFTER_MS).unref();
    },
    flush,
  };
}

function readFile(path: string): Map<string, RobotMemory> {
  if (!existsSync(path)) return new Map();
  try {
    return new Map(Object.entries(storeFileSchema.parse(JSON.parse(readFileSync(path, "utf8"))).robots));
  } catch {
    throw new Error(`The state file ${path} is damaged; remove it to begin with new robots.`);
  }
}

async function replaceFile(path: string, text: string): Promise<void> {
  const next = `${path}.next`;
  const file = await open(next, "w", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(next, path);
}
