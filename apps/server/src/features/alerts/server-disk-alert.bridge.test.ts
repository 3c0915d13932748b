import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import pino from "pino";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { StubClockCheck } from "../../../test/stub-clock-check.ts";
import { MemoryBroker } from "../../../test/memory-broker.ts";
import { TEST_NOW, testSettings } from "../../../test/test-app.ts";
import { createTestDatabase } from "../../../test/test-database.ts";
import { ManualClock } from "../../platform/clock.ts";
import type { OpenDatabase } from "../../platform/database/database.ts";
import { AlertWatch } from "./alert-watch.ts";

const GB = 1024 ** 3;
let database: OpenDatabase;
let clock: ManualClock;
const stops: AlertWatch[] = [];
beforeEach(async () => {
  database = await createTestDatabase();
  clock = new ManualClock(TEST_NOW);
});
afterEach(async () => {
  for (const watch of stops.splice(0)) await watch.stop();
  await database.close();
});

interface Disk {
  folder?: string;
  free?: number;
  databaseDiskBytes?: number;
}

/** A server whose disk of 100 GB has `disk.free` percent left; the folder's own disk without that. */
function serverOn(name: string, disk: Disk): AlertWatch {
  const { folder = "/var/lib/suncrew", databaseDiskBytes } = disk;
  const settings = { ...testSettings, dataDir: folder, ...(databaseDiskBytes !== undefined && { databaseDiskBytes }) };
  const watch = new AlertWatch({
    db: database.db,
    clock,
    broker: new MemoryBroker(),
    settings,
    clocks: new StubClockCheck(),
    log: pino({ level: "silent" }),
    serverId: randomUUID(),
    serverName: name,
    ...("free" in disk && {
      measureDisk: async () => ({ totalBytes: 100 * GB, freeBytes: (disk.free ?? 100) * GB }),
    }),
  });
  stops.push(watch);
  return watch;
}

async function alerts() {
  const rows = await database.db.selectFrom("alerts").selectAll().orderBy("id").execute();
  return rows.map(({ code, severity, text, site_id, cleared_at }) => {
    return { code, severity, text, site_id, isOpen: cleared_at === null };
  });
}
const textOf = (server: string, free: number, folder = "/var/lib/suncrew") =>
  `The disk of server ${server} with the folder ${folder} is nearly full: ${free} GB are free, ${free} %. Once it is full, nothing can be stored.`;

describe("Alerts: a disk that is nearly full", () => {
  test("one alert at no site, for Super Admins, that gets worse, follows the free space and ends by itself", async () => {
    const disk = { free: 40 };
    const server = serverOn("suncrew-1", disk);
    await server.runOnce();
    expect(await alerts()).toEqual([]);
    const base = { code: "DISK_NEARLY_FULL", site_id: null };
    disk.free = 14;
    await server.runOnce();
    await server.runOnce();
    expect(await alerts()).toEqual([{ ...base, severity: "WARNING", text: textOf("suncrew-1", 14), isOpen: true }]);
    disk.free = 4;
    await server.runOnce();
    expect(await alerts()).toEqual([{ ...base, severity: "CRITICAL", text: textOf("suncrew-1", 4), isOpen: true }]);
    disk.free = 16;
    await server.runOnce();
    expect(await alerts()).toMatchObject([{ severity: "WARNING", isOpen: true }]);
    disk.free = 17;
    await server.runOnce();
    expect(await alerts()).toMatchObject([{ isOpen: false }]);
  });

  test("one that gets worse loses its acknowledgement, on record; one that only reads otherwise keeps it", async () => {
    const disk = { free: 14 };
    const server = serverOn("suncrew-1", disk);
    await server.runOnce();
    const by = { acknowledged_at: TEST_NOW, acknowledged_by: "Anita Rao" };
    await database.db.updateTable("alerts").set(by).execute();
    const acknowledged = () => database.db.selectFrom("alerts").select(["severity", "acknowledged_by"]).execute();
    disk.free = 12;
    await server.runOnce();
    expect(await acknowledged()).toEqual([{ severity: "WARNING", acknowledged_by: "Anita Rao" }]);
    disk.free = 4;
    await server.runOnce();
    expect(await acknowledged()).toEqual([{ severity: "CRITICAL", acknowledged_by: null }]);
    const audits = database.db
      .selectFrom("audit")
      .select(["actor", "user_id", "action", "site_id", "reason", "before"]);
    expect(await audits.execute()).toMatchObject([
      {
        actor: "Suncrew",
        user_id: null,
        action: "UNDO_ACKNOWLEDGE_ALERT",
        site_id: null,
        reason: "It got worse: from WARNING to CRITICAL.",
        before: { code: "DISK_NEARLY_FULL", acknowledged_by: "Anita Rao" },
      },
    ]);
    // Better is no reason to ask anybody again.
    await database.db.updateTable("alerts").set(by).execute();
    disk.free = 16;
    await server.runOnce();
    expect(await acknowledged()).toEqual([{ severity: "WARNING", acknowledged_by: "Anita Rao" }]);
  });

  test("each server reports its own disk, also after a restart; one that died is forgotten", async () => {
    const [one, two] = [serverOn("suncrew-1", { free: 10 }), serverOn("suncrew-2", { free: 3 })];
    await Promise.all([one.runOnce(), two.runOnce()]);
    await one.runOnce();
    expect(await alerts()).toMatchObject([
      {
        severity: "CRITICAL",
        text: expect.stringMatching(/^2 disks .*suncrew-1 .*10 %\. Server suncrew-2 .*3 %\.$/) as string,
      },
    ]);
    await serverOn("suncrew-2", { free: 6 }).runOnce();
    expect(await alerts()).toMatchObject([{ severity: "CRITICAL", text: expect.stringContaining("6 %") as string }]);
    await sql`update server_disks set seen_at = seen_at - interval '6 minutes' where name = 'suncrew-2'`.execute(
      database.db,
    );
    await one.runOnce();
    expect(await alerts()).toMatchObject([{ severity: "WARNING", text: textOf("suncrew-1", 10), isOpen: true }]);
  });

  test("of a PostgreSQL elsewhere the configured size counts, once for all servers", async () => {
    const { rows } = await sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`.execute(
      database.db,
    );
    const databaseDiskBytes = Math.round((rows[0]?.bytes ?? 0) / 0.9);
    const servers = ["suncrew-1", "suncrew-2"].map((name) => serverOn(name, { free: 50, databaseDiskBytes }));
    for (const server of servers) await server.runOnce();
    expect(await alerts()).toMatchObject([
      {
        severity: "WARNING",
        text: expect.stringMatching(/^The disk of the database is nearly full: .* (9|10) %\./) as string,
      },
    ]);
  });

  test("a real disk is measured, and the alert is there before nothing can be written any more", async () => {
    const folder = await mkdtemp(join(tmpdir(), "suncrew-disk-"));
    const isSmall = mountSmallDisk(folder);
    try {
      const server = serverOn("suncrew-1", { folder });
      await server.runOnce();
      const { total_bytes } = await database.db.selectFrom("server_disks").selectAll().executeTakeFirstOrThrow();
      expect(total_bytes).toBeGreaterThanOrEqual(4 * 1024 ** 2);
      // Others than an administrator have no disk that they could fill.
      if (!isSmall) return;
      expect(await alerts()).toEqual([]);
      const fill = async (megabytes: number) => {
        await writeFile(join(folder, "some"), Buffer.alloc(megabytes * 1024 ** 2));
        await server.runOnce();
      };
      await fill(3.5);
      expect(await alerts()).toMatchObject([{ severity: "WARNING", text: expect.stringContaining(folder) as string }]);
      await fill(3.9);
      expect(await alerts()).toMatchObject([{ severity: "CRITICAL", isOpen: true }]);
      await fill(0);
      expect(await alerts()).toMatchObject([{ isOpen: false }]);
    } finally {
      if (isSmall) execFileSync("umount", [folder]);
      await rm(folder, { recursive: true });
    }
  });
});

/** Makes the folder a disk of 4 MB; false where that is not allowed. */
function mountSmallDisk(folder: string): boolean {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", folder], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
