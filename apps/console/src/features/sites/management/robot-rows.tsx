import { Button, NativeSelect } from "@mantine/core";
import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { IconFilterOff, IconPlus, IconRobot } from "@tabler/icons-react";
import { useState } from "react";
import { DisabledReason } from "../../../ui/disabled-reason.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { FailedState } from "../../../ui/failed-state.tsx";
import { SkeletonLines } from "../../../ui/skeletons.tsx";
import { VirtualGrid } from "../../../ui/virtual-grid.tsx";
import { DeployFirmwareButton } from "../../firmware/public.ts";
import { DeleteRobotDialog, ROBOT_FILTERS, RobotDialog, robotFilterWord } from "../../robots/public.ts";
import type { SiteRobots } from "../../robots/public.ts";
import { RobotRow } from "./robot-row.tsx";
import classes from "./robot-rows.module.css";
import { useRobotFilter } from "./use-robot-filter.ts";

const MIN_ROW_PX = 480;
const ROW_PX = 58;
const keyOf = (row: RobotWithSettings) => row.robot_id;

export interface RobotRowsProps {
  readonly site: Site;
  readonly robots: SiteRobots;
}

/** §2 Site Management page, Individual Robots tab: the robots of the site, one row each, and what is done with them. */
export function RobotRows({ site, robots }: RobotRowsProps) {
  const { filter, setFilter, shown } = useRobotFilter(robots.rows);
  // Held here, for a row that is scrolled away does not exist.
  const [open, setOpen] = useState<{ readonly robot: RobotWithSettings | null } | null>(null);
  const [deleted, setDeleted] = useState<RobotWithSettings | null>(null);
  const isLoaded = robots.state === "loaded";
  const count = filter === "all" ? String(robots.rows.length) : `${shown.length} of ${robots.rows.length} robots`;
  const missing = isLoaded ? null : "The robots of the site are not known yet.";

  return (
    <>
      <div className={classes["head"]}>
        <h3 className={classes["heading"]}>Cleaning Robots{isLoaded && ` (${count})`}</h3>
        <div className={classes["tools"]}>
          <NativeSelect
            size="xs"
            aria-label="Filter by status"
            className={classes["filter"]}
            value={filter}
            data={ROBOT_FILTERS.map((value) => ({ value, label: robotFilterWord[value] }))}
            onChange={(event) => setFilter(event.currentTarget.value)}
          />
          <DeployFirmwareButton missing={missing} className={classes["deploy"]} />
          <DisabledReason reason={missing}>
            <Button
              size="xs"
              className={classes["add"]}
              leftSection={<IconPlus size={14} aria-hidden />}
              aria-haspopup="dialog"
              onClick={() => setOpen({ robot: null })}
            >
              Add New Robot
            </Button>
          </DisabledReason>
        </div>
      </div>
      {robots.state === "loading" ? (
        <SkeletonLines label="Loading robots" lines={4} lineHeightPx={ROW_PX} />
      ) : robots.state === "failed" ? (
        <FailedState title="The robots could not be loaded." onRetry={robots.retry} retrying={robots.isRetrying} />
      ) : robots.rows.length === 0 ? (
        <EmptyState title="No robots assigned to this site yet." icon={<IconRobot size={32} stroke={1.5} />} />
      ) : shown.length === 0 ? (
        <EmptyState
          title={`No robots found with status "${robotFilterWord[filter]}".`}
          icon={<IconFilterOff size={32} stroke={1.5} />}
          action={
            <Button variant="default" size="xs" onClick={() => setFilter("all")}>
              Show all robots
            </Button>
          }
        />
      ) : (
        <VirtualGrid items={shown} keyOf={keyOf} minColumnPx={MIN_ROW_PX} estimatedRowPx={ROW_PX}>
          {(row) => (
            <RobotRow
              row={row}
              onRefresh={robots.refresh}
              onEdit={() => setOpen({ robot: row })}
              onDelete={() => setDeleted(row)}
            />
          )}
        </VirtualGrid>
      )}
      {open !== null && <RobotDialog siteId={site.id} robot={open.robot} onClose={() => setOpen(null)} />}
      {deleted !== null && <DeleteRobotDialog robot={deleted} siteName={site.name} onClose={() => setDeleted(null)} />}
    </>
  );
}
