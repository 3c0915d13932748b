import { Button, Group as Row } from "@mantine/core";
import type { ManyRobotsResponse } from "@suncrew/contract/groups/groups.ts";
import { StateBadge } from "../../ui/state-badge.tsx";
import { lookOfResult } from "./maintenance-meaning.ts";
import classes from "./maintenance.module.css";

export interface RobotResultsProps {
  readonly answer: ManyRobotsResponse;
  readonly isBusy: boolean;
  /** Robots that have what was asked are passed over by the server. */
  readonly onAgain: () => void;
  readonly onClose: () => void;
}

/** What came of each robot, by name and reason. */
export function RobotResults({ answer, isBusy, onAgain, onClose }: RobotResultsProps) {
  const hasFailed = answer.results.some(({ outcome, pending }) => outcome === "FAILED" && !pending);
  return (
    <div className={classes["form"]}>
      <p className={classes["text"]} role="status">
        {answer.message}
      </p>
      <ul className={classes["results"]} aria-label="Results">
        {answer.results.map((result) => (
          <li key={result.robotObjectId}>
            <strong>{result.robotId}</strong>
            <StateBadge look={lookOfResult(result)} />
            <span>{result.message}</span>
          </li>
        ))}
      </ul>
      <Row justify="flex-end" gap="xs">
        {hasFailed && (
          <Button variant="light" loading={isBusy} onClick={onAgain}>
            Try Again
          </Button>
        )}
        <Button variant="default" onClick={onClose} data-autofocus>
          Close
        </Button>
      </Row>
    </div>
  );
}
