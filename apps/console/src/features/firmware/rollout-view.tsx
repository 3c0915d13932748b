import { Alert, Box, Button, Group, Progress } from "@mantine/core";
import { rolloutDetails, type RolloutRobot } from "@suncrew/contract/firmware/firmware.ts";
import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import { IconArrowLeft, IconPlayerPause, IconPlayerPlay, IconRotate, IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { routeQuery } from "../../platform/api/route-query.ts";
import { confirm, type Question } from "../../platform/confirm/confirm.ts";
import { QueryState } from "../../platform/query-state.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
import { Cell, VirtualTable } from "../../ui/virtual-table.tsx";
import { changeRollout, deployAgain } from "./firmware-calls.ts";
import type { FirmwareDialog } from "./firmware-dialogs.tsx";
import {
  againQuestion,
  cancelQuestion,
  figuresOf,
  figuresText,
  inOrder,
  resumeQuestion,
  type RolloutFigures,
} from "./rollout-facts.ts";
import { robotLook, rolloutLook } from "./firmware-looks.ts";
import { ToolButton } from "../../ui/tool-button.tsx";
import shared from "../../ui/shared.module.css";
import classes from "./rollouts-dialog.module.css";

interface RolloutViewProps {
  readonly rolloutId: number;
  readonly isNarrow: boolean;
  readonly onShow: (dialog: FirmwareDialog) => void;
}

/** One rollout in progress, robot by robot. */
export function RolloutView({ rolloutId, onShow, ...rest }: RolloutViewProps) {
  const query = useQuery({ ...routeQuery(rolloutDetails, { params: { rolloutId } }), refetchOnMount: "always" });
  return (
    <>
      <Button
        variant="subtle"
        color="gray"
        size="compact-sm"
        className={classes["back"] ?? ""}
        leftSection={<IconArrowLeft size={14} aria-hidden />}
        onClick={() => onShow({ kind: "list" })}
      >
        All rollouts
      </Button>
      <QueryState
        query={query}
        loading={<SkeletonLines label="Loading the rollout" lines={8} lineHeightPx={36} />}
        failed="The rollout could not be loaded."
      >
        {(data) => <Details rollout={data} onShow={onShow} {...rest} />}
      </QueryState>
    </>
  );
}

interface DetailsProps extends Omit<RolloutViewProps, "rolloutId"> {
  readonly rollout: ResponseOf<typeof rolloutDetails>;
}

function Details({ rollout, isNarrow, onShow }: DetailsProps) {
  const [busy, setBusy] = useState<string | null>(null);
  const robots = useMemo(() => inOrder(rollout.robots), [rollout.robots]);
  const figures = figuresOf(rollout);
  const again = robots.filter(({ state, gave_up }) => state === "FAILED" || gave_up).map(({ robot_id }) => robot_id);
  const isOpen = rollout.state === "RUNNING" || rollout.state === "PAUSED";

  const run = async (what: string, question: Question | null, action: () => Promise<void>) => {
    if (busy !== null) return;
    if (question !== null && !(await confirm(question))) return;
    setBusy(what);
    await action();
    setBusy(null);
  };
  const deployToRest = async () => {
    const { firmware_id, batch_size, failure_threshold_percent, deadline_minutes, wait_limit_hours } = rollout;
    const settings = { batch_size, failure_threshold_percent, deadline_minutes, wait_limit_hours };
    const rolloutId = await deployAgain({ firmware_id, robot_ids: again, ...settings });
    if (rolloutId !== null) onShow({ kind: "rollout", rolloutId });
  };
  const { id } = rollout;

  return (
    <>
      <Group gap="8px 16px" align="stretch" justify="space-between" flex="none">
        <Box flex="1 1 320px" miw={0}>
          <h3 className={classes["title"]}>
            Firmware {rollout.version} <StateBadge look={rolloutLook(rollout)} />
          </h3>
          <p className={`${shared["muted"]} ${classes["quiet"]}`}>
            {rollout.file_name}, <RelativeTime at={rollout.created_at} /> by {rollout.created_by}. One first, then{" "}
            {rollout.batch_size} at a time; pauses above {rollout.failure_threshold_percent} % failed. Each robot has{" "}
            {rollout.deadline_minutes} min from its offer to install it; one that cannot be offered it is waited for up
            to {rollout.wait_limit_hours} h.
          </p>
        </Box>
        <div className={classes["actions"]}>
          {rollout.state === "RUNNING" && (
            <ToolButton
              icon={IconPlayerPause}
              loading={busy === "pause"}
              // Not confirmed: pausing starts nothing.
              onClick={() => void run("pause", null, () => changeRollout(id, "PAUSE"))}
            >
              Pause
            </ToolButton>
          )}
          {rollout.state === "PAUSED" && (
            <ToolButton
              icon={IconPlayerPlay}
              variant="filled"
              loading={busy === "resume"}
              onClick={() => void run("resume", resumeQuestion(rollout), () => changeRollout(id, "RESUME"))}
            >
              Resume
            </ToolButton>
          )}
          {isOpen && (
            <ToolButton
              icon={IconX}
              loading={busy === "cancel"}
              onClick={() => void run("cancel", cancelQuestion(rollout), () => changeRollout(id, "CANCEL"))}
            >
              Cancel
            </ToolButton>
          )}
          {!isOpen && again.length > 0 && (
            <ToolButton
              icon={IconRotate}
              variant="filled"
              loading={busy === "again"}
              onClick={() => void run("again", againQuestion(rollout, again.length), deployToRest)}
            >
              Deploy again to {again.length.toLocaleString("en-GB")}{" "}
              {again.length === figures.failed ? "failed" : again.length === 1 ? "robot" : "robots"}
            </ToolButton>
          )}
        </div>
      </Group>
      {rollout.reason !== null && (
        <Alert color="yellow" p="xs" mt="xs" classNames={{ message: classes["why"] ?? "" }}>
          {rollout.reason}
        </Alert>
      )}
      <Box display="grid" flex="none" mt={12} style={{ gap: 6 }}>
        <RolloutBar figures={figures} />
        <Box component="span" fz={13} lh="18px" role="status">
          {figuresText(figures)}
        </Box>
      </Box>
      <RolloutRobots
        robots={robots}
        version={rollout.version}
        deadlineMinutes={rollout.deadline_minutes}
        isNarrow={isNarrow}
      />
    </>
  );
}

/** How many robots are done, failed and in progress, of all; the text beside it says the same. */
export function RolloutBar({ figures }: { figures: RolloutFigures }) {
  const share = (count: number) => (figures.all === 0 ? 0 : (100 * count) / figures.all);
  return (
    <Progress.Root size={8} role="img" aria-label={figuresText(figures)}>
      <Progress.Section value={share(figures.done)} color="var(--sc-status-good-fg)" aria-hidden />
      <Progress.Section value={share(figures.failed)} color="var(--sc-status-poor-fg)" aria-hidden />
      <Progress.Section value={share(figures.underWay)} color="var(--sc-status-calm-fg)" striped animated aria-hidden />
      <Progress.Section value={share(figures.leftOut)} color="var(--sc-border-strong)" aria-hidden />
    </Progress.Root>
  );
}

const ROW_PX = 44;
const NARROW_ROW_PX = 92;

interface RolloutRobotsProps {
  readonly robots: readonly RolloutRobot[];
  readonly version: string;
  readonly deadlineMinutes: number;
  readonly isNarrow: boolean;
}

/** A row for each robot of a rollout; only the visible ones are rendered. */
function RolloutRobots({ robots, version, deadlineMinutes, isNarrow }: RolloutRobotsProps) {
  return (
    <VirtualTable
      label="Robots of the rollout"
      columns={["Robot", "Site", "State", "Version", "Details", "Ended"]}
      rows={robots}
      keyOf={(robot) => robot.robot_id}
      rowPx={isNarrow ? NARROW_ROW_PX : ROW_PX}
      isNarrow={isNarrow}
      className={classes["table"]}
      rowClassName={classes["row"]}
    >
      {(robot) => <RobotCells robot={robot} version={version} deadlineMinutes={deadlineMinutes} />}
    </VirtualTable>
  );
}

function Offered({ at, deadlineMinutes }: { at: string; deadlineMinutes: number }) {
  return (
    <>
      Offered <RelativeTime at={at} />, has {deadlineMinutes} min from then
    </>
  );
}

interface RobotCellsProps extends Pick<RolloutRobotsProps, "version" | "deadlineMinutes"> {
  readonly robot: RolloutRobot;
}

function RobotCells({ robot, version, deadlineMinutes }: RobotCellsProps) {
  const { from_version: from, state, reason, offered_at: offeredAt, ended_at: endedAt } = robot;
  return (
    <>
      <Cell area="robot" isCut className={classes["robot"]} title={robot.robot_name}>
        {robot.serial_number}
        {robot.canary && <span className={`${shared["tag"]} ${classes["first"]}`}>first</span>}
      </Cell>
      <Cell area="site" isCut className={classes["site"]} title={robot.site_name}>
        {robot.site_name}
      </Cell>
      <Cell area="state" className={classes["state"]}>
        <StateBadge look={robotLook(robot)} />
      </Cell>
      <Cell area="version" isCut className={classes["version"]}>
        {state === "DONE" ? `${from ?? "?"} → ${version}` : (from ?? "–")}
      </Cell>
      <Cell area="reason" className={classes["reason"]} title={reason ?? undefined}>
        {reason ??
          (endedAt === null && offeredAt !== null ? <Offered at={offeredAt} deadlineMinutes={deadlineMinutes} /> : "")}
      </Cell>
      <Cell area="ended" className={`${shared["muted"]} ${classes["ended"]}`}>
        {endedAt === null ? "" : <RelativeTime at={endedAt} />}
      </Cell>
    </>
  );
}
