import { sql } from "kysely";
import type { Db, Tx } from "../../platform/database/database.ts";
import { isLockTimeout, setLockTimeout, transactionWithRetry } from "../../platform/database/transactions.ts";
import type { LockOptions } from "./command-rows.repository.ts";
import { FirstSeen } from "./start-guard.ts";

/** A robot of the site that nothing could be decided about at first, because someone else holds its rows. */
export interface HeldRobot {
  readonly id: number;
  readonly site_id: number;
  readonly serial_number: string;
}

export interface Chosen {
  readonly siteId: number;
  readonly robotIds: readonly number[];
}

/** Decides about those of the robots that it can lock, or about one alone, for which it may wait. */
export type DecideOn<T> = (
  tx: Tx,
  chosen: Chosen,
  options: LockOptions & { readonly seen: FirstSeen },
) => Promise<readonly T[]>;

export interface DecidedEach<T> extends Chosen {
  readonly decided: readonly T[];
  /** What came of those that were held: "gone" is no robot of the site any more, "held" could not be locked in time. */
  readonly later: readonly { readonly robot: HeldRobot; readonly decided: Promise<T | "gone" | "held"> }[];
}

/** Held robots are waited for so long in all: a caller has its answer within 10 s, of which the robots have 8. */
const WAITS_MS = 1_500;
/** Those whose turn comes later still get so much, in milliseconds. */
const LEAST_WAIT_MS = 50;
/** Waiting takes a connection each, and the others' commands need some too. */
const WAITS_AT_ONCE = 4;

/**
 * Decides about many robots so that one whose rows someone holds, such as a server that stands still, keeps back none
 * of the others: those that are free in one transaction, answered once it is committed, and then each of the others
 * by itself. Throws what `choose` throws.
 */
export async function decideEach<T extends { readonly robot: { readonly id: number } }>(
  db: Db,
  choose: (tx: Tx) => Promise<Chosen>,
  decideOn: DecideOn<T>,
): Promise<DecidedEach<T>> {
  const seen = new FirstSeen();
  const first = await transactionWithRetry(db, async (tx) => {
    const chosen = await choose(tx);
    const robots = await readRobots(tx, chosen);
    for (const { id, last_command_seq } of robots) seen.note(id, last_command_seq);
    const decided = await decideOn(tx, chosen, { skipLocked: true, seen });
    const done = new Set(decided.map(({ robot }) => robot.id));
    return { ...chosen, decided, held: robots.filter(({ id }) => !done.has(id)) };
  });
  const until = performance.now() + WAITS_MS;
  const waiting = first.held.map((robot) => ({ robot, ...Promise.withResolvers<T | "gone" | "held">() }));
  const turns = waiting.values();
  const takeTurns = async () => {
    for (const { robot, resolve, reject } of turns) {
      await decideHeld(db, robot, decideOn, seen, until - performance.now()).then(resolve, reject);
    }
  };
  for (let count = 0; count < WAITS_AT_ONCE; count += 1) void takeTurns();
  return { ...first, later: waiting.map(({ robot, promise }) => ({ robot, decided: promise })) };
}

async function decideHeld<T>(db: Db, robot: HeldRobot, decideOn: DecideOn<T>, seen: FirstSeen, leftMs: number) {
  const chosen = { siteId: robot.site_id, robotIds: [robot.id] };
  try {
    const [decided] = await transactionWithRetry(db, async (tx) => {
      await setLockTimeout(tx, Math.max(LEAST_WAIT_MS, leftMs));
      return decideOn(tx, chosen, { skipLocked: false, seen });
    });
    return decided ?? "gone";
  } catch (error) {
    if (isLockTimeout(error)) return "held";
    throw error;
  }
}

async function readRobots(tx: Tx, { siteId, robotIds }: Chosen) {
  if (robotIds.length === 0) return [];
  return tx
    .selectFrom("robots")
    .select(["id", "site_id", "serial_number", "last_command_seq"])
    .where("id", "=", sql<number>`any(${[...robotIds]}::int[])`)
    .where("site_id", "=", siteId)
    .where("deleted_at", "is", null)
    .execute();
}
