import { sql } from "kysely";
import { changedNow, type Executor, type Tx } from "../../platform/database/database.ts";
import { firmwareSentences } from "./firmware-sentences.ts";
import { auditEnds, type Ended } from "./update-audit.repository.ts";

/**
 * Robots whose time is over; with `heardSince` only those whose live state came after it. An offer that was never sent
 * is taken back instead.
 */
export async function findOverdue(db: Executor, now: Date, limit: number, heardSince: Date | null): Promise<number[]> {
  const rows = await db
    .selectFrom("rollout_robots as e")
    .innerJoin("robot_state as s", "s.robot_id", "e.robot_id")
    .select("e.robot_id")
    .where("e.state", "in", ["OFFERED", "DOWNLOADING", "INSTALLING"])
    .where("e.deadline_at", "<=", now)
    .where((eb) => eb.or([eb("e.state", "<>", "OFFERED"), eb("e.sent_at", "is not", null)]))
    .$if(heardSince !== null, (query) => query.where("s.live_at", ">", heardSince))
    .orderBy("e.robot_id")
    .limit(limit)
    .execute();
  return rows.map((row) => row.robot_id);
}

/**
 * Fails those of these robots, which this transaction has locked, whose time is over. Who was last heard downloading or
 * installing is taken to be for as long again: it must not be started meanwhile. Answers which.
 */
export async function failOverdue(tx: Tx, robotIds: readonly number[], now: Date): Promise<number[]> {
  if (robotIds.length === 0) return [];
  const overdue = await tx
    .selectFrom("rollout_robots as e")
    .innerJoin("rollouts as r", "r.id", "e.rollout_id")
    .innerJoin("firmware as f", "f.id", "r.firmware_id")
    .select(["e.robot_id", "e.site_id", "e.rollout_id", "e.serial_number", "e.from_version", "f.version"])
    .select(["r.deadline_minutes", "e.state as was"])
    .where("e.robot_id", "=", sql<number>`any(${[...robotIds]}::int[])`)
    .where("e.state", "in", ["OFFERED", "DOWNLOADING", "INSTALLING"])
    .where("e.deadline_at", "<=", now)
    .execute();
  const failed = overdue.map((row) => ({
    ...row,
    state: "FAILED" as const,
    reason: firmwareSentences.silent(row.version, row.deadline_minutes),
    installing_until: row.was === "OFFERED" ? null : new Date(now.getTime() + row.deadline_minutes * 60_000),
  }));
  if (failed.length === 0) return [];
  const rows = failed.map(({ rollout_id, robot_id, reason, installing_until }) => ({
    rollout_id,
    robot_id,
    reason,
    installing_until,
  }));
  await sql`
    update rollout_robots e set state = 'FAILED', reason = n.reason, ended_at = ${now}, overdue = true,
      installing_until = n.installing_until, change_no = ${changedNow}
    from json_to_recordset(${JSON.stringify(rows)}::json) n (rollout_id int, robot_id int, reason text,
      installing_until timestamptz)
    where e.rollout_id = n.rollout_id and e.robot_id = n.robot_id
  `.execute(tx);
  await auditEnds(tx, failed satisfies readonly Ended[], now);
  return failed.map((row) => row.robot_id);
}

/** A report as it is stored. */
export interface StoredReport {
  readonly robot_id: number;
  readonly offer_id: string;
  readonly session: number;
  readonly seq: number;
  readonly state: string;
  readonly percent: number | null;
}

/**
 * What robots tell of an offer after they failed by its deadline: they stay failed, but whether they may be started
 * depends on it. They are taken to install for no longer than their deadline once more. Answers the robots that changed.
 */
export async function recordLateReports(tx: Tx, reports: readonly StoredReport[], now: Date): Promise<number[]> {
  const { rows } = await sql<{ robot_id: number }>`
    update rollout_robots e set report_session = n.session, report_seq = n.seq,
      percent = coalesce(n.percent, e.percent),
      installing_until = case when n.state in ('DOWNLOADING', 'INSTALLING')
        and e.ended_at + r.deadline_minutes * interval '1 minute' > ${now}
        then e.ended_at + r.deadline_minutes * interval '1 minute' end,
      change_no = ${changedNow}
    from json_to_recordset(${JSON.stringify(reports)}::json) n (robot_id int, offer_id uuid, session bigint, seq bigint,
      state text, percent double precision), rollouts r
    where e.overdue and e.robot_id = n.robot_id and e.offer_id = n.offer_id and r.id = e.rollout_id
      and (coalesce(e.report_session, -1), coalesce(e.report_seq, -1)) < (n.session, n.seq)
    returning e.robot_id
  `.execute(tx);
  return rows.map((row) => row.robot_id);
}

/** Robots that are taken to install no longer. */
export async function findNoLongerInstalling(db: Executor, now: Date, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom("rollout_robots")
    .select("robot_id")
    .where("overdue", "=", true)
    .where("installing_until", "<=", now)
    .orderBy("robot_id")
    .limit(limit)
    .execute();
  return rows.map((row) => row.robot_id);
}

/** Robots that this transaction has locked may be started again where their time to install is over too. */
export async function endInstalling(tx: Tx, robotIds: readonly number[], now: Date): Promise<number[]> {
  if (robotIds.length === 0) return [];
  const rows = await tx
    .updateTable("rollout_robots")
    .set({ installing_until: null, change_no: changedNow })
    .where("robot_id", "=", sql<number>`any(${[...robotIds]}::int[])`)
    .where("overdue", "=", true)
    .where("installing_until", "<=", now)
    .returning("robot_id")
    .execute();
  return rows.map((row) => row.robot_id);
}
