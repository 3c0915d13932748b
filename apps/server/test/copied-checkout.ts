import { readdirSync } from "node:fs";
import { cp, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("../../..", import.meta.url));

/** The number of this version's latest migration. */
export const newestMigration = (): number =>
  Math.max(...readdirSync(join(repository, "apps/server/migrations")).map((name) => Number(name.slice(0, 4))));

/**
 * Copies the server into an empty folder as another version: with additional migrations by name, and without the console.
 * Everything else comes from this checkout.
 */
export async function copyServer(folder: string, migrations: Readonly<Record<string, string>> = {}): Promise<string> {
  for (const part of ["src", "migrations", "package.json"]) {
    await cp(join(repository, "apps/server", part), join(folder, "apps/server", part), { recursive: true });
  }
  for (const [name, text] of Object.entries(migrations)) {
    await writeFile(join(folder, "apps/server/migrations", name), text);
  }
  await symlink(join(repository, "node_modules"), join(folder, "node_modules"));
  return folder;
}
