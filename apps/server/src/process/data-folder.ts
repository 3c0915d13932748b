import { randomBytes } from "node:crypto";
import { access, constants, readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { makeFolders, writePrivateFile } from "../platform/embedded/files.ts";
import { checkReachable, chooseOwner } from "../platform/embedded/postgres-setup.ts";
import { StartError } from "../platform/errors.ts";
import type { ProcessSettings } from "./settings.ts";

export const repositoryDir = fileURLToPath(new URL("../../../..", import.meta.url));

/** Name of the embedded database and of its folder: the demo and production share nothing. */
export const databaseName = (mode: ProcessSettings["mode"]): string => (mode === "demo" ? "suncrew_demo" : "suncrew");

export const defaultDataFolder = (): string =>
  process.getuid?.() === 0 ? "/var/lib/suncrew" : join(repositoryDir, ".data");

/** Creates the data folder if needed and returns its path. Throws a StartError if it cannot be written. */
export async function openDataFolder(settings: ProcessSettings): Promise<string> {
  const folder = resolve(settings.dataDir ?? defaultDataFolder());
  if (settings.databaseUrl === null)
    await checkReachable(folder, await chooseOwner(join(folder, databaseName(settings.mode))));
  try {
    await makeFolders(folder);
    await access(folder, constants.W_OK | constants.X_OK);
    await readdir(folder);
  } catch (error) {
    throw new StartError(
      `The data folder ${folder} cannot be used (${error instanceof Error ? error.message : String(error)}): set DATA_DIR to one that this user can write to.`,
    );
  }
  return folder;
}

const DEMO_KEY_FILE = "demo-secret-key";
/** The simulated robots' own secrets. */
export const DEMO_DEVICES_FILE = "demo-devices.json";

/** Files of the data folder without which a database of that mode is of little use: they belong into its backup. */
export const filesBesideDatabase = (mode: ProcessSettings["mode"]): readonly string[] =>
  mode === "demo" ? [DEMO_KEY_FILE, DEMO_DEVICES_FILE] : [];

/** The demo's own key, generated at its first start and stored, so that a restart signs nobody out. */
export async function demoSecretKey(dataDir: string): Promise<string> {
  const path = join(dataDir, DEMO_KEY_FILE);
  const stored = (await readFile(path, "utf8").catch(() => "")).trim();
  if (stored.length >= 32) return stored;
  const generated = randomBytes(48).toString("base64url");
  await writePrivateFile(path, `${generated}\n`);
  return generated;
}
