import { dueDecision } from "@suncrew/domain/schedules/due-decision.ts";
import { nextRunAfter } from "@suncrew/domain/schedules/next-run.ts";
import type { Tx } from "../../platform/database/database.ts";
import type { Occurrence } from "../runs/public.ts";
import { advance, type LockedSchedule, lockDue, readMemberIds } from "./due-schedules.writes.ts";
import { recordNone } from "./record-none.ts";
import { showGroupChange } from "./schedule-rows.writes.ts";
import { missedSentences, scheduled } from "./scheduler-sentences.ts";
import { startGroup } from "./start-group.ts";

/** What a server knows as it serves a schedule. */
export interface Circumstances {
  readonly now: Date;
  /** False where this server has no broker: starts are left to another one until they are missed. */
  readonly canSend: boolean;
  /** False while robots may not have been heard of yet, because no server or broker was there until just now. */
  readonly knowsRobots: boolean;
  /** The day's weather speaks against it; null where nobody asked. */
  readonly tooWet: boolean | null;
}

/** Occurrences served in one transaction; after a long downtime the rest follow at once in the next. */
const MAX_OCCURRENCES = 50;

/**
 * Serves a due schedule in the caller's transaction: a run for each robot of the group and each due time, the START
 * commands of those that can run, and the next due time. Null where there was nothing to do; else what to send after
 * the commit, and whether more is due at once. The lock on the schedule, and the unique index of runs, keep it to once.
 */
export async function runDue(
  tx: Tx,
  scheduleId: number,
  circumstances: Circumstances,
): Promise<{ readonly commandIds: readonly string[]; readonly moreDue: boolean } | null> {
  const { now, canSend, knowsRobots, tooWet } = circumstances;
  const schedule = await lockDue(tx, scheduleId, now);
  // Its choice was switched on since it was found: the weather is asked first, a second later.
  if (schedule === null || (schedule.skipOnRain && tooWet === null)) return null;
  const members = await readMemberIds(tx, schedule.groupId);
  const commandIds: string[] = [];
  let next: Date | null = schedule.nextRunAt;
  let served = 0;
  while (next !== null && next <= now && served < MAX_OCCURRENCES) {
    const decision = dueDecision(next, schedule.durationMinutes, now);
    const occurrence: Occurrence = { ...occurrenceOf(schedule), dueAt: next, stopDueAt: decision.stopDueAt };
    if (decision.kind === "missed") {
      await recordNone(tx, occurrence, members, { outcome: "MISSED", reason: missedSentences[decision.reason] }, now);
    } else if (schedule.skipOnRain && tooWet === true) {
      await recordNone(tx, occurrence, members, { outcome: "SKIPPED", reason: scheduled.heldForRain }, now);
    } else if (!canSend) {
      break;
    } else {
      const { started, undecided } = await startGroup(tx, occurrence, members, knowsRobots, now);
      commandIds.push(...started);
      // It stays due for the rest of the group.
      if (undecided) return { commandIds, moreDue: false };
    }
    next = nextRunAfter(schedule, schedule.timezone, next);
    served += 1;
  }
  if (served === 0) return null;
  await advance(tx, schedule.id, next);
  await showGroupChange(tx, schedule.groupId);
  return { commandIds, moreDue: served === MAX_OCCURRENCES && next !== null && next <= now };
}

function occurrenceOf({ id, siteId, groupId, groupName }: LockedSchedule) {
  return { scheduleId: id, siteId, groupId, groupName };
}
