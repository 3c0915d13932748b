import type { RobotOutcome } from "@suncrew/contract/groups/groups.ts";

export type GroupOutcome = "all" | "some" | "none";

/** §4 Group action outcome; a skipped robot counts as not succeeded. */
export function groupOutcomeOf(results: readonly { readonly outcome: RobotOutcome }[]): GroupOutcome {
  const succeeded = results.filter(({ outcome }) => outcome === "SUCCESS").length;
  if (succeeded === 0) return "none";
  return succeeded === results.length ? "all" : "some";
}
