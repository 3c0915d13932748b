import { Button, Group as Row } from "@mantine/core";
import type { ManyRobotsResponse, RobotResult } from "@suncrew/contract/groups/groups.ts";
import { RobotResultList } from "../commands/public.ts";
import classes from "./maintenance.module.css";

export interface RobotResultsProps {
  readonly answer: ManyRobotsResponse;
  readonly isBusy: boolean;
  /** Some robot failed for which the same can be asked again; the server passes over those that have it. */
  readonly canRetry: boolean;
  readonly onAgain: () => void;
  readonly onClose: () => void;
}

/** What came of each robot, by name and reason. */
export function RobotResults({ answer, isBusy, canRetry, onAgain, onClose }: RobotResultsProps) {
  return (
    <div className={classes["form"]}>
      <p className={classes["text"]} role="status">
        {answer.message}
      </p>
      {/* A long list scrolls, so the keyboard must be able to enter it. */}
      <div className={classes["results"]} role="group" aria-label="What came of each robot" tabIndex={0}>
        <RobotResultList label="Results" results={openFirst(answer.results)} />
      </div>
      <Row justify="flex-end" gap="xs">
        {canRetry && (
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

/** Those without the robot's confirmation come first; the order stays when they are told as done later. */
function openFirst(results: readonly RobotResult[]): readonly RobotResult[] {
  const isOpen = ({ outcome, pending }: RobotResult) => outcome !== "SUCCESS" || pending;
  return results.toSorted((a, b) => Number(isOpen(b)) - Number(isOpen(a)));
}
