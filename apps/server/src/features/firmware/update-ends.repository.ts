import type { FirmwareStateMessage, StateMessage } from "@suncrew/contract/devices/messages.ts";
import { type AfterReport, afterReport, REFUSED_WAIT_MS } from "@suncrew/domain/firmware/after-report.ts";
import { refusedText } from "@suncrew/domain/firmware/rollout-text.ts";
import { sql } from "kysely";
import { changedNow, type Tx } from "../../platform/database/database.ts";
import { codeSentences } from "./firmware-sentences.ts";
import { recordLateReports } from "./overdue.repository.ts";
import { auditEnds, type Ended } from "./update-audit.repository.ts";

export interface FirmwareReport {
  readonly robotId: number;
  readonly message: FirmwareStateMessage;
}

/**
 * Stores how far robots are with their offers. Only what is newer than what was stored counts, by (session, seq), and
 * only of the offer that is open. Their robot_state rows are locked by this transaction. Answers the robots that changed.
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
    const after = afterReport(message);
    return {
      robot_id: robotId,
      offer_id: message.offerId,
      session: message.session,
      seq: message.seq,
      state: after.state,
      percent: "percent" in after ? after.percent : null,
      reason: reasonOf(after),
    };
  });
  const { rows: changed } = await sql<Ended>`
    update rollout_robots e set state = n.state,
      reason = n.reason,
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
    from json_to_recordset(${JSON.stringify(rows)}::json) n (robot_id int, offer_id uuid, session bigint, seq bigint,
      state text, percent double precision, reason text), rollouts r, firmware f
    where e.offer_id = n.offer_id and e.robot_id = n.robot_id and e.state in ('OFFERED', 'DOWNLOADING', 'INSTALLING')
      and (coalesce(e.report_session, -1), coalesce(e.report_seq, -1)) < (n.session, n.seq)
      and r.id = e.rollout_id and f.id = r.firmware_id
    returning e.robot_id, e.site_id, e.rollout_id, e.serial_number, e.from_version, e.state, e.reason, f.version
  `.execute(tx);
  await auditEnds(tx, changed, now);
  return [...changed.map((row) => row.robot_id), ...(await recordLateReports(tx, rows, now))];
}

function reasonOf(after: AfterReport): string | null {
  if (after.state === "WAITING") return refusedText(after.code);
  return after.state === "FAILED" ? codeSentences[after.code] : null;
}

export interface FirmwareShown {
  readonly robotId: number;
  readonly firmware: StateMessage["firmware"];
}

/**
 * Ends the updates of robots whose live state shows the new version: nothing else proves it (protocol rule 13). One that
 * failed by its deadline alone and was offered nothing since is done after all. Their robot_state rows are locked by this transaction. Answers the robots that changed.
 */
export async function settleByFirmware(tx: Tx, shown: readonly FirmwareShown[], now: Date): Promise<number[]> {
  if (shown.length === 0) return [];
  const rows = shown.map(({ robotId, firmware }) => ({ robot_id: robotId, firmware }));
  const { rows: changed } = await sql<Ended>`
    update rollout_robots e set state = 'DONE', reason = null, percent = 100, ended_at = ${now}, overdue = false,
      installing_until = null, change_no = ${changedNow}
    from json_to_recordset(${JSON.stringify(rows)}::json) n (robot_id int, firmware text), rollouts r, firmware f
    where e.robot_id = n.robot_id
      and (e.state in ('OFFERED', 'DOWNLOADING', 'INSTALLING') or (e.overdue
        and exists (select from robots b where b.id = e.robot_id and b.serial_number = e.serial_number)
        and not exists (select from rollout_robots l
          where l.robot_id = e.robot_id and l.rollout_id > e.rollout_id and l.offer_id is not null)))
      and r.id = e.rollout_id and f.id = r.firmware_id and f.version = n.firmware
    returning e.robot_id, e.site_id, e.rollout_id, e.serial_number, e.from_version, e.state, e.reason, f.version
  `.execute(tx);
  await auditEnds(tx, changed, now);
  return changed.map((row) => row.robot_id);
}
