import { Button, Group as Row, Text } from "@mantine/core";
import type { Group } from "@suncrew/contract/groups/groups.ts";
import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { useLiveStatus } from "../../platform/live/live.ts";
import { useReportedRobotViews } from "../robots/public.ts";
import { type StartForecast, startForecastOf } from "./group-forecast.ts";
import { robotsText } from "./group-meaning.ts";
import { SerialNumbers } from "./serial-numbers.tsx";
import classes from "./start-all-dialog.module.css";
import { Dialog } from "../../ui/dialog.tsx";

export interface StartAllDialogProps {
  readonly group: Group;
  /** The members to be started. */
  readonly rows: readonly RobotWithSettings[];
  readonly onClose: () => void;
  readonly onStart: () => void;
}

/** Start All asks first: how many robots will move, which may refuse, and which will be skipped and why. It stays true while it is open. */
export function StartAllDialog({ group, rows, onClose, onStart }: StartAllDialogProps) {
  const { moving, doubtful, skipped } = startForecastOf(useReportedRobotViews(rows));
  const isLive = useLiveStatus() === "live";
  const count = moving.length + doubtful.length;
  return (
    <Dialog onClose={onClose} title={`Start all robots of "${group.group_name}"?`}>
      <div role="status">
        <Text size="sm" fw={600}>
          {count === 0 ? "No robot will move." : moving.length > 0 && `${robotsText(moving.length)} will move.`}
        </Text>
        {moving.length > 0 && (
          <p className={classes["serials"]} tabIndex={0}>
            <SerialNumbers serials={moving.map((robot) => robot.serialNumber)} />
          </p>
        )}
        <Reasons title={`${robotsText(doubtful.length)} may refuse:`} robots={doubtful} />
        <Reasons title={`${robotsText(skipped.length)} will be skipped:`} robots={skipped} />
        {!isLive && (
          <Text size="sm" c="dimmed" mt="sm">
            Live updates are interrupted: this may no longer be so.
          </Text>
        )}
      </div>
      <Row justify="flex-end" mt="lg" gap="xs">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button onClick={onStart} data-autofocus>
          {count === 0 ? "Try anyway" : `Start ${robotsText(count)}`}
        </Button>
      </Row>
    </Dialog>
  );
}

function Reasons({ title, robots }: { readonly title: string; readonly robots: StartForecast["skipped"] }) {
  if (robots.length === 0) return null;
  return (
    <>
      <Text size="sm" fw={600} mt="sm">
        {title}
      </Text>
      <ul className={classes["skipped"]} tabIndex={0}>
        {robots.map(({ robot, reason }) => (
          <li key={robot.id}>
            <strong>{robot.serialNumber}</strong> {reason}
          </li>
        ))}
      </ul>
    </>
  );
}
