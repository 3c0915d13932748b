import { ActionIcon, Tooltip } from "@mantine/core";
import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { IconRefresh, IconRobot } from "@tabler/icons-react";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { FailedState } from "../../../ui/failed-state.tsx";
import { SkeletonLines } from "../../../ui/skeletons.tsx";
import { VirtualGrid } from "../../../ui/virtual-grid.tsx";
import { RobotBatteryBadge, RobotStatusBadge, useRobotView } from "../../robots/public.ts";
import type { SiteRobots } from "../../robots/public.ts";
import classes from "./robot-rows.module.css";

const MIN_ROW_PX = 480;
const ROW_PX = 58;
const keyOf = (row: RobotWithSettings) => row.robot_id;

/** §2 Site Management page, Individual Robots tab: the robots of the site, one row each. */
export function RobotRows({ robots }: { robots: SiteRobots }) {
  if (robots.state === "loading") return <SkeletonLines label="Loading robots" lines={4} lineHeightPx={ROW_PX} />;
  if (robots.state === "failed") {
    return <FailedState title="The robots could not be loaded." onRetry={robots.retry} retrying={robots.isRetrying} />;
  }
  return (
    <>
      <h3 className={classes["heading"]}>Cleaning Robots ({robots.rows.length})</h3>
      {robots.rows.length === 0 ? (
        <EmptyState title="No robots assigned to this site yet." icon={<IconRobot size={32} stroke={1.5} />} />
      ) : (
        <VirtualGrid items={robots.rows} keyOf={keyOf} minColumnPx={MIN_ROW_PX} estimatedRowPx={ROW_PX}>
          {(row) => <RobotRow row={row} onRefresh={robots.refresh} />}
        </VirtualGrid>
      )}
    </>
  );
}

interface RobotRowProps {
  readonly row: RobotWithSettings;
  readonly onRefresh: (row: RobotWithSettings) => void;
}

function RobotRow({ row, onRefresh }: RobotRowProps) {
  const robot = useRobotView(row);
  return (
    <article className={classes["row"]} aria-label={robot.serialNumber}>
      <div className={classes["words"]}>
        <span className={classes["name"]}>{robot.name === "" ? robot.serialNumber : robot.name}</span>
        <span className={classes["facts"]}>
          {robot.serialNumber} · {robot.motorType ?? "Motor type not given"} · Firmware {robot.firmware}
        </span>
      </div>
      <RobotBatteryBadge robot={robot} />
      <RobotStatusBadge robot={robot} />
      <Tooltip label="Refresh status">
        <ActionIcon
          className={classes["refresh"]}
          variant="default"
          size={30}
          aria-label="Refresh status"
          aria-busy={robot.isRefreshing}
          onClick={robot.isRefreshing ? undefined : () => onRefresh(row)}
        >
          <IconRefresh size={16} aria-hidden className={robot.isRefreshing ? classes["turning"] : undefined} />
        </ActionIcon>
      </Tooltip>
    </article>
  );
}
