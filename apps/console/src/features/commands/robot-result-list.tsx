import type { RobotResult } from "@suncrew/contract/groups/groups.ts";
import { liveStore, useLiveVersion, useRobotLive } from "../../platform/live/live.ts";
import { StateBadge } from "../../ui/state-badge.tsx";
import { pendingLook, robotOutcomeLook } from "./command-meaning.ts";
import classes from "./robot-result-list.module.css";
import { resultNow } from "./robot-command.ts";

export interface RobotResultListProps {
  /** What the list is of, for a screen reader. */
  readonly label: string;
  readonly results: readonly RobotResult[];
  /** What a robot that succeeded has done, such as "Has stopped."; the server's own words where it is left out. */
  readonly doneText?: (result: RobotResult) => string;
}

/** What came of each robot where many were commanded at once, with its reason. */
export function RobotResultList({ label, results, doneText }: RobotResultListProps) {
  return (
    <ul className={classes["list"]} aria-label={label}>
      {results.map((result) => (
        <RobotResultRow key={result.robotObjectId} result={result} doneText={doneText} />
      ))}
    </ul>
  );
}

/** The results now, and again with every change that the stream tells. */
export function useResultsNow(results: readonly RobotResult[]): readonly RobotResult[] {
  useLiveVersion();
  return results.map((result) => ({ ...result, ...resultNow(result, liveStore.robot(result.robotObjectId)) }));
}

function RobotResultRow({ result, doneText }: { result: RobotResult; doneText: RobotResultListProps["doneText"] }) {
  const { outcome, pending, message } = resultNow(result, useRobotLive(result.robotObjectId));
  return (
    <li className={classes["row"]}>
      <span className={classes["serial"]}>{result.robotId}</span>
      <StateBadge look={pending ? pendingLook : robotOutcomeLook[outcome]} />
      <span className={classes["message"]}>
        {outcome === "SUCCESS" && !pending ? (doneText?.(result) ?? message) : message}
      </span>
    </li>
  );
}
