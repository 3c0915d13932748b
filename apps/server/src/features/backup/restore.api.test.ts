import { activityLogs } from "@suncrew/contract/activity/activity.ts";
import { firmwareFile } from "@suncrew/contract/firmware/firmware.ts";
import { reportCsv } from "@suncrew/contract/reports/reports.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { sql } from "kysely";
import { chmod, mkdtemp, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { seededFirmware, seededOfferSignature, seedFirmware } from "../../../test/firmware-fixtures.ts";
import { seedGroups } from "../../../test/group-fixtures.ts";
import { addMonthlyReports } from "../../../test/monthly-report-fixtures.ts";
import { seedWallboardLinks } from "../../../test/wallboard-fixtures.ts";
import { createTestApp, TEST_NOW, type TestApp, testSettings } from "../../../test/test-app.ts";
import type { TestClient } from "../../../test/test-client.ts";
import { createEmptyDatabase } from "../../../test/test-database.ts";
import { type Db, openDatabase } from "../../platform/database/database.ts";
import { sealBatch } from "../audit/audit-chain.repository.ts";
import { recordChange, suncrew, verifyAudit } from "../audit/public.ts";
import { readStructure } from "./dump.repository.ts";
import { readManifest, restoreBackup, writeBackup } from "./public.ts";

let folder: string;
let path: string;
let server: TestApp;
let empty: Awaited<ReturnType<typeof createEmptyDatabase>>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "suncrew-backup-"));
  path = join(folder, "backup.tar");
  server = await createTestApp();
  empty = await createEmptyDatabase();
  const { db, fixtures } = server;
  await seedGroups(db, fixtures, "planned");
  await seedFirmware(db, fixtures);
  await addMonthlyReports(db, fixtures);
  await addHistory(db);
});
afterEach(async () => {
  await server.close();
  await empty.drop();
  await rm(folder, { recursive: true, force: true });
});

/** Values that a copy could spoil, a partition of its own, and sealed audit rows. */
async function addHistory(db: Db): Promise<void> {
  const { ownRobot, ownSiteId, foreignSiteId } = server.fixtures;
  await sql`select ensure_readings_partition('2026-05-01')`.execute(db);
  await sql`insert into readings (robot_id, site_id, received_at, robot_ts, session, seq, status, robot_status, motion, mode, battery, charging)
    select ${ownRobot.id}, ${ownSiteId}, t, t, 7, extract(epoch from t), 'start', 'cleaning', 'MOVING', 'AUTO', 0.1 + 0.2, false
    from generate_series(timestamptz '2026-05-10 03:00:00.123456+05:30', '2026-05-10 05:00+00', '1 min') t`.execute(db);
  await sql`insert into activity (created_at, site_id, robot_id, action, action_type, status, user_name, site_name, robot_name, serial_number, details, params)
    select timestamptz '2026-06-01' + n * interval '1 hour', ${ownSiteId}, ${ownRobot.id}, 'START', 'MANUAL', 'SUCCESS', 'Anita Rao', 'Ownfield Park',
      'OWN-1', 'OWN-1', E'tab\\t, line\\n, backslash \\\\, \\\\N, "quotes", é and नमस्ते ' || n, 
      '{"robotSerial": "OWN-1", "mode": "AUTO", "direction": "FWD", "main-speed": 1.10, "brush-speed": 50}' from generate_series(1, 50) n`.execute(
    db,
  );
  const change = { actor: suncrew, entity: "site", entityId: foreignSiteId, at: TEST_NOW };
  for (let number = 1; number <= 3; number += 1) {
    const after = { name: `Park ${number} \\ "é" \n`, value: 0.1 + 0.2 };
    await recordChange(db, { ...change, action: "TRY", outcome: "DONE", after });
  }
  await sealBatch(db, TEST_NOW);
  // Not sealed yet.
  await recordChange(db, { ...change, action: "TRY", outcome: "DONE", after: { name: "waiting" } });
}

const backUp = (more: Partial<Parameters<typeof writeBackup>[0]> = {}) =>
  writeBackup({
    connection: server.deps.connection,
    mode: "production",
    path,
    dataDir: null,
    files: [],
    secretKey: testSettings.secretKey,
    notIncluded: ["SECRET_KEY"],
    ...more,
  });

const restore = (more: Partial<Parameters<typeof restoreBackup>[0]> = {}) =>
  restoreBackup({
    connection: empty.connection,
    serverAccount: null,
    mode: "production",
    path,
    dataDir: null,
    secretKey: testSettings.secretKey,
    ...more,
  });

/** A hash of each table's rows, all columns but the numbers of transactions. */
async function contentOf(db: Db): Promise<Map<string, string>> {
  const { tables } = await readStructure(db);
  const hashes = new Map<string, string>();
  for (const { name, columns } of tables) {
    const list = sql.join(columns.map((column) => sql.id(column)));
    const { rows } = await sql<{ hash: string }>`
      select count(*) || ' ' || md5(coalesce(string_agg(r, '|' order by r), '')) as hash
      from (select row(${list})::text as r from ${sql.table(name)}) as all_rows`.execute(db);
    hashes.set(name, rows[0]?.hash ?? "");
  }
  return hashes;
}

/** Indexes, constraints and triggers, those of partitions too. */
async function structureOf(db: Db): Promise<readonly string[]> {
  const { rows } = await sql<{ line: string }>`
    select indexdef as line from pg_indexes where schemaname = 'public'
    union all select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) from pg_constraint
      where connamespace = 'public'::regnamespace
    union all select tgrelid::regclass || ' ' || tgname || ' ' || tgenabled::text from pg_trigger where not tgisinternal
    order by line`.execute(db);
  return rows.map(({ line }) => line);
}

describe("backup and restore: a restored database has what the backup was taken of", () => {
  test("every table row for row, the audit with the same head, and the same answers, figures and files", async () => {
    await seedWallboardLinks(server.db, server.fixtures);
    const before = await contentOf(server.db);
    const head = (await verifyAudit(server.db, null)).head;
    const manifest = await backUp();
    expect(manifest.auditHead).toEqual(head);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const restored = await restore();
    expect([restored.auditProblem, restored.otherKey]).toEqual([null, false]);

    const database = openDatabase(empty.connection);
    const again = await createTestApp({ on: { database, fixtures: server.fixtures } });
    try {
      const after = await contentOf(database.db);
      const settled = [
        "audit",
        "audit_names",
        "audit_unsealed",
        "installation",
        "last_backup",
        "robots",
        "rollouts",
        "sessions",
        "wallboard_links",
      ];
      const different = [...before].flatMap(([name, hash]) => (after.get(name) === hash ? [] : [name]));
      expect(different.filter((name) => !settled.includes(name))).toEqual([]);
      expect([...after.keys()]).toEqual([...before.keys()]);
      const links = database.db.selectFrom("wallboard_links").select("id");
      expect(await links.where("withdrawn_at", "is", null).execute()).toEqual([]);
      const verdict = await verifyAudit(database.db, head);
      // One was waiting, the other says that it was restored.
      expect(verdict).toMatchObject({ wrong: null, head, waiting: 2 });
      expect(await structureOf(database.db)).toEqual(await structureOf(server.db));
      const partitions = async (db: Db) => (await readStructure(db)).partitions;
      expect(await partitions(database.db)).toEqual(await partitions(server.db));

      const signedIn = async (app: TestApp) => ({ owner: await app.signIn("owner"), admin: await app.signIn("admin") });
      const range = { from: "2026-05-01 00:00:00", to: "2026-06-14 23:59:59" };
      const answersOf = async (as: { readonly owner: TestClient; readonly admin: TestClient }) => [
        await as.owner.ask(reportCsv, { body: { site_id: server.fixtures.ownSiteId, ...range } }),
        await as.owner.ask(siteDetails),
        await as.admin.ask(activityLogs),
      ];
      const [then, now] = [await answersOf(await signedIn(server)), await answersOf(await signedIn(again))];
      expect(now).toEqual(then);
      expect(then[0]).toContain("नमस्ते 50");
      const nobody = await again.as(null);
      const { offerId, expires } = seededFirmware;
      const query = { expires: String(expires), signature: seededOfferSignature(testSettings.secretKey) };
      expect(await nobody.ask(firmwareFile, { params: { offerId }, query })).toBe("firmware 9.1.0");
      // Identities go on where they were.
      await recordChange(database.db, { actor: suncrew, action: "TRY", entity: "site", outcome: "DONE", at: TEST_NOW });
    } finally {
      await again.close();
    }
  });

  test("decision 4: every row has the number of the restore's transaction, whatever it had in the other database", async () => {
    await sql`update activity set change_no = '9000000000000'::xid8`.execute(server.db);
    await backUp();
    await restore();
    const database = openDatabase(empty.connection);
    const { rows } = await sql<{ future: number; numbers: number }>`
      select count(*) filter (where change_no >= pg_snapshot_xmax(pg_current_snapshot()))::int as future,
        count(distinct change_no)::int as numbers from activity`.execute(database.db);
    expect(rows).toEqual([{ future: 0, numbers: 1 }]);
    await database.close();
  });

  test("files of the data folder come back for their owner alone, and another secret key is noticed", async () => {
    await writeFile(join(folder, "demo-secret-key"), "k".repeat(64));
    await chmod(join(folder, "demo-secret-key"), 0o600);
    await backUp({ mode: "demo", dataDir: folder, files: ["demo-secret-key", "demo-devices.json"] });
    const dataDir = join(folder, "new");
    const restored = await restore({ mode: "demo", dataDir, secretKey: "another key that only tests have, long" });
    expect(restored.otherKey).toBe(true);
    expect(await readFile(join(dataDir, "demo-secret-key"), "utf8")).toBe("k".repeat(64));
    expect((await stat(join(dataDir, "demo-secret-key"))).mode & 0o777).toBe(0o600);
  });
});

describe("backup and restore: what is refused changes nothing", () => {
  const tables = async () => {
    const database = openDatabase(empty.connection);
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`.execute(
      database.db,
    );
    await database.close();
    return rows[0]?.count;
  };

  test("a file that was cut short, altered, extended, or is none", async () => {
    await backUp();
    const whole = await readFile(path);
    const altered = Buffer.from(whole);
    // In the compressed rows of the first part.
    altered[600] = (altered[600] ?? 0) ^ 1;
    const wrong: readonly (readonly [Buffer, RegExp])[] = [
      [altered, /is not as it was written/],
      [whole.subarray(0, 3_000), /was cut short/],
      [Buffer.concat([whole.subarray(0, 512), whole.subarray(1024)]), /damaged|no backup|cut short/],
      [Buffer.from("create table x ();".repeat(100)), /no backup of Suncrew/],
      [Buffer.alloc(1024), /never completed/],
    ];
    for (const [bytes, reason] of wrong) {
      await writeFile(path, bytes);
      await expect(restore()).rejects.toThrow(reason);
    }
    await writeFile(path, whole);
    await truncate(path, whole.length - 1_024 - 512);
    await expect(restore()).rejects.toThrow(/cut short/);
    expect(await tables()).toBe(0);
  });

  test("a demo's backup for production, and a database that is in use or not empty", async () => {
    await backUp({ mode: "demo" });
    await expect(restore()).rejects.toThrow("The backup is a demo's");
    await rm(path);
    await backUp();
    await expect(backUp()).rejects.toThrow(/EEXIST/);
    await expect(readManifest(path)).resolves.toMatchObject({ mode: "production" });
    const other = openDatabase(empty.connection);
    await sql`select 1`.execute(other.db);
    await expect(restore()).rejects.toThrow(/1 other connection open.*Stop every Suncrew server/);
    await sql`create table left_over (id int)`.execute(other.db);
    await other.close();
    await expect(restore()).rejects.toThrow("The database is not empty (it has left_over)");
    expect(await tables()).toBe(1);
  });

  test("one that fails halfway leaves the database empty", async () => {
    await backUp();
    const text = await readFile(path);
    // A list that promises another number of rows, with everything else as it was written.
    const list = text.indexOf('"name": "users"');
    const rows = text.indexOf('"rows": ', list) + 8;
    text[rows] = (text[rows] ?? 0) === 0x39 ? 0x38 : (text[rows] ?? 0) + 1;
    await writeFile(path, text);
    await expect(restore()).rejects.toThrow(/rows of users, its list says/);
    expect(await tables()).toBe(0);
  });
});
