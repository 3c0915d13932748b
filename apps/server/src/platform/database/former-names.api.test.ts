import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Fixtures } from "../../../test/fixtures.ts";
import { createSeededDatabase } from "../../../test/test-database.ts";
import type { OpenDatabase } from "./database.ts";

const migration = new URL("../../../migrations/0007_runs_keep_names.sql", import.meta.url);
let database: OpenDatabase;
let fixtures: Fixtures;
beforeEach(async () => {
  ({ database, fixtures } = await createSeededDatabase());
});
afterEach(() => database.close());

const day = (number: number) => new Date(Date.UTC(2026, 0, number));

async function edited(on: Date, before: object, outcome: "DONE" | "REFUSED" = "DONE"): Promise<void> {
  const entity_id = String(fixtures.ownRobot.id);
  const edit = { at: on, actor: "Anita Rao", action: "UPDATE_ROBOT", entity: "robot", entity_id, outcome };
  await database.db
    .insertInto("audit")
    .values({ ...edit, before: JSON.stringify(before) })
    .execute();
}

async function happened(on: Date): Promise<void> {
  const { id, siteId, serial } = fixtures.ownRobot;
  const of = { robot_id: id, site_id: siteId };
  await database.db
    .insertInto("runs")
    .values({ id: randomUUID(), ...of, started_by: "Anita Rao", began_at: on, ended_at: on, outcome: "COMPLETED" })
    .execute();
  const times = { issued_at: on, expires_at: on, settle_by: on, settled_at: on, outcome: "CONFIRMED" } as const;
  const command = { id: randomUUID(), verb: "STOP", seq: on.getTime(), session: 1, params: "{}" } as const;
  await database.db
    .insertInto("commands")
    .values({ ...command, ...of, ...times, serial_number: serial, requested_by: "Anita Rao" })
    .execute();
}

test("§6: runs from before names were stored get the names that their robot had then, from the audit", async () => {
  const { db } = database;
  await sql`drop function keep_robot_names cascade`.execute(db);
  await sql`alter table runs alter serial_number drop not null, alter robot_name drop not null`.execute(db);
  await sql`alter table commands alter robot_name drop not null`.execute(db);
  for (const number of [1, 3, 5]) await happened(day(number));
  await edited(day(2), { robot_name: "First", serial_number: "FIRST-1" });
  await edited(day(3), { robot_name: "Refused", serial_number: "REFUSED-1" }, "REFUSED");
  await edited(day(4), { robot_name: "Second", serial_number: "SECOND-1" });
  await sql`alter table runs drop serial_number, drop robot_name`.execute(db);
  await sql`alter table commands drop robot_name`.execute(db);
  const text = await readFile(migration, "utf8");
  await db.transaction().execute((tx) => sql.raw(text).execute(tx));
  const runs = await db.selectFrom("runs").select(["robot_name", "serial_number"]).orderBy("at").execute();
  expect(runs).toEqual([
    { robot_name: "First", serial_number: "FIRST-1" },
    { robot_name: "Second", serial_number: "SECOND-1" },
    { robot_name: "OWN-1", serial_number: "OWN-1" },
  ]);
  const commands = await db.selectFrom("commands").select("robot_name").orderBy("seq").execute();
  expect(commands.map(({ robot_name }) => robot_name)).toEqual(["First", "Second", "OWN-1"]);
});
