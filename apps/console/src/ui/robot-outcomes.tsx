import { Box, Button } from "@mantine/core";
import { IconAlertOctagon, IconCircleCheck } from "@tabler/icons-react";
import { DialogFooter } from "./dialog.tsx";
import type { Look } from "./look.ts";
import shared from "./shared.module.css";
import classes from "./robot-outcomes.module.css";
import { StateBadge } from "./state-badge.tsx";

/** What became of one robot of many. */
export interface RobotOutcome {
  readonly serial: string;
  /** Why it was not done, as a sentence; null if it was. */
  readonly reason: string | null;
}

export interface RobotOutcomesProps {
  readonly outcomes: readonly RobotOutcome[];
  /** What was done, such as "added". */
  readonly done: string;
  readonly isRetrying: boolean;
  /** Tries those again that failed. */
  readonly onRetry: (serials: readonly string[]) => void;
  readonly onClose: () => void;
}

/** What became of each of many robots, those that failed first and with the reason. */
export function RobotOutcomes({ outcomes, done, isRetrying, onRetry, onClose }: RobotOutcomesProps) {
  const failed = outcomes.filter(({ reason }) => reason !== null);
  const count = outcomes.length - failed.length;
  const robots = (number: number) => (number === 1 ? "1 robot" : `${number.toLocaleString("en-GB")} robots`);
  const doneLook: Look = { label: capitalized(done), tone: "good", icon: IconCircleCheck };
  const failedLook: Look = { label: `Not ${done}`, tone: "poor", icon: IconAlertOctagon };
  return (
    <>
      <Box component="p" fz={14} fw={600} role="status">
        {failed.length === 0 ? `${robots(count)} ${done}.` : `${count} of ${robots(outcomes.length)} ${done}.`}
      </Box>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that the keyboard can scroll it */}
      <ul className={classes["list"]} aria-label="Results" tabIndex={0}>
        {[...failed, ...outcomes.filter(({ reason }) => reason === null)].map(({ serial, reason }) => (
          <li key={serial} className={classes["row"]}>
            <span className={shared["name"]}>{serial}</span>
            <StateBadge look={reason === null ? doneLook : failedLook} />
            {reason !== null && <span className={classes["reason"]}>{reason}</span>}
          </li>
        ))}
      </ul>
      <DialogFooter>
        {failed.length > 0 && (
          <Button variant="default" loading={isRetrying} onClick={() => onRetry(failed.map(({ serial }) => serial))}>
            Try again for {robots(failed.length)}
          </Button>
        )}
        <Button onClick={onClose} data-autofocus>
          Close
        </Button>
      </DialogFooter>
    </>
  );
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
