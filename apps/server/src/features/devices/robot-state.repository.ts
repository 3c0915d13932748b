import { type Insertable, sql } from "kysely";
import { anyInt, changedNow, type Executor, type Tx } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/tables.ts";
import type { StateRow } from "./presence.ts";
import { SILENT_MS } from "./shares.ts";

export interface KnownRobot {
  readonly row: StateRow;
  /** The highest command number issued for it. */
  readonly commandSeq: number;
}

/**
 * For the transaction that stores a batch. Its statements each concern few rows of large tables, all found by key:
 * PostgreSQL takes the JSON that names them for a hundred rows, and would rather read whole tables, of a large fleet
 * several in each transaction. And a bridge that hangs keeps rows locked no longer than it keeps its shares.
 */
export async function prepareIngest(tx: Tx): Promise<void> {
  await sql`select set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true),
    set_config('idle_in_transaction_session_timeout', ${String(SILENT_MS)}, true)`.execute(tx);
}

/**
 * The robots that use these serial numbers now, by these, with their state rows locked in the order that all writers use. Free,
 * retired and unknown serial numbers are absent.
 */
export async function lockRobotStates(tx: Tx, serials: readonly string[]): Promise<Map<string, KnownRobot>> {
  const found = await tx
    .selectFrom("robot_state as s")
    .where(
      "s.robot_id",
      "=",
      sql<number>`any(array(select r.id from unnest(${[...serials]}::text[]) n (serial)
        join robots r on r.serial_number = n.serial and r.deleted_at is null))`,
    )
    .selectAll("s")
    .orderBy("s.robot_id")
    .forNoKeyUpdate("s")
    .execute();
  // Read after locking: a query that waited for the locks would see the other rows as they were before. By now a robot
  // may have been retired, deleted or given another machine.
  const current = await tx
    .selectFrom("robots as r")
    .select(["r.id", "r.operating_mode", "r.serial_number", "r.last_command_seq"])
    .where("r.id", "=", anyInt(found.map((row) => row.robot_id)))
    .where("r.deleted_at", "is", null)
    .where(sql<boolean>`(select d.retired_at is null from devices d where d.serial = r.serial_number)`)
    .execute();
  const byId = new Map(current.map((row) => [row.id, row]));
  const wanted = new Set(serials);
  const known = new Map<string, KnownRobot>();
  for (const { change_no: _, ...row } of found) {
    const now = byId.get(row.robot_id);
    if (now === undefined || !wanted.has(now.serial_number)) continue;
    const { serial_number: serial, operating_mode, last_command_seq: commandSeq } = now;
    known.set(serial, { row: { ...row, operating_mode }, commandSeq });
  }
  return known;
}

/**
 * Writes the rows in one statement, each only if its (session, state_seq) is no older than the stored one: a server
 * that is no longer the bridge overwrites nothing (protocol rules 7 and 11).
 */
export async function writeRobotStates(tx: Tx, rows: readonly StateRow[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    update robot_state s set
      online = n.online, session = n.session, connection = n.connection, connection_at = n.connection_at,
      state_seq = n.state_seq, status = n.status, robot_status = n.robot_status, motion = n.motion, mode = n.mode,
      battery = n.battery, charging = n.charging, applied_direction = n.applied_direction,
      applied_main_speed = n.applied_main_speed, applied_brush_speed = n.applied_brush_speed, run_id = n.run_id,
      last_seq = n.last_seq, last_command_id = n.last_command_id, firmware = n.firmware, robot_ts = n.robot_ts,
      received_at = n.received_at, live_at = n.live_at, clock_skew_ms = n.clock_skew_ms, goodbye_at = n.goodbye_at,
      change_no = ${changedNow}
    from json_populate_recordset(null::robot_state, ${JSON.stringify(rows)}::json) n
    where s.robot_id = n.robot_id
      and (s.session, coalesce(s.state_seq, -1)) <= (n.session, coalesce(n.state_seq, -1))`.execute(tx);
}

export type Reading = Insertable<Tables["readings"]>;

/** Adds states that advanced the current one to the history. */
export async function addReadings(tx: Tx, readings: readonly Reading[]): Promise<void> {
  if (readings.length === 0) return;
  // The JSON sets missing values to null rather than to the column's default.
  const rows = readings.map((reading) => ({ sample: false, ...reading }));
  await sql`
    insert into readings
    select n.* from json_populate_recordset(null::readings, ${JSON.stringify(rows)}::json) n
    on conflict do nothing`.execute(tx);
}

/** An arbitrary number that all servers share: two of them may create a partition at the same moment. */
const PARTITIONS_LOCK = 7_305_016;

/** Creates the partitions of this and the next month, so that no reading waits for one. */
export async function ensureReadingsPartitions(db: Executor, now: Date): Promise<void> {
  for (const ahead of [0, 1]) {
    const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead, 1)).toISOString().slice(0, 10);
    await sql`
      with locked as materialized (select pg_advisory_xact_lock(${PARTITIONS_LOCK}))
      select ensure_readings_partition(${month}::date) from locked`.execute(db);
  }
}

/** Makes the live stream notice robots whose alerts or runs changed without a new state. */
export async function touchRobots(tx: Tx, robotIds: readonly number[]): Promise<void> {
  if (robotIds.length === 0) return;
  await tx.updateTable("robot_state").set({ change_no: changedNow }).where("robot_id", "=", anyInt(robotIds)).execute();
}
