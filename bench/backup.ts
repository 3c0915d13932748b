import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { restoreBackup, writeBackup } from "../apps/server/src/features/backup/public.ts";
import { type Db, openDatabase } from "../apps/server/src/platform/database/database.ts";
import { migrate } from "../apps/server/src/platform/database/migrate.ts";
import { startEmbeddedPostgres } from "../apps/server/src/platform/embedded/postgres.ts";
import { addFixtures } from "../apps/server/test/fixtures.ts";
import { report } from "./result.ts";

// Backs up and restores a database with some two million readings: how long each takes, and how much memory.

/** Whatever the database holds, neither side may hold it in memory, in megabytes. */
const MEMORY_LIMIT = 600;

const folder = await mkdtemp(join(tmpdir(), "suncrew-bench-backup-"));
const path = join(folder, "backup.tar");
const postgres = await startEmbeddedPostgres({ dataDir: folder });
try {
  const database = openDatabase(postgres.connection, { queryLimitMs: 0 });
  await migrate(database.db);
  await addReadings(database.db);
  const { rows } = await sql<{ readings: number; megabytes: number }>`
    select count(*) as readings, round(pg_database_size(current_database()) / 1e6)::int as megabytes from readings`.execute(
    database.db,
  );
  await database.close();
  console.log(`${rows[0]?.readings} readings, ${rows[0]?.megabytes} MB in PostgreSQL`);
  const none = { dataDir: null, files: [], secretKey: null, notIncluded: [] };
  const { connection } = postgres;
  await measured("backup", () => writeBackup({ connection, mode: "production", path, ...none }));
  console.log(`the file has ${Math.round((await stat(path)).size / 1e6)} MB`);
  const empty = await postgres.createDatabase("restored");
  const into = { connection: empty, serverAccount: null, dataDir: null, secretKey: null };
  await measured("restore", () => restoreBackup({ mode: "production", path, ...into }));
} finally {
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

/** One robot's, every 2.1 s for fifty days, in two monthly partitions. */
async function addReadings(db: Db): Promise<void> {
  const { ownRobot } = await addFixtures(db);
  for (const month of ["2026-05-01", "2026-06-01"])
    await sql`select ensure_readings_partition(${month}::date)`.execute(db);
  await sql`
    insert into readings (robot_id, site_id, received_at, robot_ts, session, seq, status, robot_status, motion, mode, battery, charging)
    select ${ownRobot.id}::int, ${ownRobot.siteId}::int, t, t, 7, extract(epoch from t) * 10, 'start', 'cleaning', 'MOVING', 'AUTO',
      50 + random() * 10, false
    from generate_series(timestamptz '2026-05-01', '2026-06-20', '2.1 s') t`.execute(db);
}

async function measured(what: string, work: () => Promise<unknown>): Promise<void> {
  let peak = 0;
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss / 1e6)), 50);
  const beganAt = performance.now();
  await work();
  clearInterval(timer);
  const seconds = ((performance.now() - beganAt) / 1_000).toFixed(1);
  report({
    what: `memory of a ${what} of two million readings`,
    figure: peak,
    unit: "MB",
    atMost: MEMORY_LIMIT,
    detail: `${seconds} s`,
  });
}
