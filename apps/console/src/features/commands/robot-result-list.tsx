import type { RobotResult } from "@suncrew/contract/groups/groups.ts";
import { type ReactNode, useCallback } from "react";
import { liveStore, sameApartFrom, useLiveValue, useRobotLive } from "../../platform/live/live.ts";
import { StateBadge } from "../../ui/state-badge.tsx";
import { pendingLook, robotOutcomeLook } from "./command-looks.ts";
import shared from "../../ui/shared.module.css";
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
    <RobotLine serial={result.robotId} badge={<StateBadge look={pending ? pendingLook : robotOutcomeLook[outcome]} />}>
      {outcome === "SUCCESS" && !pending ? (doneText?.(result) ?? message) : message}
    </RobotLine>
  );
}

interface RobotLineProps {
  readonly serial: string;
  readonly badge: ReactNode;
  /** The badge is the one that the result's badge replaces, in the same place. */
  readonly isBefore?: boolean;
  readonly children: ReactNode;
}

/** One robot of such a list: nothing jumps when its result replaces its progress. */
export function RobotLine({ serial, badge, isBefore = false, children }: RobotLineProps) {
  return (
    <li className={classes["row"]} data-before={isBefore || undefined}>
      <span className={shared["name"]}>{serial}</span>
      {badge}
      <span className={classes["message"]}>{children}</span>
    </li>
  );
}
