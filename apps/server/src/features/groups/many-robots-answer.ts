import type { ManyRobotsResponse, RobotResult } from "@suncrew/contract/groups/groups.ts";
import { groupOutcomeOf } from "@suncrew/domain/groups/group-outcome.ts";

/** What was done to robots, in the words of the answer. */
export interface DoneWords {
  /** Such as "started". */
  readonly done: string;
  /** Where there is no robot at all. */
  readonly nobody: string;
  /** What is kept for those that are pending, such as "Stop". */
  readonly kept: string;
}

/** §4 Group action outcome, in plain words: a skipped robot counts as not succeeded. */
export function manyRobotsAnswer(results: readonly RobotResult[], words: DoneWords): ManyRobotsResponse {
  const success = groupOutcomeOf(results) === "all";
  if (results.length === 0) return { success, message: words.nobody, results: [] };
  const count = (isCounted: (result: RobotResult) => boolean) => results.filter(isCounted).length;
  const succeeded = count(({ outcome }) => outcome === "SUCCESS");
  const skipped = count(({ outcome }) => outcome === "SKIPPED");
  const failed = count(({ outcome }) => outcome === "FAILED");
  const pending = count((result) => result.pending);
  const sentences = [
    `${succeeded} of ${results.length} ${results.length === 1 ? "robot" : "robots"} ${words.done}.`,
    ...(failed > 0 ? [`${failed} failed.`] : []),
    ...(skipped > 0 ? [`${skipped} skipped.`] : []),
    ...(pending > 0 ? [`For ${pending} the ${words.kept} is kept and repeated until the robot confirms it.`] : []),
  ];
  return { success, message: sentences.join(" "), results: [...results] };
}
