import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { topicOf } from "@suncrew/contract/devices/topics.ts";
import { openMessage } from "@suncrew/server/features/devices/devices.mqtt.ts";
import { ensureReadingsPartitions } from "@suncrew/server/features/devices/robot-state.repository.ts";
import { IncomingBuffer } from "@suncrew/server/features/devices/ingest-queue.ts";
import { ingest } from "@suncrew/server/features/devices/ingest.repository.ts";
import { type Db, openDatabase } from "@suncrew/server/platform/database/database.ts";
import { migrate } from "@suncrew/server/platform/database/migrate.ts";
import { startEmbeddedPostgres } from "@suncrew/server/platform/embedded/postgres.ts";
import { addSite } from "../apps/server/test/fixtures.ts";
import { stateMessage } from "../apps/server/test/robot-messages.ts";
import { report } from "./result.ts";

// How many states a second the bridge stores, from bytes to commit, in batches of each size; and how many single-row
// inserts a second the same database handles, one commit each. PostgreSQL is durable, as in production.

const ROBOTS = 3_000;
const serials = Array.from({ length: ROBOTS }, (_, index) => `BENCH-${index}`);

async function addRobots(db: Db): Promise<number> {
  const siteId = await addSite(db, "Bench Park", null);
  await db
    .insertInto("devices")
    .values(serials.map((serial) => ({ serial, secret_sha256: Buffer.alloc(32) })))
    .execute();
  const robots = serials.map((serial) => ({ serial, robot_name: serial, installation_date: "2024-02-29" }));
  await db
    .insertInto("robots")
    .values(robots.map(({ serial, ...robot }) => ({ ...robot, site_id: siteId, serial_number: serial })))
    .execute();
  return siteId;
}

/** Numbers the states of all robots from here on, so that each is newer than the one before. */
let seq = 0;

/** From bytes to commit: parses, buffers and stores `count` states in batches of `batch`. Returns states per second. */
async function storeStates(db: Db, count: number, batch: number): Promise<number> {
  const now = new Date();
  const payloads = Array.from({ length: count }, (_, index) => {
    if (index % ROBOTS === 0) seq += 1;
    const serial = serials[index % ROBOTS] ?? "";
    const state = JSON.stringify(stateMessage(now, 1, seq, { battery: index % 100, charging: true }));
    return { topic: topicOf(serial, "state"), payload: Buffer.from(state), retained: false };
  });
  const buffer = new IncomingBuffer(() => {
    throw new Error("The buffer is too small for this benchmark.");
  });
  let stored = 0;
  const beganMs = performance.now();
  for (const payload of payloads) {
    const opened = openMessage(payload, now);
    if ("bad" in opened) throw new Error(`A state of the benchmark is not valid: ${opened.bad}.`);
    buffer.add(opened.serial, opened.incoming);
    if (buffer.size >= batch) stored += (await ingest(db, buffer.take(batch), { now: () => now })).readings;
  }
  while (buffer.size > 0) stored += (await ingest(db, buffer.take(batch), { now: () => now })).readings;
  if (stored !== count) throw new Error(`${stored} of ${count} states were stored.`);
  return count / ((performance.now() - beganMs) / 1_000);
}

/** Rows per second if each reading is one insert and one commit. */
async function insertOneByOne(db: Db, siteId: number, count: number): Promise<number> {
  const now = new Date();
  const beganMs = performance.now();
  for (let index = 0; index < count; index += 1) {
    await db
      .insertInto("readings")
      .values({
        robot_id: (index % ROBOTS) + 1,
        site_id: siteId,
        received_at: now,
        robot_ts: now,
        session: 0,
        seq: index,
        status: "stop",
        robot_status: "idle",
        motion: "STOPPED",
        mode: "AUTO",
        battery: 90,
        charging: true,
      })
      .execute();
  }
  return count / ((performance.now() - beganMs) / 1_000);
}

const dataDir = await mkdtemp(join(tmpdir(), "suncrew-bench-"));
const programsDir = join(tmpdir(), `suncrew-postgres-${userInfo().uid}`);
const postgres = await startEmbeddedPostgres({ dataDir, programsDir });
const database = openDatabase(postgres.connection);
const { db } = database;
try {
  await migrate(db);
  const siteId = await addRobots(db);
  await ensureReadingsPartitions(db, new Date());
  await storeStates(db, 2 * ROBOTS, 1_000);
  const single = await insertOneByOne(db, siteId, 2_000);
  const alone = await storeStates(db, 1_000, 1);
  const hundred = await storeStates(db, 2 * ROBOTS, 100);
  const thousand = await storeStates(db, 20 * ROBOTS, 1_000);
  const line = (what: string, perSecond: number) =>
    report({ what, figure: perSecond, unit: "/s", detail: `${(perSecond / single).toFixed(1)} times single inserts` });
  console.log(`${ROBOTS} robots, PostgreSQL with fsync`);
  line("readings, one insert and one commit each", single);
  line("whole ingest, one state in each transaction", alone);
  line("whole ingest, 100 states in each transaction", hundred);
  line("whole ingest, 1,000 states in each transaction", thousand);
} finally {
  await database.close();
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}
