import type { RobotResult } from "@suncrew/contract/groups/groups.ts";
import type { RobotLive } from "@suncrew/contract/robots/robots.ts";

/** The robots that have shown it: one that was only sent without the database is pending still. */
export function confirmedIn(results: readonly RobotResult[]): number[] {
  return results.flatMap(({ robotObjectId, outcome, pending }) =>
    outcome === "SUCCESS" && !pending ? [robotObjectId] : [],
  );
}

/** A pending Stop that the stream has since shown confirmed is told as done: nobody has to walk there any more. */
export function resultNow(
  result: RobotResult,
  live: Pick<RobotLive, "online" | "motion" | "open_command"> | undefined,
): Pick<RobotResult, "outcome" | "pending" | "message"> {
  const isStopped = live?.online === true && live.motion === "STOPPED" && live.open_command === null;
  if (!result.pending || !isStopped) return result;
  return { ...result, outcome: "SUCCESS", pending: false };
}
