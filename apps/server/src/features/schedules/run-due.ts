import { dueDecision, STARTS_LATE_UP_TO_MS } from "@suncrew/domain/schedules/due-decision.ts";
import { nextRunAfter } from "@suncrew/domain/schedules/next-run.ts";
import { HEARD_WITHIN_MS } from "@suncrew/domain/schedules/run-wait.ts";
import type { Tx } from "../../platform/database/database.ts";
import type { Occurrence } from "../runs/public.ts";
import { advance, lockDue, type LockedSchedule, readMemberIds, tellWaiting } from "./due-schedules.repository.ts";
import { recordNone } from "./record-none.ts";
import { showGroupChange } from "./schedule-rows.repository.ts";
import { missedSentences, scheduled, waitingSentence } from "./scheduler-sentences.ts";
import { startGroup } from "./start-group.ts";

/** What a server knows as it serves a schedule. */
export interface Circumstances {
  readonly now: Date;
  /** False where this server has no broker: starts are left to another one until they are missed. */
  readonly canSend: boolean;
  /** Since when Suncrew can hear robots, as far as this server knows; what they showed before is no proof. */
  readonly hearsSince: Date;
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
  const { now, canSend, hearsSince, tooWet } = circumstances;
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
      // Those that were waited for in vain are skipped for what they waited for.
      const wasThere = now.getTime() - hearsSince.getTime() >= HEARD_WITHIN_MS && isJustOver(occurrence, now);
      if (wasThere) await startGroup(tx, occurrence, members, { hearsSince, now, isOver: true });
      await recordNone(tx, occurrence, members, { outcome: "MISSED", reason: missedSentences[decision.reason] }, now);
    } else if (schedule.skipOnRain && tooWet === true) {
      await recordNone(tx, occurrence, members, { outcome: "SKIPPED", reason: scheduled.heldForRain }, now);
    } else if (!canSend) {
      break;
    } else {
      const { started, waits } = await startGroup(tx, occurrence, members, { hearsSince, now });
      commandIds.push(...started);
      if (waits.size > 0) {
        // It stays due for the rest of the group.
        const isNew = await tellWaiting(tx, schedule.id, next, waitingSentence(waits));
        if (isNew || started.length > 0) await showGroupChange(tx, schedule.groupId);
        return { commandIds, moreDue: false };
      }
    }
    next = nextRunAfter(schedule, schedule.timezone, next);
    served += 1;
  }
  if (served === 0) return null;
  await advance(tx, schedule.id, next);
  await showGroupChange(tx, schedule.groupId);
  return { commandIds, moreDue: served === MAX_OCCURRENCES && next !== null && next <= now };
}

/** Whoever was waited for is known as it is until shortly after; of what is long over nothing is known any more. */
function isJustOver({ dueAt, stopDueAt }: Occurrence, now: Date): boolean {
  const overMs = Math.min(stopDueAt.getTime(), dueAt.getTime() + STARTS_LATE_UP_TO_MS);
  return now.getTime() - overMs < HEARD_WITHIN_MS;
}

function occurrenceOf({ id, siteId, groupId, groupName }: LockedSchedule) {
  return { scheduleId: id, siteId, groupId, groupName };
}
