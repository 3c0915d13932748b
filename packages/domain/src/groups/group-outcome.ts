import type { RobotOutcome, RobotResult } from "@suncrew/contract/groups/groups.ts";

export type GroupOutcome = "all" | "some" | "none";

/** §4 Group action outcome; a skipped robot counts as not succeeded. */
export function groupOutcomeOf(results: readonly { readonly outcome: RobotOutcome }[]): GroupOutcome {
  const succeeded = results.filter(({ outcome }) => outcome === "SUCCESS").length;
  if (succeeded === 0) return "none";
  return succeeded === results.length ? "all" : "some";
}

type Counted = Pick<RobotResult, "outcome" | "pending" | "was_moving">;

/** A robot that stood already when it was stopped. */
export function wereAlreadyStopped({ outcome, pending, was_moving }: Counted): boolean {
  return outcome === "SUCCESS" && !pending && was_moving === false;
}

/** What was done to how many: "2 of 3 robots started.", "1 of 1 robot stopped. 2 stood already.", "4 robots stood already." */
export function successSentences(results: readonly Counted[], done: string): string {
  const robots = (count: number) => (count === 1 ? "1 robot" : `${count} robots`);
  const stood = results.filter(wereAlreadyStopped).length;
  const of = results.length - stood;
  const succeeded = results.filter(({ outcome, pending }) => outcome === "SUCCESS" && !pending).length - stood;
  if (of === 0) return `${robots(stood)} stood already.`;
  return `${succeeded} of ${robots(of)} ${done}.${stood === 0 ? "" : ` ${stood} stood already.`}`;
}
