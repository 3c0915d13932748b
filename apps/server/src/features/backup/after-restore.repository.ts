import { STATE_FRESH_MS } from "@suncrew/domain/devices/protocol-times.ts";
import { deliveryTexts } from "@suncrew/domain/notifications/delivery-texts.ts";
import { webhookTexts } from "@suncrew/domain/events/webhook-texts.ts";
import { rolloutTexts } from "@suncrew/domain/firmware/rollout-text.ts";
import { reportTexts } from "@suncrew/domain/reports/report-texts.ts";
import { sql } from "kysely";
import { databaseNow, type Tx } from "../../platform/database/database.ts";
import { reasonColumns } from "../../platform/database/reason-columns.ts";
import { markRestored } from "../../platform/database/restore-mark.ts";
import { giveUpMails } from "../../platform/mail-outbox.ts";
import { mailTexts } from "../../platform/mail-texts.ts";
import { recordChange } from "../audit/public.ts";
import { giveUpEvents } from "../events/public.ts";
import { pauseRunningRollouts } from "../firmware/public.ts";
import { judgeAnew } from "../guard/public.ts";
import { giveUpReports } from "../monthly-reports/public.ts";
import { voidDecisions } from "../schedules/public.ts";
import { computeSoilingAnew } from "../soiling/public.ts";
import { askInputsAnew } from "../weather/public.ts";
import type { Manifest } from "./manifest.ts";

/**
 * Command numbers begin this far ahead, in milliseconds: clocks of servers that are trusted differ by half of it, so
 * every number is above those that robots have accepted from the servers before.
 */
const SEQ_AHEAD_MS = 60_000;

/** In place of the id of a server that may have sent a command. */
const NO_SERVER = "00000000-0000-0000-0000-000000000000";

/**
 * A restored database is in the past: nobody knows what became of what it says is open, and robots are machines near
 * people. Settles all that, in the transaction of the restore, as listed in decision 60.
 */
export async function settlePast(tx: Tx, { version, takenAt, auditHead }: Manifest): Promise<void> {
  const now = await databaseNow(tx);
  const taken = new Date(takenAt);
  // Schedules and retries of their starts look at it: what was due by now does not start any more.
  await markRestored(tx, now);
  await expireOpenCommands(tx, taken);
  await raiseCommandNumbers(tx, now);
  await ageLiveStates(tx, now);
  await tx.updateTable("sessions").set({ ended_at: now }).where("ended_at", "is", null).execute();
  // Also those of which nobody knows whether they were withdrawn since.
  await tx.updateTable("wallboard_links").set({ withdrawn_at: now }).where("withdrawn_at", "is", null).execute();
  await pauseRunningRollouts(tx, rolloutTexts.text("RESTORED", {}));
  // What is restored is the newest backup that is known to be of any use.
  await tx
    .insertInto("last_backup")
    .values({ taken_at: taken })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ taken_at: taken }))
    .execute();
  const mailReason = mailTexts.text("RESTORED", {});
  await giveUpMails(tx, mailReason);
  await giveUpReports(tx, reportTexts.text("REPORT_BEFORE_RESTORE", {}), mailReason, now);
  await tellNothingOld(tx, now);
  await computeSoilingAnew(tx, now);
  await judgeAnew(tx);
  // Decided from runs and weather of then.
  await voidDecisions(tx, null, now);
  await giveUpEvents(tx, null, webhookTexts.text("RESTORED", {}), now);
  // What came since is asked for again, as far as the provider still knows it.
  await askInputsAnew(tx, now);
  await recordChange(tx, {
    actor: { userId: null, name: "Server console" },
    action: "RESTORE_BACKUP",
    entity: "installation",
    outcome: "DONE",
    after: { taken_at: takenAt, version, audit_number: auditHead?.number ?? null },
    at: now,
  });
}

/**
 * Neither a START nor a setting or a release is sent any more. They count as sent, for they may have been: the first
 * server fails them, and sends each robot with such a START a STOP (protocol rule 6). STOPs and locks that were pending
 * are sent again (rule 5).
 */
async function expireOpenCommands(tx: Tx, taken: Date): Promise<void> {
  await sql`
    update commands set expires_at = least(expires_at, ${taken}), settle_by = least(settle_by, ${taken}),
      claimed_by = coalesce(claimed_by, ${NO_SERVER}::uuid), claimed_at = coalesce(claimed_at, ${taken})
    where settled_at is null and verb not in ('STOP', 'MAINTENANCE_ON')`.execute(tx);
}

/**
 * Above whatever robots have accepted since: a command of the restored server is none of the past (rule 1), and a number
 * that a robot reports from that time is not taken for a Stop that is yet to be recorded.
 */
async function raiseCommandNumbers(tx: Tx, now: Date): Promise<void> {
  const seq = now.getTime() + SEQ_AHEAD_MS;
  await sql`update robots set last_command_seq = greatest(last_command_seq, ${seq}::bigint)`.execute(tx);
}

/** No robot is started before it has been heard again (rule 2), however recent the backup is. */
async function ageLiveStates(tx: Tx, now: Date): Promise<void> {
  const stale = new Date(now.getTime() - STATE_FRESH_MS - 1_000);
  await tx.updateTable("robot_state").set({ live_at: stale }).where("live_at", ">", stale).execute();
}

/** Nobody knows who was told since. What changes from now on is told as usual, but no alert of the past. */
async function tellNothingOld(tx: Tx, now: Date): Promise<void> {
  await tx
    .updateTable("deliveries")
    .set({
      status: "DROPPED",
      ...reasonColumns(deliveryTexts.text("BEFORE_RESTORE", {})),
      due_at: null,
      settled_at: now,
    })
    .where("status", "=", "WAITING")
    .execute();
  await tx.updateTable("alert_notices").set({ next_at: null, ended: true }).where("ended", "=", false).execute();
  // Every restored alert has the number of this transaction.
  await sql`update notifier_progress set change_no = (pg_current_xact_id()::text::bigint + 1)::text::xid8`.execute(tx);
}
