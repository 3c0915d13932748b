import type { RobotStatus } from "@suncrew/contract/robots/robots.ts";

/** §9 Status polling, in milliseconds. */
export const POLL_CHECK_MS = 60_000;
export const POLL_CALM_MS = 300_000;
export const POLL_OTHER_MS = 60_000;
export const POLL_FIRST_MS = 1_000;
export const POLL_FIRST_AGAIN_MS = 2_000;

/** Whether a robot's status should be queried again; `lastQueriedAt` is null before the first query. */
export function isPollDue(status: RobotStatus, lastQueriedAt: Date | null, now: Date): boolean {
  if (lastQueriedAt === null) return true;
  const sinceMs = now.getTime() - lastQueriedAt.getTime();
  return sinceMs >= (status === "idle" || status === "normal" ? POLL_CALM_MS : POLL_OTHER_MS);
}
