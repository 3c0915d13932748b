import { createHash } from "node:crypto";
import { chown, lstat, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Owner } from "./postgres-owner.ts";
import { hasCode } from "./files.ts";
import { StartError } from "./start-error.ts";

/** Unix socket paths end at 107 bytes; PostgreSQL adds "/.s.PGSQL.5432" and a lock file's ending to the folder. */
const MAX_FOLDER_BYTES = 75;

/**
 * Makes the private folder of the database's socket: short, for its account alone, the same for the same data. The
 * folder is the lock on the door, since whoever reaches the socket is let in; so one that others own is refused.
 */
export async function makeSocketFolder(databaseFolder: string, owner: Owner | null): Promise<string> {
  const uid = owner?.uid ?? process.getuid?.() ?? 0;
  const name = `suncrew-${createHash("sha256").update(`${uid}:${databaseFolder}`).digest("hex").slice(0, 12)}`;
  const wished = join(tmpdir(), name);
  const folder = Buffer.byteLength(wished) <= MAX_FOLDER_BYTES ? wished : join("/tmp", name);
  try {
    await mkdir(folder, { mode: 0o700 });
    if (owner !== null) await chown(folder, owner.uid, owner.gid);
  } catch (error) {
    if (!hasCode(error, "EEXIST"))
      throw new StartError(`The folder ${folder} for the database's socket cannot be made: ${String(error)}`);
  }
  let found = await lstat(folder);
  if (owner !== null && found.isDirectory() && found.uid === 0) {
    // Left by a start that was killed between making and giving away the folder.
    await chown(folder, owner.uid, owner.gid);
    found = await lstat(folder);
  }
  if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o077) !== 0) {
    throw new StartError(
      `The folder ${folder} for the database's socket belongs to somebody else or is open to others: remove it and start again.`,
    );
  }
  return folder;
}
