import { OFFLINE_AFTER_MS } from "@suncrew/domain/devices/protocol-times.ts";
import { STARTS_LATE_UP_TO_MS } from "@suncrew/domain/schedules/due-decision.ts";
import { sql } from "kysely";
import { anyInt, changedNow, type Executor, type Tx } from "../../platform/database/database.ts";
import { isInShares } from "./shares.ts";

/** Protocol rule 7: robots of these shares without a live state for 90 s are offline. Returns how many became offline. */
export async function sweepSilentRobots(tx: Tx, shares: readonly number[], now: Date): Promise<number> {
  /** A time set by a clock that has since been set back proves nothing. */
  const inFuture = new Date(now.getTime() + OFFLINE_AFTER_MS);
  const signOf = (column: "live_at" | "connection_at") =>
    sql<Date | null>`case when ${sql.ref(column)} <= ${inFuture} then ${sql.ref(column)} end`;
  const silentSince = new Date(now.getTime() - OFFLINE_AFTER_MS);
  const silent = await tx
    .selectFrom("robot_state")
    .select("robot_id")
    .where("online", "=", true)
    // As a subquery it is evaluated last, for the few robots that are silent.
    .where(sql<boolean>`(select ${isInShares("r.serial_number", shares)} from robots r where r.id = robot_id)`)
    // A robot that has connected but not reported yet has the same time.
    .where(sql<boolean>`coalesce(greatest(${signOf("live_at")}, ${signOf("connection_at")}) <= ${silentSince}, true)`)
    .orderBy("robot_id")
    .forNoKeyUpdate()
    .execute();
  if (silent.length === 0) return 0;
  await tx
    .updateTable("robot_state")
    .set({ online: false, robot_status: "offline", change_no: changedNow })
    .where("robot_id", "=", anyInt(silent.map((row) => row.robot_id)))
    .execute();
  return silent.length;
}

/** How many robots of these shares there are, in service or not. */
export async function countRobots(db: Executor, shares: readonly number[]): Promise<number> {
  const { robots } = await db
    .selectFrom("robots")
    .where("deleted_at", "is", null)
    .where(isInShares("serial_number", shares))
    .select((eb) => eb.fn.countAll<number>().as("robots"))
    .executeTakeFirstOrThrow();
  return robots;
}

/** The others are queried, or report by themselves, within this time: robots whose runs are due by then come first. */
const DUE_SOON_MS = 30_000;

/** In which order robots are queried. */
const [OPEN_COMMAND, RUN_DUE, MOVING, OTHER] = [0, 1, 2, 3];

export interface ReachableRobot {
  readonly robotId: number;
  readonly serial: string;
  readonly session: number;
  /** It has an unsettled command, or its run is due or may get another START, so its current state decides. */
  readonly awaited: boolean;
}

/**
 * Robots of these shares that the broker last reported as connected, even if silent since: those with open commands,
 * those whose runs are due, those last seen moving, and last the others, longest unheard first, of which nothing may
 * have arrived for so long that a START would be refused.
 */
export async function readConnectedRobots(
  db: Executor,
  shares: readonly number[],
  now: Date,
): Promise<ReachableRobot[]> {
  const dueBy = new Date(now.getTime() + DUE_SOON_MS);
  const dueAfter = new Date(now.getTime() - STARTS_LATE_UP_TO_MS);
  const robots = await db
    .selectFrom("robot_state as s")
    .innerJoin("robots as r", "r.id", "s.robot_id")
    .innerJoin("devices as d", "d.serial", "r.serial_number")
    .where("r.deleted_at", "is", null)
    .where("d.retired_at", "is", null)
    .where("s.connection", "=", "ONLINE")
    .where(isInShares("r.serial_number", shares))
    .select(["s.robot_id as robotId", "r.serial_number as serial", "s.session"])
    .select(
      sql<number>`case
        when s.robot_id in (select robot_id from commands where settled_at is null) then ${OPEN_COMMAND}::int
        when s.robot_id in (
          select m.robot_id from robot_group_members m join schedules p on p.group_id = m.group_id
          where p.next_run_at <= ${dueBy}) then ${RUN_DUE}::int
        when s.robot_id in (select robot_id from runs where outcome = 'FAILED' and due_at > ${dueAfter})
          then ${RUN_DUE}::int
        when s.motion = 'MOVING' then ${MOVING}::int
        else ${OTHER}::int end`.as("rank"),
    )
    .orderBy("rank")
    .orderBy(sql`s.live_at nulls first`)
    .orderBy("s.robot_id")
    .execute();
  return robots.map(({ rank, ...robot }) => ({ ...robot, awaited: rank <= RUN_DUE }));
}
