import { ActionIcon, Anchor, Button, Popover, VisuallyHidden } from "@mantine/core";
import { may } from "@suncrew/domain/auth/permissions.ts";
import { IconInfoCircle } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import { paths } from "../../platform/paths.ts";
import { useSignedIn } from "../../platform/session/use-session.ts";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
import { StatusIcon } from "../../ui/status-icon.tsx";
import { RobotAlertsLink, severityLook } from "../alerts/public.ts";
import { LastRunFact, RunNotBegunLine } from "../runs/public.ts";
import classes from "./robot-card.module.css";
import type { RobotView } from "./robot-view.ts";

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });

/** The library names a popover by its button; empty, its own label counts, which names the robot. */
const NOT_ITS_BUTTON = "";

function Ago({ at, otherwise }: { at: Date | null; otherwise: string }) {
  return at === null ? otherwise : <RelativeTime at={at.toISOString()} />;
}

/** §2 Robot info popover: firmware, installed date, last updated, last cleaned. */
export function RobotInfo({ robot }: { robot: RobotView }) {
  const { role } = useSignedIn();
  const facts: readonly (readonly [string, ReactNode])[] = [
    ["Firmware", robot.firmware],
    ["Installed", day.format(new Date(robot.installationDate))],
    ["Last updated", robot.mock?.timestamp ?? <Ago key="updated" at={robot.lastUpdatedAt} otherwise="Never" />],
    ["Last cleaned", <Ago key="cleaned" at={robot.lastCleanedAt} otherwise="Never" />],
    ["Last run", <LastRunFact key="run" lastRun={robot.lastRun} />],
    ...(robot.runNotBegun === null
      ? []
      : ([["Not started", <RunNotBegunLine key="not" run={robot.runNotBegun} />]] as const)),
    ["Main motor", `${robot.mainMotorSpeed} %`],
    ["Brush motor", `${robot.brushMotorSpeed} %`],
  ];
  return (
    <Popover withArrow shadow="md" trapFocus returnFocus width={270}>
      <Popover.Target>
        <ActionIcon variant="subtle" color="gray" size={28} aria-label="Robot info">
          <IconInfoCircle size={18} aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-labelledby={NOT_ITS_BUTTON} aria-label={`Info on robot ${robot.serialNumber}`}>
        <dl className={classes["facts"]}>
          {facts.map(([term, value]) => (
            <div key={term} style={{ display: "contents" }}>
              <dt>{term}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        {may(role, "viewActivity") && (
          <Anchor
            component={Link}
            to={paths.activity({ siteId: robot.siteId, robotId: robot.id })}
            size="sm"
            mt="xs"
            display="block"
          >
            Activity log of this robot
          </Anchor>
        )}
      </Popover.Dropdown>
    </Popover>
  );
}

/** The alerts count; opens the list of their texts, worst first. */
export function RobotAlerts({ robot }: { robot: RobotView }) {
  const [isOpen, setOpen] = useState(false);
  const count = robot.alerts.length;
  const [worst] = robot.alerts;
  if (worst === undefined) return <span className={classes["noAlerts"]}>0 alerts</span>;
  const label = count === 1 ? "1 alert" : `${count} alerts`;
  const look = severityLook[worst.severity];
  return (
    <Popover withArrow shadow="md" trapFocus returnFocus width={280} opened={isOpen} onChange={setOpen}>
      <Popover.Target>
        <Button
          variant="subtle"
          color="gray"
          size="compact-xs"
          h={28}
          leftSection={
            <>
              <StatusIcon look={look} size={14} />
              <VisuallyHidden>{look.label}: </VisuallyHidden>
            </>
          }
          onClick={() => setOpen((was) => !was)}
        >
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-labelledby={NOT_ITS_BUTTON} aria-label={`Alerts of robot ${robot.serialNumber}`}>
        <ul className={classes["alerts"]} tabIndex={-1} data-autofocus>
          {robot.alerts.map(({ text, severity }, nth) => (
            // oxlint-disable-next-line react/no-array-index-key -- two alerts may say the same
            <li key={nth}>
              <StateBadge look={severityLook[severity]} />
              <span>{text}</span>
            </li>
          ))}
        </ul>
        <RobotAlertsLink robotId={robot.id} serialNumber={robot.serialNumber} onOpen={() => setOpen(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}
