import { readFile } from "node:fs/promises";
import pino from "pino";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Fixtures } from "../../../test/fixtures.ts";
import { createSeededDatabase } from "../../../test/test-database.ts";
import { verifyAudit } from "./audit-chain.repository.ts";
import { readAudit } from "./audit.queries.ts";
import { Sealer } from "./sealer.ts";
import { ManualClock } from "../../platform/clock.ts";
import type { OpenDatabase } from "../../platform/database/database.ts";

const migration = new URL("../../../migrations/0020_audit_names.sql", import.meta.url);
let database: OpenDatabase;
let fixtures: Fixtures;
beforeEach(async () => {
  ({ database, fixtures } = await createSeededDatabase());
});
afterEach(() => database.close());

test("audit: entries from before names were stored stay sealed, show the names they have or that are known, and are found", async () => {
  const { db } = database;
  const { ownRobot, ownSiteId } = fixtures;
  const at = new Date("2026-06-15T06:30:00Z");
  const common = { at, actor: "Anita Rao", outcome: "DONE" as const };
  const robot = { ...common, entity: "robot", entity_id: String(ownRobot.id), site_id: ownSiteId };
  const before = JSON.stringify({ robot_name: "First", serial_number: "FIRST-1" });
  await db
    .insertInto("audit")
    .values([
      { ...robot, action: "UPDATE_ROBOT", before },
      { ...robot, action: "STOP_ROBOT" },
      { ...common, action: "DELETE_PARTNER", entity: "partner", entity_id: "404", before: '{"name": "Gone Solar"}' },
      { ...common, action: "CREATE_SITE", entity: "site", after: '{"name": "Never Park"}', reason: "Taken." },
      { ...common, action: "SIGN_IN", entity: "session", entity_id: "0190-no-number" },
    ])
    .execute();
  await new Sealer({
    db,
    clock: new ManualClock(at),
    log: pino({ level: "silent" }),
    settings: { mode: "demo" },
  }).runOnce();
  await sql`drop table audit_names, audit_reasons`.execute(db);
  await sql`drop function keep_audit_texts, audit_told_name, audit_known_name, audit_with_names, robot_words cascade`.execute(
    db,
  );
  await sql`drop index audit_of_target, audit_of_reason`.execute(db);
  await sql`alter table audit drop target_name, drop site_name`.execute(db);
  const text = await readFile(migration, "utf8");
  await db.transaction().execute((tx) => sql.raw(text).execute(tx));
  expect(await verifyAudit(db, null)).toMatchObject({ wrong: null, proven: 5 });
  const viewer = { userId: 1, role: "SUPER_ADMIN" as const, partnerId: null, name: "Admin", email: "", sessionId: "1" };
  const told = async (search?: string) =>
    (await readAudit(viewer, db, { search }, { limit: 10 })).map(({ target_name, site_name }) => [
      target_name,
      site_name,
    ]);
  expect(await told()).toEqual([
    [null, null],
    ["Never Park", null],
    ["Gone Solar", null],
    [ownRobot.serial, "Ownfield Park"],
    ["First (FIRST-1)", "Ownfield Park"],
  ]);
  expect(await told("gone")).toEqual([["Gone Solar", null]]);
  expect(await told("never park")).toEqual([["Never Park", null]]);
  expect(await told("taken")).toEqual([["Never Park", null]]);
  for (const name of ["first-1", ownRobot.serial]) expect(await told(name)).toHaveLength(2);
});
