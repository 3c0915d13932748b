import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import pino from "pino";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { StubClockCheck } from "../../../test/stub-clock-check.ts";
import { MemoryBroker } from "../../../test/memory-broker.ts";
import { TEST_NOW, testSettings } from "../../../test/test-app.ts";
import { createTestDatabase } from "../../../test/test-database.ts";
import { ManualClock } from "../../platform/clock.ts";
import type { OpenDatabase } from "../../platform/database/database.ts";
import { recordChanges, Sealer } from "../audit/public.ts";
import { AlertWatch } from "./alert-watch.ts";

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

const log = pino({ level: "silent" });

function server(backupAlertDays = 8): AlertWatch {
  const watch = new AlertWatch({
    db: database.db,
    clock,
    broker: new MemoryBroker(),
    settings: { ...testSettings, backupAlertDays },
    clocks: new StubClockCheck(),
    log,
    serverId: randomUUID(),
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

describe("Alerts: an overdue backup", () => {
  test("is told once there was a first, and over with the next", async () => {
    const watch = server();
    await watch.runOnce();
    expect(await alerts()).toEqual([]);
    await database.db.insertInto("last_backup").values({ taken_at: TEST_NOW }).execute();
    clock.advance(8 * 86_400_000);
    await watch.runOnce();
    expect(await alerts()).toEqual([]);
    clock.advance(60_000);
    await watch.runOnce();
    await watch.runOnce();
    const base = { code: "BACKUP_OVERDUE", severity: "WARNING", site_id: null };
    expect(await alerts()).toMatchObject([{ ...base, isOpen: true }]);
    await database.db.updateTable("last_backup").set({ taken_at: clock.now() }).execute();
    await watch.runOnce();
    expect(await alerts()).toMatchObject([{ ...base, isOpen: false }]);
  });

  test("is not told where it is switched off", async () => {
    await database.db.insertInto("last_backup").values({ taken_at: TEST_NOW }).execute();
    clock.advance(100 * 86_400_000);
    await server(0).runOnce();
    expect(await alerts()).toEqual([]);
  });
});

describe("Alerts: an audit that was changed in the database", () => {
  async function sealed(names: readonly string[]) {
    const row = { action: "UPDATE", entity: "robot", entityId: 7, outcome: "DONE" as const, at: clock.now() };
    await recordChanges(
      database.db,
      names.map((name) => ({ ...row, actor: { userId: null, name } })),
    );
    await new Sealer({ db: database.db, clock, log, settings: { mode: "demo" } }).runOnce();
  }
  /** As somebody would who owns the tables. */
  const change = async (statement: ReturnType<typeof sql>) => {
    await database.db.transaction().execute(async (tx) => {
      await sql`set local session_replication_role = replica`.execute(tx);
      await statement.execute(tx);
    });
  };

  test("is a critical alert that stays while the difference is there, whichever server looks", async () => {
    await sealed(["A", "B", "C"]);
    const [one, two] = [server(), server()];
    await one.runOnce();
    expect(await alerts()).toEqual([]);
    await change(sql`update audit set actor = 'D' where actor = 'B'`);
    await one.runOnce();
    const expected = {
      code: "AUDIT_CHAIN_BROKEN",
      severity: "CRITICAL",
      site_id: null,
      text: expect.stringMatching(/^The audit is not what was sealed.* number 2 \(id \d+\) differs/) as string,
      isOpen: true,
    };
    expect(await alerts()).toEqual([expected]);
    await two.runOnce();
    await one.runOnce();
    expect(await alerts()).toEqual([expected]);
    await change(sql`update audit set actor = 'B' where actor = 'D'`);
    await two.runOnce();
    expect(await alerts()).toEqual([{ ...expected, isOpen: false }]);
  });

  test("also where rows were removed from its end together with their seals, as a server knows that saw them", async () => {
    await sealed(["A", "B"]);
    const [one, two] = [server(), server()];
    await one.runOnce();
    await change(sql`delete from audit_seals where number = 2`);
    await two.runOnce();
    expect(await alerts()).toEqual([]);
    await one.runOnce();
    const text = expect.stringContaining("The chain ends at number 1, before number 2") as string;
    expect(await alerts()).toMatchObject([{ text, isOpen: true }]);
    // The other knows of it by the alert.
    await two.runOnce();
    expect(await alerts()).toMatchObject([{ text, isOpen: true }]);
  });
});
