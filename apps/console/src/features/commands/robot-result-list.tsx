import type { RobotResult } from "@suncrew/contract/groups/groups.ts";
import { liveStore, sameApartFrom, useLiveValue, useRobotLive } from "../../platform/live/live.ts";
import { useCallback } from "react";
import { StateBadge } from "../../ui/state-badge.tsx";
import { pendingLook, robotOutcomeLook } from "./command-meaning.ts";
import classes from "./robot-result-list.module.css";
import { currentResult } from "./robot-command.ts";

export interface RobotResultListProps {
  /** For screen readers. */
  readonly label: string;
  readonly results: readonly RobotResult[];
  /** Replaces the server's message for a robot that succeeded, such as "Has stopped." */
  readonly doneText?: (result: RobotResult) => string;
}

/** The result for each robot of a group or site command, with its reason. */
export function RobotResultList({ label, results, doneText }: RobotResultListProps) {
  return (
    <ul className={classes["list"]} aria-label={label}>
      {results.map((result) => (
        <RobotResultRow key={result.robotObjectId} result={result} doneText={doneText} />
      ))}
    </ul>
  );
}

/** The results, updated with every change in the stream. */
export function useCurrentResults(results: readonly RobotResult[]): readonly RobotResult[] {
  const read = useCallback(
    () => results.map((result) => ({ ...result, ...currentResult(result, liveStore.robot(result.robotObjectId)) })),
    [results],
  );
  return useLiveValue(read, isSameResult);
}

const isSameResult = sameApartFrom<RobotResult>();

function RobotResultRow({ result, doneText }: { result: RobotResult; doneText: RobotResultListProps["doneText"] }) {
  const { outcome, pending, message } = currentResult(result, useRobotLive(result.robotObjectId));
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
