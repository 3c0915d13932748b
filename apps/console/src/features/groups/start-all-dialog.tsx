import { robotCountText } from "@suncrew/domain/groups/groups.ts";
import { Button, Group as Row, Text } from "@mantine/core";
import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { LOW_BATTERY_PERCENT } from "@suncrew/domain/alerts/low-battery.ts";
import { robotCan } from "@suncrew/domain/robots/robot-can.ts";
import { useLiveStatus } from "../../platform/live/live.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { controllableOf, blockedReasonText, type RobotView, useReportedRobotViews } from "../robots/public.ts";
import { SerialNumbers } from "./serial-numbers.tsx";
import classes from "./start-all-dialog.module.css";

export interface StartAllDialogProps {
  readonly title: string;
  /** The robots to be started. */
  readonly rows: readonly RobotWithSettings[];
  readonly onClose: () => void;
  readonly onStart: () => void;
}

/** Of more robots, a list names this many, and how many there are besides. */
const MAX_NAMED = 200;

/**
 * A Start of many asks first: how many robots will move, which may refuse, and which will be skipped and why. It is kept up
 * to date while it is open.
 */
export function StartAllDialog({ title, rows, onClose, onStart }: StartAllDialogProps) {
  const { moving, doubtful, skipped } = startForecastOf(useReportedRobotViews(rows));
  const isLive = useLiveStatus() === "live";
  const count = moving.length + doubtful.length;
  return (
    <Dialog onClose={onClose} title={title}>
      <div role="status">
        <Text size="sm" fw={600}>
          {count === 0
            ? "No robot will move."
            : moving.length > 0 && `${robotCountText(moving.length)}${sitesText(moving)} will move.`}
        </Text>
        {moving.length > 0 && (
          <p className={classes["serials"]} tabIndex={0}>
            <SerialNumbers serials={moving.slice(0, MAX_NAMED).map((robot) => robot.serialNumber)} />
            {moreText(moving)}
          </p>
        )}
        <Reasons title={`${robotCountText(doubtful.length)} may refuse:`} robots={doubtful} />
        <Reasons title={`${robotCountText(skipped.length)} will be skipped:`} robots={skipped} />
        {!isLive && (
          <Text size="sm" c="dimmed" mt="sm">
            Live updates are interrupted: this may be out of date.
          </Text>
        )}
      </div>
      <Row justify="flex-end" mt="lg" gap="xs">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button onClick={onStart} data-autofocus>
          {count === 0 ? "Try anyway" : `Start ${robotCountText(count)}`}
        </Button>
      </Row>
    </Dialog>
  );
}

function moreText(robots: readonly unknown[]): string | null {
  return robots.length <= MAX_NAMED ? null : ` and ${(robots.length - MAX_NAMED).toLocaleString("en-GB")} more`;
}

/** Says at how many sites people may be near a robot; nothing if there is one. */
function sitesText(robots: readonly RobotView[]): string {
  const { size } = new Set(robots.map(({ siteId }) => siteId));
  return size < 2 ? "" : ` at ${size.toLocaleString("en-GB")} sites`;
}

function Reasons({ title, robots }: { readonly title: string; readonly robots: StartForecast["skipped"] }) {
  if (robots.length === 0) return null;
  return (
    <>
      <Text size="sm" fw={600} mt="sm">
        {title}
      </Text>
      <ul className={classes["skipped"]} tabIndex={0}>
        {/* The weather of a site is the reason of all its robots. */}
        {[...Map.groupBy(robots.slice(0, MAX_NAMED), ({ reason }) => reason)].map(([reason, those]) => (
          <li key={reason}>
            <strong>
              <SerialNumbers serials={those.map(({ robot }) => robot.serialNumber)} />
            </strong>{" "}
            {reason}
          </li>
        ))}
        {moreText(robots) !== null && <li>{moreText(robots)}</li>}
      </ul>
    </>
  );
}

/** What Start All would do now: which robots will move, which may refuse, and which will be skipped, and why. */
export interface StartForecast {
  readonly moving: readonly RobotView[];
  /** They are started too; what they show is a reason for robots to refuse. */
  readonly doubtful: readonly { readonly robot: RobotView; readonly reason: string }[];
  readonly skipped: readonly { readonly robot: RobotView; readonly reason: string }[];
}

/** §4 Button enabling: a robot that could not be started by itself is skipped when its group is. */
export function startForecastOf(robots: readonly RobotView[]): StartForecast {
  const moving: RobotView[] = [];
  const doubtful: { robot: RobotView; reason: string }[] = [];
  const skipped: { robot: RobotView; reason: string }[] = [];
  for (const robot of robots) {
    const blockedReason = robotCan.start(controllableOf(robot));
    const doubt = doubtOf(robot);
    if (blockedReason !== null) skipped.push({ robot, reason: blockedReasonText(robot, blockedReason) });
    else if (doubt !== null) doubtful.push({ robot, reason: doubt });
    else moving.push(robot);
  }
  return { moving, doubtful, skipped };
}

function doubtOf({ status, batteryPercent }: RobotView): string | null {
  if (status === "critical") return "It reports a fault.";
  if (batteryPercent === null || batteryPercent >= LOW_BATTERY_PERCENT) return null;
  return `Its battery is at ${Math.round(batteryPercent)} %.`;
}
