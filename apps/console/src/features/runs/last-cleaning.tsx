import type { RobotLive } from "@suncrew/contract/robots/robots.ts";
import { RUN_OUTCOME_WORDS } from "@suncrew/domain/runs/run-outcome.ts";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { elapsedText } from "./runs-looks.ts";

export type LastRun = NonNullable<RobotLive["last_run"]>;

/** "Planned run 3 h ago skipped: Robot SCR-1001 is offline." */
export function RunNotBegunLine({ run }: { run: NonNullable<RobotLive["run_not_begun"]> }) {
  const { at, planned, outcome, reason } = run;
  return (
    <span title={reason ?? undefined}>
      {planned ? "Planned run" : "Start of its group"} <RelativeTime at={at} /> {RUN_OUTCOME_WORDS[outcome]}
      {reason === null ? "" : `: ${reason}`}
    </span>
  );
}

/** "Last cleaning 3 h ago, 28 min, done": the last run in which the robot moved. */
export function LastCleaningLine({ lastRun }: { lastRun: LastRun | null }) {
  if (lastRun === null) return "No cleaning yet";
  return (
    <>
      Last cleaning <RelativeTime at={lastRun.ended_at} />, {elapsedText(lastRun.began_at, lastRun.ended_at)},{" "}
      {RUN_OUTCOME_WORDS[lastRun.outcome]}
    </>
  );
}

/** The same in full: how long, how it ended and, if it is not done, why, and who started it. */
export function LastRunFact({ lastRun }: { lastRun: LastRun | null }) {
  if (lastRun === null) return "None yet";
  const { began_at: began, ended_at: ended, outcome, reason, started_by: startedBy } = lastRun;
  return (
    <>
      {elapsedText(began, ended)}, {RUN_OUTCOME_WORDS[outcome]}, started by {startedBy}
      {reason !== null && outcome !== "COMPLETED" && (
        <span style={{ display: "block", color: "var(--sc-text-muted)" }}>{reason}</span>
      )}
    </>
  );
}
