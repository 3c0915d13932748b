import type { ManyRobotsResponse, RobotResult } from "@suncrew/contract/groups/groups.ts";
import { successSentences, groupOutcomeOf } from "@suncrew/domain/groups/group-outcome.ts";

/** What was done to robots, in the words of the answer. */
export interface DoneWords {
  /** Such as "started". */
  readonly done: string;
  /** Where there is no robot at all. */
  readonly nobody: string;
  /** What is kept for those that are pending, such as "Stop". */
  readonly kept: string;
  /** Robots that are pending although it succeeded were told without the database, and nobody has seen them obey. */
  readonly maySkipDatabase?: true;
}

/** §4 Group action outcome, in plain words: a skipped robot counts as not succeeded. */
export function manyRobotsAnswer(results: readonly RobotResult[], words: DoneWords): ManyRobotsResponse {
  const success = groupOutcomeOf(results) === "all";
  if (results.length === 0) return { success, message: words.nobody, results: [] };
  const count = (isCounted: (result: RobotResult) => boolean) => results.filter(isCounted).length;
  const skipped = count(({ outcome }) => outcome === "SKIPPED");
  const failed = count(({ outcome }) => outcome === "FAILED");
  const isSent = (result: RobotResult) => words.maySkipDatabase && result.pending && result.outcome === "SUCCESS";
  const sent = count((result) => isSent(result) === true);
  const pending = count((result) => result.pending) - sent;
  const robots = (number: number) => (number === 1 ? "1 robot" : `${number} robots`);
  // A lock that is kept holds already; a Stop that is kept has stopped nobody.
  const counted = words.maySkipDatabase === true ? results : results.map((result) => ({ ...result, pending: false }));
  const sentences = [
    ...(sent < results.length ? [successSentences(counted, words.done)] : []),
    ...(sent > 0 ? [`Sent to ${robots(sent)}; will be recorded.`] : []),
    ...(failed > 0 ? [`${failed} failed.`] : []),
    ...(skipped > 0 ? [`${skipped} skipped.`] : []),
    ...(pending > 0 ? [`For ${pending} the ${words.kept} is kept and repeated until the robot confirms it.`] : []),
  ];
  return { success, message: sentences.join(" "), results: [...results] };
}
