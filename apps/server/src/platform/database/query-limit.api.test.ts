import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase } from "../../../test/test-database.ts";
import { type OpenDatabase, openDatabase } from "./database.ts";
import { isDatabaseUnreachable } from "./database-errors.ts";

let database: OpenDatabase;
let limited: OpenDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  limited = openDatabase(database.connection, { poolSize: 1, queryLimitMs: 2_000 });
});
afterAll(async () => {
  await limited.close();
  await database.close();
});

const unanswered = sql`select pg_sleep(20)`;
const quick = sql<{ one: number }>`select 1 as one`;

describe("a database that stops answering", () => {
  test("fails the call as unreachable, and the next call does not wait behind it", async () => {
    const error = await unanswered.execute(limited.db).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    expect(isDatabaseUnreachable(error)).toBe(true);
    expect((await quick.execute(limited.db)).rows).toEqual([{ one: 1 }]);
  });

  test("fails a transaction, and the next call does not wait behind its rollback", async () => {
    const work = limited.db.transaction().execute((tx) => unanswered.execute(tx));
    await expect(work).rejects.toSatisfy(isDatabaseUnreachable);
    expect((await quick.execute(limited.db)).rows).toEqual([{ one: 1 }]);
  });
});

describe("an idle transaction", () => {
  test("is ended, so that others get what it has locked, and its server continues", async () => {
    const idle = openDatabase(database.connection, { poolSize: 1, idleLimitMs: 2_000 });
    const row = sql`select pg_advisory_xact_lock(4711)`;
    const { promise: othersHaveLock, resolve } = Promise.withResolvers<void>();
    const work = idle.db.transaction().execute(async (tx) => {
      await row.execute(tx);
      const others = database.db.transaction().execute((other) => row.execute(other));
      await others.then(() => resolve());
      await quick.execute(tx);
    });
    await othersHaveLock;
    await expect(work).rejects.toThrow();
    expect((await quick.execute(idle.db)).rows).toEqual([{ one: 1 }]);
    await idle.close();
  });
});
