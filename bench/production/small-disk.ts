import { spawnSync } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { StepContext } from "./test-system.ts";

const DISK = "700m";

/** A disk that can be filled without harm; null if this user may not create one. */
export async function smallDisk({
  folder,
  account,
  stops,
}: Pick<StepContext, "folder" | "account" | "stops">): Promise<string | null> {
  if (process.getuid?.() !== 0) return null;
  const disk = join(folder, "disk");
  await mkdir(disk);
  const owner = account === null ? "" : `,uid=${account.uid},gid=${account.gid}`;
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${DISK},mode=755${owner}`, "tmpfs", disk]);
  if (status !== 0) return null;
  stops.push(async () => spawnSync("umount", ["--lazy", disk]));
  return disk;
}

/** Writes until there is no room left. */
export async function fill(path: string): Promise<void> {
  const block = Buffer.alloc(1_048_576, 1);
  async function* blocks() {
    for (;;) yield block;
  }
  await pipeline(blocks(), createWriteStream(path)).catch(() => {});
}
