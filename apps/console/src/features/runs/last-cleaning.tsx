import type { RobotLive } from "@suncrew/contract/robots/robots.ts";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { tookText } from "./run-texts.ts";
import { outcomeWords } from "./runs-meaning.ts";

export type LastRun = NonNullable<RobotLive["last_run"]>;

/** "Last cleaning 3 h ago, 28 min, completed": the last run in which the robot moved. */
export function LastCleaningLine({ lastRun }: { lastRun: LastRun | null }) {
  if (lastRun === null) return "No cleaning yet";
  return (
    <>
      Last cleaning <RelativeTime at={lastRun.ended_at} />, {tookText(lastRun.began_at, lastRun.ended_at)},{" "}
      {outcomeWords[lastRun.outcome]}
    </>
  );
}

/** The same at length: how long, how it ended and, if it did not complete, why, and who started it. */
export function LastRunFact({ lastRun }: { lastRun: LastRun | null }) {
  if (lastRun === null) return "None yet";
  const { began_at: began, ended_at: ended, outcome, reason, started_by: startedBy } = lastRun;
  return (
    <>
      {tookText(began, ended)}, {outcomeWords[outcome]}, started by {startedBy}
      {reason !== null && outcome !== "COMPLETED" && (
        <span style={{ display: "block", color: "var(--sc-text-muted)" }}>{reason}</span>
      )}
    </>
  );
}
