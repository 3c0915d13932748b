import { ActionIcon, Anchor, Button, VisuallyHidden } from "@mantine/core";
import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { may } from "@suncrew/domain/auth/abilities.ts";
import { IconInfoCircle } from "@tabler/icons-react";
import { memo, useState } from "react";
import { Link } from "react-router";
import { paths } from "../../platform/paths.ts";
import { useSignedIn } from "../../platform/session/use-session.ts";
import { DetailsPopover } from "../../ui/details-popover.tsx";
import { lazyDialog } from "../../ui/lazy-dialog.tsx";
import { Facts } from "../../ui/facts.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
import { StatusIcon } from "../../ui/status-icon.tsx";
import { useNow } from "../../ui/use-now.ts";
import { RobotAlertsLink, severityLook } from "../alerts/public.ts";
import { MaintenanceNote } from "../maintenance/public.ts";
import { MuteButton, MuteControl, MuteDialog, MutedBadge } from "../mutes/public.ts";
import { CardNights, LastCleaningLine, LastRunFact, RunNotBegunLine } from "../runs/public.ts";
import { LiveStatusBadge, RobotBattery, RunBar } from "./robot-badges.tsx";
import shared from "../../ui/shared.module.css";
import classes from "./robot-card.module.css";
import { stopKeyOf } from "./robot-calls.ts";
import { RobotControls } from "./robot-controls.tsx";
import { autoLook, lostLook, maintenanceLook, manualLook, robotActivityOf } from "./robot-looks.ts";
import { alarmOf, type RobotView } from "./robot-view.ts";
import { useRobotView } from "./use-robots.ts";

const RobotSettingsDialog = lazyDialog(
  ({ robot }) => `Robot settings: ${robot.serialNumber}`,
  async () => (await import("./robot-settings-dialog.tsx")).RobotSettingsDialog,
);

interface RobotCardProps {
  readonly row: RobotWithSettings;
  readonly onRefresh: (row: RobotWithSettings) => void;
  /** Shows the last seven nights, too. */
  readonly withNights?: boolean;
}

/** §2 Individual Robots tab: one robot. It renders only for its own robot's changes. */
export const RobotCard = memo(function RobotCard({ row, onRefresh, withNights = false }: RobotCardProps) {
  const robot = useRobotView(row);
  const [isSettingsOpen, setSettingsOpen] = useState(false);
  const [isMuting, setMuting] = useState(false);
  const muteTarget = muteTargetOf(robot);
  const mute = () => setMuting(true);
  const locked = robot.mode === "maintenance" && robot.maintenance !== null;
  const reading = (
    <p className={classes["reading"]}>
      <Reading robot={robot} />
    </p>
  );
  const line = locked ? null : (
    <p className={`${shared["muted"]} ${shared["truncate"]} ${classes["last"]}`}>
      {robot.runNotBegun === null ? (
        <LastCleaningLine lastRun={robot.lastRun} />
      ) : (
        <RunNotBegunLine run={robot.runNotBegun} />
      )}
    </p>
  );
  return (
    <article
      className={`${shared["card"]} ${classes["card"]}`}
      aria-label={robot.serialNumber}
      data-alarm={alarmOf(robot) ?? undefined}
      {...stopKeyOf(robot)}
    >
      <div className={classes["row"]}>
        <div className={classes["title"]}>
          <h3 className={shared["title"]}>
            <Link to={paths.robot(robot.serialNumber)} className={classes["link"]}>
              {robot.serialNumber}
            </Link>
          </h3>
          <span className={`${shared["muted"]} ${shared["truncate"]} ${classes["motor"]}`}>
            {robot.motorType ?? "Motor type not given"}
          </span>
        </div>
        <div className={classes["badges"]}>
          <StateBadge look={robot.groupId === null ? manualLook : autoLook} />
          <MutedBadge siteId={robot.siteId} robotId={robot.id} />
          {robot.mode === "maintenance" && <StateBadge look={maintenanceLook} />}
          {robot.lost !== null && <StateBadge look={lostLook[robot.lost.state]} />}
          <LiveStatusBadge robot={robot} />
        </div>
      </div>
      <div className={classes["row"]}>
        <RobotBattery robot={robot} />
        <RobotAlerts robot={robot} />
        <RobotInfo robot={robot} onMute={mute} />
        <span className={classes["mute"]}>
          <MuteButton target={muteTarget} onMute={mute} />
        </span>
      </div>
      <ActivityLine robot={robot} />
      <div className={classes["below"]}>
        {withNights ? (
          <CardNights
            robotId={robot.id}
            siteId={robot.siteId}
            serialNumber={robot.serialNumber}
            reading={reading}
            line={line}
          />
        ) : (
          <>
            {reading}
            {line}
          </>
        )}
      </div>
      {locked && <MaintenanceNote robot={robot} />}
      <RobotControls robot={robot} onRefresh={() => onRefresh(row)} onSettings={() => setSettingsOpen(true)} />
      {isSettingsOpen && <RobotSettingsDialog robot={robot} onClose={() => setSettingsOpen(false)} />}
      {isMuting && <MuteDialog target={muteTarget} onClose={() => setMuting(false)} />}
    </article>
  );
});

function muteTargetOf({ siteId, id, serialNumber, timezone }: RobotView) {
  return { siteId, robotId: id, name: serialNumber, timezone };
}

/** What the robot is doing. */
function ActivityLine({ robot }: { robot: RobotView }) {
  const activity = robotActivityOf(robot, useNow());
  return (
    <p className={classes["activity"]} data-kind={activity.kind} title={activity.limit}>
      <strong>
        {activity.text}
        {activity.plan !== undefined && (
          <span className={classes["runPercent"]} aria-hidden>
            {activity.plan.percent} %
          </span>
        )}
      </strong>
      <RunBar of={robot.serialNumber} percent={activity.plan?.percent} className={classes["run"]} />
    </p>
  );
}

function Reading({ robot }: { robot: RobotView }) {
  if (robot.mock !== null) return `Last reading: ${robot.mock.timestamp}`;
  if (robot.lastUpdatedAt === null) return "Has not reported yet";
  const at = <RelativeTime at={robot.lastUpdatedAt.toISOString()} />;
  return robot.isStale ? <>Last reading {at}</> : <>Confirmed {at}</>;
}

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });

function Ago({ at, otherwise }: { at: Date | null; otherwise: string }) {
  return at === null ? otherwise : <RelativeTime at={at.toISOString()} />;
}

/** §2 Robot info popover: firmware, installed date, last updated, last cleaned. */
function RobotInfo({ robot, onMute }: { robot: RobotView; onMute: () => void }) {
  return (
    <DetailsPopover
      label={`Info on robot ${robot.serialNumber}`}
      width={270}
      renderOpener={(handlers) => (
        <ActionIcon variant="subtle" color="gray" size={28} aria-label="Robot info" {...handlers}>
          <IconInfoCircle size={18} aria-hidden />
        </ActionIcon>
      )}
    >
      {(close) => (
        <RobotFacts
          robot={robot}
          onMute={() => {
            close();
            onMute();
          }}
        />
      )}
    </DetailsPopover>
  );
}

function RobotFacts({ robot, onMute }: { robot: RobotView; onMute: () => void }) {
  const { role } = useSignedIn();
  const facts = {
    Firmware: robot.firmware,
    Installed: day.format(new Date(robot.installationDate)),
    "Last updated": robot.mock?.timestamp ?? <Ago at={robot.lastUpdatedAt} otherwise="Never" />,
    "Last cleaned": <Ago at={robot.lastCleanedAt} otherwise="Never" />,
    "Last run": <LastRunFact lastRun={robot.lastRun} />,
    "Not started": robot.runNotBegun && <RunNotBegunLine run={robot.runNotBegun} />,
    "Main motor": `${robot.mainMotorSpeed} %`,
    "Brush motor": `${robot.brushMotorSpeed} %`,
  };
  return (
    <>
      <Facts facts={facts} className={classes["facts"]} />
      <div className={classes["actions"]}>
        <MuteControl target={muteTargetOf(robot)} onMute={onMute} />
      </div>
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
    </>
  );
}

/** The alerts count; opens the list of their texts, worst first. */
function RobotAlerts({ robot }: { robot: RobotView }) {
  const count = robot.alerts.length;
  const [worst] = robot.alerts;
  if (worst === undefined) return <span className={`${shared["muted"]} ${classes["noAlerts"]}`}>0 alerts</span>;
  const label = count === 1 ? "1 alert" : `${count} alerts`;
  const look = severityLook[worst.severity];
  return (
    <DetailsPopover
      label={`Alerts of robot ${robot.serialNumber}`}
      width={280}
      renderOpener={(handlers) => (
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
          {...handlers}
        >
          {label}
        </Button>
      )}
    >
      {(close) => (
        <>
          <ul className={classes["alerts"]} tabIndex={-1} data-autofocus>
            {robot.alerts.map(({ text, severity }, nth) => (
              // oxlint-disable-next-line react/no-array-index-key -- two alerts may say the same
              <li key={nth}>
                <StateBadge look={severityLook[severity]} />
                <span>{text}</span>
              </li>
            ))}
          </ul>
          <RobotAlertsLink robotId={robot.id} serialNumber={robot.serialNumber} onOpen={close} />
        </>
      )}
    </DetailsPopover>
  );
}
