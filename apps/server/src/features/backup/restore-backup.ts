import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type pg from "pg";
import { copyIn, openCopyingDatabase } from "../../platform/database/copy-rows.ts";
import { makeFolders, writePrivateFile } from "../../platform/embedded/files.ts";
import { StartError } from "../../platform/errors.ts";
import { verifyAudit } from "../audit/public.ts";
import { DamagedBackup, readParts, sha256Of } from "./archive.ts";
import { settlePast } from "./after-restore.repository.ts";
import { copyInStatement, countRows, setPlainFormats } from "./dump.repository.ts";
import { fileOfPart, keyCheckOf, type Manifest, MANIFEST, manifestSchema, tableOfPart } from "./manifest.ts";
import { addRestoredSchema, completeSchema, prepareTables, refuseUsedDatabase } from "./restore.repository.ts";

const decompress = promisify(gunzip);

export interface RestoreInput {
  /** Of the account that owns the tables, or will. */
  readonly connection: pg.ClientConfig;
  /** The account that servers connect as; null if it is the same. */
  readonly serverAccount: string | null;
  readonly mode: Manifest["mode"];
  readonly path: string;
  /** Where the files go; null if the backup's are not wanted. */
  readonly dataDir: string | null;
  /** The key that the servers will use; null if it is not known to this command. */
  readonly secretKey: string | null;
}

export interface Restored {
  readonly manifest: Manifest;
  readonly auditProblem: string | null;
  /** The backup's generated passwords were encrypted with another secret key. */
  readonly otherKey: boolean;
}

/**
 * Restores a backup into an empty database, in one transaction: everything or nothing. What was to happen at the time of
 * the backup and after it is settled in the same transaction (decision 60). Throws a StartError for a file or a database
 * that it refuses.
 */
export async function restoreBackup(input: RestoreInput): Promise<Restored> {
  const manifest = await readManifest(input.path);
  if (manifest.mode !== input.mode) {
    const other = manifest.mode === "demo" ? "a demo's: restore it with --demo" : "of production: leave out --demo";
    throw new StartError(`The backup is ${other}.`, 2);
  }
  const database = openCopyingDatabase(input.connection);
  try {
    await database.db.transaction().execute(async (tx) => {
      await setPlainFormats(tx);
      await refuseUsedDatabase(tx);
      await addRestoredSchema(tx, manifest);
      const constraints = await prepareTables(tx, manifest);
      for (const table of manifest.tables) {
        await copyIn(database.client(), copyInStatement(table), rowsOf(input.path, table.name));
        const rows = await countRows(tx, table.name);
        if (rows !== table.rows) {
          throw new StartError(`The backup has ${rows} rows of ${table.name}, its list says ${table.rows}.`);
        }
      }
      await completeSchema(tx, manifest, constraints, input.serverAccount);
      await settlePast(tx, manifest);
    });
    if (input.dataDir !== null) await restoreFiles(input.path, input.dataDir);
    const { wrong } = await verifyAudit(database.db, manifest.auditHead);
    return { manifest, auditProblem: wrong, otherKey: isOtherKey(manifest, input.secretKey) };
  } finally {
    await database.close();
  }
}

/**
 * The manifest of a backup, once every part was read and is as the manifest says. Throws a StartError for a file that is
 * damaged, incomplete, or no backup.
 */
export async function readManifest(path: string): Promise<Manifest> {
  const found: { readonly name: string; readonly bytes: number; readonly sha256: string }[] = [];
  let text: string | null = null;
  try {
    for await (const { name, content } of readParts(path)) {
      if (text !== null) throw new DamagedBackup("The file goes on after its end.");
      if (name === MANIFEST) text = content.toString("utf8");
      else found.push({ name, bytes: content.length, sha256: sha256Of(content) });
    }
    if (text === null) throw new DamagedBackup("The file lacks its list of contents: it was never completed.");
    return checked(text, found);
  } catch (error) {
    if (!(error instanceof DamagedBackup)) throw error;
    throw new StartError(`${path} cannot be restored, and nothing was changed. ${error.message}`);
  }
}

function checked(text: string, found: Manifest["parts"]): Manifest {
  const damaged = new DamagedBackup("Its list of contents is damaged, or of a newer Suncrew.");
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw damaged;
  }
  const parsed = manifestSchema.safeParse(json);
  if (!parsed.success) throw damaged;
  const { parts } = parsed.data;
  const wrong = parts.find(({ name, bytes, sha256 }, at) => {
    const part = found[at];
    return part?.name !== name || part.bytes !== bytes || part.sha256 !== sha256;
  });
  if (wrong !== undefined) throw new DamagedBackup(`Its part ${wrong.name} is not as it was written.`);
  if (found.length > parts.length) throw new DamagedBackup("It has parts that it does not list.");
  return parsed.data;
}

async function* rowsOf(path: string, table: string): AsyncGenerator<Buffer> {
  for await (const { content } of readParts(path, (name) => tableOfPart(name) === table)) {
    yield await decompress(content);
  }
}

async function restoreFiles(path: string, dataDir: string): Promise<void> {
  await makeFolders(dataDir);
  for await (const { name, content } of readParts(path, (part) => fileOfPart(part) !== null)) {
    const file = fileOfPart(name);
    if (file !== null) await writePrivateFile(join(dataDir, file), content.toString("utf8"));
  }
}

function isOtherKey({ keyCheck }: Manifest, secretKey: string | null): boolean {
  return keyCheck !== null && secretKey !== null && keyCheck !== keyCheckOf(secretKey);
}
