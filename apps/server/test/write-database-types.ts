import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../src/platform/database/database.ts";
import { migrate } from "../src/platform/database/migrate.ts";
import { startEmbeddedPostgres } from "../src/platform/embedded/postgres.ts";
import { repositoryDir } from "../src/process/data-folder.ts";
import { databaseTypes, TYPES_FILE } from "./database-types.ts";

/** Writes the types of the tables: `npm run database-types`, after each migration, using its own database. */
const dataDir = await mkdtemp(join(tmpdir(), "suncrew-types-"));
const programsDir = join(tmpdir(), `suncrew-postgres-${userInfo().uid}`);
const postgres = await startEmbeddedPostgres({ dataDir, programsDir, durable: false });
try {
  const database = openDatabase({ ...postgres.connection });
  await migrate(database.db);
  await writeFile(join(repositoryDir, TYPES_FILE), await databaseTypes(database.db));
  await database.close();
  process.stdout.write(`${TYPES_FILE}\n`);
} finally {
  await postgres.stop();
  for (const folder of [dataDir, postgres.connection.host]) await rm(folder, { recursive: true, force: true });
}
