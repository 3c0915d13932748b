import { join } from "node:path";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type pg from "pg";
import { copyOut, openCopyingDatabase } from "../../platform/database/copy-rows.ts";
import { databaseNow } from "../../platform/database/database.ts";
import { hasCode } from "../../platform/errors.ts";
import { productVersion } from "../../platform/product-version.ts";
import { readHead } from "../audit/public.ts";
import { ArchiveWriter } from "./archive.ts";
import { copyOutStatement, readStructure, recordBackup, setPlainFormats } from "./dump.repository.ts";
import { filePart, FORMAT, keyCheckOf, type Manifest, MANIFEST, manifestSchema, tablePart } from "./manifest.ts";

const compress = promisify(gzip);

export interface BackupInput {
  readonly connection: pg.ClientConfig;
  readonly mode: Manifest["mode"];
  /** The file to write; it must not exist. */
  readonly path: string;
  /** The data folder and the names of its files that an installation needs besides the database. */
  readonly dataDir: string | null;
  readonly files: readonly string[];
  /** Null if it is not known to this command. */
  readonly secretKey: string | null;
  readonly notIncluded: readonly string[];
}

/**
 * Writes everything that the database holds, in one snapshot of it, with the files. Servers may be running: they wait
 * for nothing, except that a migration waits for the end. A backup that cannot be completed is removed.
 */
export async function writeBackup(input: BackupInput): Promise<Manifest> {
  const archive = await ArchiveWriter.create(input.path);
  const database = openCopyingDatabase(input.connection);
  try {
    const manifest = await database.db
      .transaction()
      .setIsolationLevel("repeatable read")
      .setAccessMode("read only")
      .execute(async (tx) => {
        await setPlainFormats(tx);
        const takenAt = await databaseNow(tx);
        const structure = await readStructure(tx);
        const head = await readHead(tx);
        const tables: Manifest["tables"] = [];
        for (const { name, columns } of structure.tables) {
          let piece = 0;
          const rows = await copyOut(database.client(), copyOutStatement({ name, columns }), async (bytes) => {
            await archive.add(tablePart(name, piece), await compress(bytes));
            piece += 1;
          });
          tables.push({ name, columns: [...columns], rows });
        }
        for (const file of input.files) await addFile(archive, input.dataDir, file);
        const { mode, secretKey, notIncluded } = input;
        return manifestSchema.parse({
          ...structure,
          format: FORMAT,
          version: productVersion(),
          mode,
          takenAt: takenAt.toISOString(),
          tables,
          auditHead: head === null ? null : { number: head.number, hash: head.hash },
          keyCheck: secretKey === null ? null : keyCheckOf(secretKey),
          notIncluded,
          parts: archive.parts,
        });
      });
    await archive.add(MANIFEST, Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`));
    await archive.close();
    await recordBackup(database.db, new Date(manifest.takenAt));
    return manifest;
  } catch (error) {
    await archive.discard();
    throw error;
  } finally {
    await database.close();
  }
}

/** A file that is not there is not needed: not every installation has each. */
async function addFile(archive: ArchiveWriter, dataDir: string | null, file: string): Promise<void> {
  if (dataDir === null) return;
  try {
    await archive.add(filePart(file), await readFile(join(dataDir, file)));
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
  }
}
