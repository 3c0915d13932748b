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

/** Runs work of these keys at once, each on a server of its own or all on one; answers how many ran at the same time. */
async function mostAtOnce(keys: readonly string[], on: (nth: number) => AdvisoryLocks): Promise<number> {
  let [running, most] = [0, 0];
  const work = async () => {
    running += 1;
    most = Math.max(most, running);
    await sql`select 1`.execute(database.db);
    running -= 1;
  };
  await Promise.all(keys.map((key, nth) => on(nth).holding(key, work)));
  return most;
}

test("protocol rule 9: of one key one is at work at a time, over all servers", async () => {
  expect(await mostAtOnce(Array<string>(6).fill("OWN-1"), () => locks())).toBe(1);
});

test("protocol rule 9: one server's work of many keys uses few connections, and all of it is done", async () => {
  const server = locks();
  const keys = Array.from({ length: 12 }, (_, nth) => `OWN-${nth}`);
  expect(await mostAtOnce(keys, () => server)).toBeLessThanOrEqual(4);
  // What throws gives its place and its lock back too.
  for (const key of keys) {
    await expect(server.holding(key, () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  }
  expect(await server.holding("OWN-0", async ({ held }) => held)).toBe(true);
});

test("protocol rule 9: who waits too long gives up and does nothing", async () => {
  await locks().holding("OWN-1", async () => {
    const work = locks(50).holding("OWN-1", async () => "done");
    await expect(work).rejects.toThrow(LockUnavailableError);
  });
  expect(await locks(50).holding("OWN-1", async () => "done")).toBe("done");
});

test("protocol rule 9: work knows that its lock is gone with its connection", async () => {
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
