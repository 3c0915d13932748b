import { sql } from "kysely";
import type { Db, Tx } from "../src/platform/database/database.ts";
import type { TestRobot } from "./fixtures.ts";

/**
 * Holds the rows of a robot, as a server would that stands still in the middle of its work, until it is let go; `last`
 * is done before.
 */
export async function holdRobotRows(
  db: Db,
  robot: TestRobot,
  last: (tx: Tx) => Promise<unknown> = async () => {},
): Promise<() => Promise<void>> {
  const take = (tx: Tx) =>
    sql`select robot_id from robot_state where robot_id = ${robot.id} for no key update`.execute(tx);
  return holdLock(db, take, last);
}

/** Holds whatever `take` locks, until it is let go. */
export async function holdLock(
  db: Db,
  take: (tx: Tx) => Promise<unknown>,
  last: (tx: Tx) => Promise<unknown> = async () => {},
): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const work = db.transaction().execute(async (tx) => {
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

/** Settles once somebody, or so many, wait for what another transaction has; `query` is how theirs begins. */
export async function untilBlocked(db: Db, count = 1, query = ""): Promise<void> {
  const waiting = sql`
    select 1 from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database() and starts_with(ltrim(query, e' \n'), ${query})`;
  while ((await waiting.execute(db)).rows.length < count);
}
