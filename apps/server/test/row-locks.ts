import { sql } from "kysely";
import type { Db, Tx } from "../src/platform/database/database.ts";
import type { TestRobot } from "./fixtures.ts";

/**
 * Locks the rows of a robot, as a server suspended in the middle of its work would, until released; `last` is done
 * before that.
 */
export async function holdRobotRows(
  db: Db,
  robot: Pick<TestRobot, "id">,
  last: (tx: Tx) => Promise<unknown> = async () => {},
): Promise<() => Promise<void>> {
  const take = (tx: Tx) =>
    sql`select robot_id from robot_state where robot_id = ${robot.id} for no key update`.execute(tx);
  return holdLock(db, take, last);
}

/** Holds the locks that `take` acquires until released. */
export async function holdLock(
  db: Db,
  take: (tx: Tx) => Promise<unknown>,
  last: (tx: Tx) => Promise<unknown> = async () => {},
): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const work = db.transaction().execute(async (tx) => {
    // However long the test takes: PostgreSQL would end it after 10 s of idleness.
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
    await take(tx);
    held.resolve();
    await end.promise;
    await last(tx);
  });
  await Promise.race([held.promise, work]);
  return async () => {
    end.resolve();
    await work;
  };
}

/** Resolves once at least `count` queries wait for other transactions' locks; `query` is how they begin. */
export async function untilBlocked(db: Db, count = 1, query = ""): Promise<void> {
  const waiting = sql`
    select 1 from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database() and starts_with(ltrim(query, e' \n'), ${query})`;
  while ((await waiting.execute(db)).rows.length < count);
}
