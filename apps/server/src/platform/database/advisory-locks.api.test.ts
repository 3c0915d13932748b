import { sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestDatabase } from "../../../test/test-database.ts";
import { AdvisoryLocks, LockUnavailableError } from "./advisory-locks.ts";
import type { OpenDatabase } from "./database.ts";

const KIND = 4711;

let database: OpenDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.close());

const locks = (waitMs?: number) => new AdvisoryLocks(database.connection, KIND, waitMs);

/**
 * Runs work for these keys concurrently, each on its own server or all on one; returns the highest number that ran at
 * the same time.
 */
async function maxConcurrent(keys: readonly string[], on: (nth: number) => AdvisoryLocks): Promise<number> {
  let [running, max] = [0, 0];
  const work = async () => {
    running += 1;
    max = Math.max(max, running);
    await sql`select 1`.execute(database.db);
    running -= 1;
  };
  await Promise.all(keys.map((key, nth) => on(nth).holding(key, work)));
  return max;
}

test("protocol rule 9: one task at a time per key, across all servers", async () => {
  expect(await maxConcurrent(Array<string>(6).fill("OWN-1"), () => locks())).toBe(1);
});

test("protocol rule 9: one server's work on many keys uses few connections, and all of it is done", async () => {
  const server = locks();
  const keys = Array.from({ length: 12 }, (_, nth) => `OWN-${nth}`);
  expect(await maxConcurrent(keys, () => server)).toBeLessThanOrEqual(4);
  // Work that throws also releases its lock and its connection.
  for (const key of keys) {
    await expect(server.holding(key, () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  }
  expect(await server.holding("OWN-0", async ({ held }) => held)).toBe(true);
});

test("protocol rule 9: a caller that waits too long gives up and does nothing", async () => {
  await locks().holding("OWN-1", async () => {
    const work = locks(50).holding("OWN-1", async () => "done");
    await expect(work).rejects.toThrow(LockUnavailableError);
  });
  expect(await locks(50).holding("OWN-1", async () => "done")).toBe("done");
});

test("protocol rule 9: work learns that it lost its lock with its connection", async () => {
  await locks().holding("OWN-1", async (lock) => {
    expect(lock.held).toBe(true);
    await sql`
      select pg_terminate_backend(pid, 5000) from pg_locks where locktype = 'advisory' and classid = ${KIND}`.execute(
      database.db,
    );
    await locks().holding("OWN-1", async () => {});
    expect(lock.held).toBe(false);
  });
});
