import { sql } from "kysely";
import { expect, test } from "vitest";
import { createTestDatabase } from "../../../test/test-database.ts";
import { probeWrite, spillToDisk } from "./database.ts";

test("set-up: the write probe really writes to disk, and leaves nothing behind", async () => {
  const database = await createTestDatabase();
  const { db } = database;
  await probeWrite(db);
  const { rows } = await db.transaction().execute(async (tx) => {
    await sql`set local work_mem = '64kB'`.execute(tx);
    return sql<{ "QUERY PLAN": string }>`explain (analyze, buffers) ${spillToDisk}`.execute(tx);
  });
  expect(rows.map((row) => row["QUERY PLAN"]).join("\n")).toMatch(/temp .*written=\d+/);
  expect((await sql`show work_mem`.execute(db)).rows).not.toEqual([{ work_mem: "64kB" }]);
  await database.close();
});
