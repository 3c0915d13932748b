import { Button, Group as Row, Progress, Text } from "@mantine/core";
import type { RobotResult } from "@suncrew/contract/groups/groups.ts";
import { groupSuccessMessage, robotCountText } from "@suncrew/domain/groups/groups.ts";
import { IconPlayerStopFilled, IconRefresh } from "@tabler/icons-react";
import { Dialog } from "../../ui/dialog.tsx";
import { RobotResultList, type StartOrStop, useCurrentResults } from "../commands/public.ts";
import shared from "../../ui/shared.module.css";
import classes from "./result-dialog.module.css";

/** A Start or Stop of many robots by this browser. */
export interface ManyAction {
  readonly verb: StartOrStop;
  readonly robotIds: readonly number[];
  readonly isUnderWay: boolean;
  readonly results: readonly RobotResult[];
  /** Why a call failed; null if none did. */
  readonly failure: string | null;
}

const words = {
  START: { title: "Start robots", doing: "Starting", done: "started", doneText: "Has started.", imperative: "Start" },
  STOP: { title: "Stop robots", doing: "Stopping", done: "stopped", doneText: "Has stopped.", imperative: "Stop" },
} as const;

/** More results than these are named only where a robot did not do as told. */
const MAX_NAMED = 300;

export interface ResultDialogProps {
  readonly action: ManyAction;
  readonly onAgain: (robotIds: readonly number[]) => void;
  /** Stops the robots that are being started. */
  readonly onStop: () => void;
  readonly onClose: () => void;
}

/** A command for many robots, robot by robot: those that somebody may have to walk to come first. */
export function ResultDialog({ action, onAgain, onStop, onClose }: ResultDialogProps) {
  const { verb, robotIds, isUnderWay, failure } = action;
  const { title, doing, done, doneText, imperative } = words[verb];
  const results = useCurrentResults(action.results);
  const answered = new Set(results.map(({ robotObjectId }) => robotObjectId));
  const failed = results.filter(({ outcome }) => outcome === "FAILED").map(({ robotObjectId }) => robotObjectId);
  const again = isUnderWay ? [] : [...failed, ...robotIds.filter((id) => !answered.has(id))];
  const pending = results.filter((result) => result.pending).length;
  const named = worstFirst(action.results).slice(0, MAX_NAMED);
  return (
    <Dialog onClose={onClose} title={title} size="lg" fullScreenBelow="48em">
      <div role="status" className={classes["summary"]}>
        <Text size="sm" fw={600}>
          {isUnderWay
            ? `${doing} ${robotCountText(robotIds.length)}...`
            : results.length > 0 && groupSuccessMessage(results, done)}
        </Text>
        {pending > 0 && (
          <Text size="sm">For {robotCountText(pending)} the STOP is stored and sent again until confirmed.</Text>
        )}
        {failure !== null && (
          <Text size="sm" c="var(--sc-status-poor-fg)">
            {robotCountText(robotIds.length - results.length)} not reached. {failure}
          </Text>
        )}
      </div>
      {isUnderWay && robotIds.length > results.length && (
        <Progress
          my={8}
          size="sm"
          value={(100 * results.length) / robotIds.length}
          animated
          aria-label={`${results.length} of ${robotIds.length} answered`}
        />
      )}
      {named.length > 0 && (
        <div className={`${shared["inset"]} ${classes["results"]}`} role="group" aria-label="Results" tabIndex={0}>
          <RobotResultList label="Result for each robot" results={named} doneText={() => doneText} />
          {results.length > named.length && (
            <p className={shared["muted"]}>
              and {(results.length - named.length).toLocaleString("en-GB")} more,{" "}
              {failed.length > MAX_NAMED ? "not" : "all"} {done}
            </p>
          )}
        </div>
      )}
      <Row justify="flex-end" mt="md" gap="xs">
        {isUnderWay && verb === "START" && (
          <Button color="red" leftSection={<IconPlayerStopFilled size={14} aria-hidden />} onClick={onStop}>
            Stop {robotCountText(robotIds.length)}
          </Button>
        )}
        {again.length > 0 && (
          <Button
            variant="light"
            {...(verb === "STOP" && { color: "red" })}
            leftSection={<IconRefresh size={14} aria-hidden />}
            onClick={() => onAgain(again)}
          >
            {imperative} {robotCountText(again.length)} again
          </Button>
        )}
        <Button variant="default" onClick={onClose} data-autofocus>
          Close
        </Button>
      </Row>
    </Dialog>
  );
}

/** The order stays when robots confirm later. */
function worstFirst(results: readonly RobotResult[]): readonly RobotResult[] {
  const rank = { FAILED: 0, SKIPPED: 1, SUCCESS: 2 };
  return results.toSorted((one, other) => rank[one.outcome] - rank[other.outcome]);
}
