import { selfPausedCodes } from "@suncrew/domain/firmware/rollout-text.ts";
import type { CodedText } from "@suncrew/contract/http/coded-text.ts";
import type { RolloutRobotState } from "@suncrew/contract/firmware/firmware.ts";
import { type Selectable, sql, type Updateable } from "kysely";
import { announceChange } from "../../platform/change-signal.ts";
import { anyInt, changedNow, type Executor, type Tx } from "../../platform/database/database.ts";
import { reasonColumns } from "../../platform/database/reason-columns.ts";
import type { Tables } from "../../platform/database/tables.ts";
import type { Viewer } from "../../platform/sessions.ts";

type NewRollout = Pick<
  Selectable<Tables["rollouts"]>,
  "firmware_id" | "batch_size" | "failure_threshold_percent" | "deadline_minutes" | "wait_limit_hours"
>;

/** Those of the robots that exist, with their sites. */
export function readTargets(tx: Tx, robotIds: readonly number[]) {
  return tx
    .selectFrom("robots as r")
    .innerJoin("sites", "sites.id", "r.site_id")
    .innerJoin("robot_state as s", "s.robot_id", "r.id")
    .select(["r.id", "r.robot_name", "r.serial_number", "r.site_id", "sites.name as site_name"])
    .select((eb) => eb.fn.coalesce("s.firmware", "r.initial_firmware_version").as("firmware"))
    .where("r.id", "=", anyInt(robotIds))
    .where("r.deleted_at", "is", null)
    .where("sites.deleted_at", "is", null)
    .execute();
}
type Target = Awaited<ReturnType<typeof readTargets>>[number];

/** Serial numbers of those of the robots whose rollout has not ended. */
export async function readSerialsInOpenRollouts(tx: Tx, robotIds: readonly number[]): Promise<string[]> {
  const rows = await tx
    .selectFrom("rollout_robots")
    .select("serial_number")
    .where("robot_id", "=", anyInt(robotIds))
    .where("state", "in", ["WAITING", "OFFERED", "DOWNLOADING", "INSTALLING"])
    .orderBy("serial_number")
    .execute();
  return rows.map((row) => row.serial_number);
}

/** Inserts a rollout for these robots, in order. */
export async function insertRollout(
  tx: Tx,
  rollout: NewRollout,
  targets: readonly Target[],
  { by, at }: { readonly by: Pick<Viewer, "userId" | "name">; readonly at: Date },
): Promise<number> {
  const created = { created_by_user_id: by.userId, created_by: by.name, created_at: at };
  const { id } = await tx
    .insertInto("rollouts")
    .values({ ...rollout, state: "RUNNING", ...created })
    .returning("id")
    .executeTakeFirstOrThrow();
  const rows = targets.map((robot, place) => ({ ...robot, place }));
  await sql`
    insert into rollout_robots (rollout_id, robot_id, place, site_id, site_name, robot_name, serial_number, state,
      from_version)
    select ${id}, t.id, t.place, t.site_id, t.site_name, t.robot_name, t.serial_number, 'WAITING', t.firmware
    from json_to_recordset(${JSON.stringify(rows)}::json) t (id int, place int, site_id int, site_name text,
      robot_name text, serial_number text, firmware text)
  `.execute(tx);
  await announceChange(tx);
  return id;
}

function selectRollouts(db: Executor) {
  return db
    .selectFrom("rollouts as r")
    .innerJoin("firmware as f", "f.id", "r.firmware_id")
    .select(["r.id", "r.firmware_id", "f.version", "f.file_name", "r.state", "r.reason", "r.created_at"])
    .select(["r.created_by", "r.ended_at", "r.batch_size", "r.failure_threshold_percent", "r.deadline_minutes"])
    .select(["r.wait_limit_hours", "f.bytes", "f.sha256", "r.resumed_at"]);
}
export type StoredRollout = Awaited<ReturnType<ReturnType<typeof selectRollouts>["executeTakeFirstOrThrow"]>>;

/** The newest first. */
export function readRollouts(db: Executor, limit: number): Promise<StoredRollout[]> {
  return selectRollouts(db).orderBy("r.id", "desc").limit(limit).execute();
}

export async function findRollout(db: Executor, rolloutId: number): Promise<StoredRollout | null> {
  return (await selectRollouts(db).where("r.id", "=", rolloutId).executeTakeFirst()) ?? null;
}

/** Locks a rollout before any of its robots; null if it does not exist or, with `skipLocked`, is already locked. */
export async function lockRollout(tx: Tx, rolloutId: number, skipLocked = false): Promise<StoredRollout | null> {
  const locked = selectRollouts(tx).where("r.id", "=", rolloutId).forNoKeyUpdate("r");
  return (await (skipLocked ? locked.skipLocked() : locked).executeTakeFirst()) ?? null;
}

/** Those that have not ended. */
export async function readOpenRollouts(db: Executor): Promise<number[]> {
  const rows = await db.selectFrom("rollouts").select("id").where("ended_at", "is", null).orderBy("id").execute();
  return rows.map((row) => row.id);
}

export type RolloutChange = Pick<Selectable<Tables["rollouts"]>, "state"> &
  Pick<Updateable<Tables["rollouts"]>, "reason" | "reason_code" | "reason_params" | "resumed_at" | "ended_at">;

/** Changes a rollout that this transaction has locked; without a reason it has none. */
export async function storeRollout(tx: Tx, rolloutId: number, change: RolloutChange): Promise<void> {
  await tx
    .updateTable("rollouts")
    .set({ ...reasonColumns(null), ...change, change_no: changedNow })
    .where("id", "=", rolloutId)
    .execute();
  await announceChange(tx);
}

/** Those that wait for a person because robots failed: `pausedText` says so. */
export async function readSelfPaused(db: Executor) {
  const rows = await selectRollouts(db)
    .where("r.state", "=", "PAUSED")
    .where("r.reason_code", "in", selfPausedCodes)
    .execute();
  return rows.map(({ id, version, reason }) => ({ rollout: id, version, reason: reason ?? "" }));
}

/** Pauses what is running, until a person resumes it. */
export async function pauseRunningRollouts(tx: Tx, reason: CodedText): Promise<void> {
  await tx
    .updateTable("rollouts")
    .set({ state: "PAUSED", ...reasonColumns(reason), change_no: changedNow })
    .where("state", "=", "RUNNING")
    .execute();
}

/** Robots that have not been offered the firmware yet never will be. */
export async function cancelWaiting(tx: Tx, rolloutId: number, at: Date): Promise<void> {
  await tx
    .updateTable("rollout_robots")
    .set({ state: "CANCELLED", ...reasonColumns(null), wait_until: null, ended_at: at, change_no: changedNow })
    .where("rollout_id", "=", rolloutId)
    .where("state", "=", "WAITING")
    .execute();
}

export type Counts = Record<RolloutRobotState, number>;

/** How many robots of each rollout are in each state. */
export async function readCounts(db: Executor, rolloutIds: readonly number[]): Promise<Map<number, Counts>> {
  const none = { WAITING: 0, OFFERED: 0, DOWNLOADING: 0, INSTALLING: 0, DONE: 0, FAILED: 0, SKIPPED: 0, CANCELLED: 0 };
  const counts = new Map<number, Counts>(rolloutIds.map((id) => [id, { ...none }]));
  const rows = await db
    .selectFrom("rollout_robots")
    .select(["rollout_id", "state", (eb) => eb.fn.countAll<number>().as("robots")])
    .where("rollout_id", "=", anyInt(rolloutIds))
    .groupBy(["rollout_id", "state"])
    .execute();
  for (const { rollout_id, state, robots } of rows) {
    const ofRollout = counts.get(rollout_id);
    if (ofRollout !== undefined) ofRollout[state] = robots;
  }
  return counts;
}

/** Failures since a person last resumed the rollout. */
export async function readNewFailures(
  tx: Tx,
  rolloutId: number,
  since: Date | null,
): Promise<{ readonly failures: number; readonly canary: boolean }> {
  return tx
    .selectFrom("rollout_robots")
    .select((eb) => [
      eb.fn.countAll<number>().as("failures"),
      sql<boolean>`coalesce(bool_or(canary), false)`.as("canary"),
    ])
    .where("rollout_id", "=", rolloutId)
    .where("state", "=", "FAILED")
    .$if(since !== null, (query) => query.where("ended_at", ">", since))
    .executeTakeFirstOrThrow();
}

/** The robots of a rollout in order. */
export function readRolloutRobots(db: Executor, rolloutId: number) {
  return db
    .selectFrom("rollout_robots")
    .select(["robot_id", "robot_name", "serial_number", "site_id", "site_name", "state", "canary"])
    .select(["percent", "from_version", "reason", "gave_up", "offered_at", "ended_at"])
    .where("rollout_id", "=", rolloutId)
    .orderBy("place")
    .execute();
}
