import type { FirmwareStateMessage, StateMessage } from "@suncrew/contract/devices/messages.ts";
import { REFUSED_WAIT_MS, reportOutcome } from "@suncrew/domain/firmware/report-outcome.ts";
import { overdueText, reportText } from "@suncrew/domain/firmware/rollout-text.ts";
import { type RawBuilder, type Selectable, sql } from "kysely";
import { anyInt, changedNow, type Executor, type Tx } from "../../platform/database/database.ts";
import { reasonColumns } from "../../platform/database/reason-columns.ts";
import type { Tables } from "../../platform/database/tables.ts";
import { recordChanges, suncrew } from "../audit/public.ts";

/** A robot of a rollout after a change. */
interface UpdatedRobot extends Pick<
  Selectable<Tables["rollout_robots"]>,
  "robot_id" | "site_id" | "from_version" | "state" | "reason"
> {
  readonly version: string;
}
const updatedColumns = sql`e.robot_id, e.site_id, e.from_version, e.state, e.reason, f.version`;

export interface FirmwareReport {
  readonly robotId: number;
  readonly message: FirmwareStateMessage;
}

/**
 * Stores the progress of robots with their offers. A report counts only if it is newer than the stored one, by
 * (session, seq), and about the open offer. This transaction has locked their robot_state rows. Returns the robots that
 * changed.
 */
export async function recordReports(tx: Tx, reports: readonly FirmwareReport[], now: Date): Promise<number[]> {
  if (reports.length === 0) return [];
  const newest = new Map<string, FirmwareReport>();
  for (const report of reports) {
    const { offerId, session, seq } = report.message;
    const known = newest.get(`${report.robotId}:${offerId}`)?.message;
    const isNewer = !known || session > known.session || (session === known.session && seq > known.seq);
    if (isNewer) newest.set(`${report.robotId}:${offerId}`, report);
  }
  const rows = [...newest.values()].map(({ robotId, message }) => {
    const after = reportOutcome(message);
    return {
      robot_id: robotId,
      offer_id: message.offerId,
      session: message.session,
      seq: message.seq,
      state: after.state,
      percent: "percent" in after ? after.percent : null,
      ...reasonColumns(reportText(after)),
    };
  });
  const reported = sql`json_to_recordset(${JSON.stringify(rows)}::json) n (robot_id int, offer_id uuid, session bigint,
    seq bigint, state text, percent double precision, reason text, reason_code text, reason_params jsonb)`;
  const { rows: changed } = await sql<UpdatedRobot>`
    update rollout_robots e set state = n.state,
      reason = n.reason, reason_code = n.reason_code, reason_params = n.reason_params,
      percent = case when n.state = 'WAITING' then null else coalesce(n.percent, e.percent) end,
      report_session = case when n.state <> 'WAITING' then n.session end,
      report_seq = case when n.state <> 'WAITING' then n.seq end,
      offer_id = case when n.state <> 'WAITING' then e.offer_id end,
      offered_at = case when n.state <> 'WAITING' then e.offered_at end,
      deadline_at = case when n.state <> 'WAITING' then e.deadline_at end,
      sent_at = case when n.state <> 'WAITING' then e.sent_at end,
      canary = e.canary and n.state <> 'WAITING',
      wait_until = case when n.state = 'WAITING' then ${new Date(now.getTime() + REFUSED_WAIT_MS)}::timestamptz end,
      ended_at = case when n.state = 'FAILED' then ${now}::timestamptz end,
      change_no = ${changedNow}
    from ${reported}, rollouts r, firmware f
    where e.offer_id = n.offer_id and e.robot_id = n.robot_id and e.state in ('OFFERED', 'DOWNLOADING', 'INSTALLING')
      and (coalesce(e.report_session, -1), coalesce(e.report_seq, -1)) < (n.session, n.seq)
      and r.id = e.rollout_id and f.id = r.firmware_id
    returning ${updatedColumns}
  `.execute(tx);
  await auditEndedUpdates(tx, changed, now);
  return [...changed.map((row) => row.robot_id), ...(await recordLateReports(tx, reported, now))];
}

/**
 * Stores reports of robots that had already failed by their deadline: they stay failed, but whether they may be started
 * depends on the report. They are assumed to be installing for at most one more deadline. Returns the robots that
 * changed.
 */
async function recordLateReports(tx: Tx, reports: RawBuilder<unknown>, now: Date): Promise<number[]> {
  const { rows } = await sql<{ robot_id: number }>`
    update rollout_robots e set report_session = n.session, report_seq = n.seq,
      percent = coalesce(n.percent, e.percent),
      installing_until = case when n.state in ('DOWNLOADING', 'INSTALLING')
        and e.ended_at + r.deadline_minutes * interval '1 minute' > ${now}
        then e.ended_at + r.deadline_minutes * interval '1 minute' end,
      change_no = ${changedNow}
    from ${reports}, rollouts r
    where e.overdue and e.robot_id = n.robot_id and e.offer_id = n.offer_id and r.id = e.rollout_id
      and (coalesce(e.report_session, -1), coalesce(e.report_seq, -1)) < (n.session, n.seq)
    returning e.robot_id
  `.execute(tx);
  return rows.map((row) => row.robot_id);
}

export interface FirmwareShown {
  readonly robotId: number;
  readonly firmware: StateMessage["firmware"];
}

/** Those of the robots that are being updated, or whose update is overdue; mostly none, which saves the search for more. */
async function readUpdating(tx: Tx, robotIds: readonly number[]): Promise<ReadonlySet<number>> {
  if (robotIds.length === 0) return new Set();
  const rows = await tx
    .selectFrom("rollout_robots")
    .select("robot_id")
    .where("robot_id", "=", anyInt(robotIds))
    .where((eb) => eb.or([eb("state", "in", ["OFFERED", "DOWNLOADING", "INSTALLING"]), eb("overdue", "=", true)]))
    .execute();
  return new Set(rows.map((row) => row.robot_id));
}

/**
 * Completes the updates of robots whose live state shows the new version: nothing else proves it (protocol rule 13).
 * One that failed only by its deadline, and was offered nothing since, is done after all. This transaction has locked
 * their robot_state rows. Returns the robots that changed.
 */
export async function settleByFirmware(tx: Tx, shown: readonly FirmwareShown[], now: Date): Promise<number[]> {
  const expected = await readUpdating(
    tx,
    shown.map(({ robotId }) => robotId),
  );
  if (expected.size === 0) return [];
  const rows = shown
    .filter(({ robotId }) => expected.has(robotId))
    .map(({ robotId, firmware }) => ({ robot_id: robotId, firmware }));
  const { rows: changed } = await sql<UpdatedRobot>`
    update rollout_robots e set state = 'DONE', reason = null, reason_code = null, reason_params = null, percent = 100,
      ended_at = ${now}, overdue = false, installing_until = null, change_no = ${changedNow}
    from json_to_recordset(${JSON.stringify(rows)}::json) n (robot_id int, firmware text), rollouts r, firmware f
    where e.robot_id = n.robot_id
      and (e.state in ('OFFERED', 'DOWNLOADING', 'INSTALLING') or (e.overdue
        and exists (select from robots b where b.id = e.robot_id and b.serial_number = e.serial_number)
        and not exists (select from rollout_robots l
          where l.robot_id = e.robot_id and l.rollout_id > e.rollout_id and l.offer_id is not null)))
      and r.id = e.rollout_id and f.id = r.firmware_id and f.version = n.firmware
    returning ${updatedColumns}
  `.execute(tx);
  await auditEndedUpdates(tx, changed, now);
  return changed.map((row) => row.robot_id);
}

/**
 * Robots whose deadline has passed; with `heardSince` only those whose live state arrived after it. An offer that was
 * never sent is withdrawn instead.
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
 * Fails those of the robots, which this transaction has locked, whose deadline has passed. One last heard downloading
 * or installing is assumed to continue for as long again, and must not be started until then. Returns which failed.
 */
export async function failOverdue(tx: Tx, robotIds: readonly number[], now: Date): Promise<number[]> {
  if (robotIds.length === 0) return [];
  const overdue = await tx
    .selectFrom("rollout_robots as e")
    .innerJoin("rollouts as r", "r.id", "e.rollout_id")
    .innerJoin("firmware as f", "f.id", "r.firmware_id")
    .select(["e.robot_id", "e.site_id", "e.rollout_id", "e.from_version", "f.version"])
    .select(["r.deadline_minutes", "e.state as was"])
    .where("e.robot_id", "=", anyInt(robotIds))
    .where("e.state", "in", ["OFFERED", "DOWNLOADING", "INSTALLING"])
    .where("e.deadline_at", "<=", now)
    .execute();
  const failed = overdue.map((row) => ({
    ...row,
    state: "FAILED" as const,
    ...reasonColumns(overdueText(row.version, row.deadline_minutes)),
    installing_until: row.was === "OFFERED" ? null : new Date(now.getTime() + row.deadline_minutes * 60_000),
  }));
  if (failed.length === 0) return [];
  await sql`
    update rollout_robots e set state = 'FAILED', reason = n.reason, reason_code = n.reason_code,
      reason_params = n.reason_params, ended_at = ${now}, overdue = true, installing_until = n.installing_until,
      change_no = ${changedNow}
    from json_to_recordset(${JSON.stringify(failed)}::json) n (rollout_id int, robot_id int, reason text,
      reason_code text, reason_params jsonb, installing_until timestamptz)
    where e.rollout_id = n.rollout_id and e.robot_id = n.robot_id
  `.execute(tx);
  await auditEndedUpdates(tx, failed, now);
  return failed.map((row) => row.robot_id);
}

/** Overdue robots that are no longer assumed to be installing. */
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

/** Lets robots, which this transaction has locked, be started again if they are no longer assumed to be installing. */
export async function endInstalling(tx: Tx, robotIds: readonly number[], now: Date): Promise<number[]> {
  if (robotIds.length === 0) return [];
  const rows = await tx
    .updateTable("rollout_robots")
    .set({ installing_until: null, change_no: changedNow })
    .where("robot_id", "=", anyInt(robotIds))
    .where("overdue", "=", true)
    .where("installing_until", "<=", now)
    .returning("robot_id")
    .execute();
  return rows.map((row) => row.robot_id);
}

/** Audits the updates that ended; other changes are not audited. */
async function auditEndedUpdates(tx: Tx, changed: readonly UpdatedRobot[], at: Date): Promise<void> {
  const ended = changed.flatMap(({ robot_id, site_id, state, reason, from_version, version }) => {
    if (state !== "DONE" && state !== "FAILED") return [];
    const about = { actor: suncrew, action: "UPDATE_FIRMWARE", entity: "robot", entityId: robot_id, siteId: site_id };
    const content = { before: { firmware: from_version }, after: { firmware: version } };
    return [{ ...about, ...content, outcome: state, reason, at }];
  });
  await recordChanges(tx, ended);
}
