import { dueDecision } from "@suncrew/domain/schedules/due-decision.ts";
import { nextRunAfter } from "@suncrew/domain/schedules/next-run.ts";
import type { Tx } from "../../platform/database/database.ts";
import type { Occurrence } from "../runs/public.ts";
import { type LockedSchedule, readMemberIds } from "./due-schedules.repository.ts";
import { recordNone } from "./record-none.ts";
import { missedSentences } from "./scheduler-sentences.ts";

/**
 * Puts on record, in the caller's transaction, that what a locked schedule has due by now does not start any more,
 * and why. Robots that have begun already go on.
 */
export async function passOver(tx: Tx, schedule: LockedSchedule, reason: string, now: Date): Promise<void> {
  const { id: scheduleId, siteId, groupId, groupName } = schedule;
  const members = await readMemberIds(tx, groupId);
  let next: Date | null = schedule.nextRunAt;
  while (next !== null && next <= now) {
    const decision = dueDecision(next, schedule.durationMinutes, now);
    const { stopDueAt } = decision;
    const occurrence: Occurrence = { scheduleId, siteId, groupId, groupName, dueAt: next, stopDueAt };
    const none =
      decision.kind === "missed"
        ? ({ outcome: "MISSED", reason: missedSentences[decision.reason] } as const)
        : ({ outcome: "SKIPPED", reason } as const);
    await recordNone(tx, occurrence, members, none, now);
    next = nextRunAfter(schedule, schedule.timezone, next);
  }
}
