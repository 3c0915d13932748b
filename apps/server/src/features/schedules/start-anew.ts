import { hasUnrecordedStop } from "@suncrew/domain/schedules/run-wait.ts";
import { v7 as uuidv7 } from "uuid";
import type { Tx } from "../../platform/database/database.ts";
import { recordAudit } from "../audit/public.ts";
import { acceptOrders, lockRobots, readOpenCommands, refusalOf } from "../commands/public.ts";
import { type FailedStart, openAnew, readFailedStart, SCHEDULER } from "../runs/public.ts";
import { readHandled } from "./ruled-out.repository.ts";
import { holdSchedule } from "./schedule-rows.repository.ts";
import { scheduledOrder, secondsUntil } from "./scheduled-order.ts";
import { scheduled } from "./scheduler-sentences.ts";

/**
 * Gives a planned run whose START failed through no fault of its robot another START, in the caller's transaction: a
 * server that dies must not cost a run. It still ends on time. Answers the START to send after the commit.
 */
export async function startAnew(
  tx: Tx,
  { id, robot_id, schedule_id }: FailedStart,
  hearsSince: Date,
  now: Date,
): Promise<string | null> {
  // Whoever changes or deletes it comes before or after this, and not between.
  if (!(await holdSchedule(tx, schedule_id))) return null;
  const robot = (await lockRobots(tx, [robot_id])).get(robot_id);
  const run = robot && (await readFailedStart(tx, id, now));
  if (!robot || !run) return null;
  if (robot.state.live_at === null || robot.state.live_at < hearsSince) return null;
  const { last_command_seq: recordedSeq } = robot;
  if (hasUnrecordedStop({ lastSeq: robot.state.last_seq, recordedSeq }, run.due_at)) return null;
  if ((await readHandled(tx, run.due_at, [robot])).size > 0) return null;
  // It may become possible within the time that is left; a refusal each second would fill the log.
  if (refusalOf(robot, await readOpenCommands(tx, [robot_id]), now) !== null) return null;
  const runId = uuidv7();
  const maxDurationS = secondsUntil(run.stop_due_at, now);
  const order = { ...scheduledOrder, verb: "START", runId, maxDurationS } as const;
  const [started] = await acceptOrders(tx, run.site_id, [robot_id], order, now);
  if (started?.accepted.kind !== "stored") return null;
  const { id: commandId } = started.accepted.command;
  await openAnew(tx, run.id, { id: runId, commandId });
  await recordAudit(tx, {
    actor: { userId: null, name: SCHEDULER },
    action: "START_SCHEDULED_RUN_ANEW",
    entity: "robot",
    entityId: robot_id,
    siteId: run.site_id,
    outcome: "DONE",
    reason: scheduled.anew(run.starts + 1),
    after: { run_id: runId, due_at: run.due_at.toISOString() },
    at: now,
  });
  return commandId;
}
