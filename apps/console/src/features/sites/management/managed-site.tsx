import { Box, Button, Checkbox, Group, NativeSelect, Tabs } from "@mantine/core";
import "@mantine/core/styles/Checkbox.layer.css";
import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { energyFactTexts } from "@suncrew/domain/sites/site-energy-facts.ts";
import {
  type Icon,
  IconArrowRight,
  IconEdit,
  IconFilterOff,
  IconPlus,
  IconRefresh,
  IconRobot,
  IconTool,
  IconTrash,
  IconUsersGroup,
} from "@tabler/icons-react";
import { useCallback, useState } from "react";
import { hasSameItems } from "../../../platform/live/live.ts";
import { useUrlDialog, useUrlParams } from "../../../platform/url-params.tsx";
import { DisabledReason } from "../../../ui/disabled-reason.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { IconButton } from "../../../ui/icon-button.tsx";
import { FailedState } from "../../../ui/failed-state.tsx";
import { SkeletonLines } from "../../../ui/skeletons.tsx";
import { VirtualGrid } from "../../../ui/virtual-grid.tsx";
import { DeployFirmwareButton } from "../../firmware/public.ts";
import { RobotGroupsCard } from "../../groups/public.ts";
import {
  awaitsFirstConnection,
  DeleteRobotDialog,
  FIRST_CONNECTION_TEXT,
  firmwareText,
  type ManyRobotsAction,
  ManyRobotsDialog,
  matchesFilter,
  ROBOT_FILTERS,
  RobotBatteryBadge,
  RobotDialog,
  type RobotFilter,
  robotFilterOf,
  robotFilterLabel,
  RobotStatusBadge,
  type RobotView,
  type SiteRobots,
  stopKeyOf,
  useRobotView,
  useRobotsValue,
  useSiteRobots,
} from "../../robots/public.ts";
import { SiteFacts } from "../site-facts.tsx";
import shared from "../../../ui/shared.module.css";
import classes from "./robot-rows.module.css";
import { ToolButton } from "../../../ui/tool-button.tsx";
import type { ManagedTab } from "./sites-url.ts";

/** §2 Site Management page, right card: the selected site with its robots and its groups. */
export function ManagedSite({ site, tab, onTab }: { site: Site; tab: ManagedTab; onTab: (tab: ManagedTab) => void }) {
  const robots = useSiteRobots(site.id);
  return (
    <>
      <SiteFacts site={site} robots={robots} />
      <EnergyFactsLine site={site} />
      <Tabs
        value={tab}
        onChange={(value) => onTab(value === "groups" ? "groups" : "robots")}
        keepMounted={false}
        mt="sm"
      >
        <Tabs.List mb="sm">
          <Tabs.Tab value="robots">Individual Robots</Tabs.Tab>
          <Tabs.Tab value="groups">Robot Groups</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="robots">
          <RobotRows site={site} robots={robots} />
        </Tabs.Panel>
        <Tabs.Panel value="groups">
          <RobotGroupsCard site={site} robots={robots} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

/** What is known of the site's energy and of the price of cleaning; nothing if nothing is. */
function EnergyFactsLine({ site }: { readonly site: Site }) {
  const texts = energyFactTexts(site);
  if (texts.length === 0) return null;
  return (
    <Box component="p" fz={13} lh="20px" c="dimmed" mt={4}>
      Energy: {texts.join(", ")}
    </Box>
  );
}

const MIN_ROW_PX = 480;
const ROW_PX = 58;
const keyOf = (row: RobotWithSettings) => row.robot_id;

/** §2 Site Management page, Individual Robots tab: the robots of the site, one row each, with their actions. */
function RobotRows({ site, robots }: { readonly site: Site; readonly robots: SiteRobots }) {
  const { filter, setFilter, shown } = useRobotFilter(robots.rows);
  // Kept here, because a row that is scrolled away is not rendered.
  const [open, setOpen] = useState<{ readonly robot: RobotWithSettings | null } | null>(null);
  const [isAdding, showAdd] = useUrlDialog("add-robot");
  const [deleted, setDeleted] = useState<RobotWithSettings | null>(null);
  const [selectedIds, setSelectedIds] = useState<ReadonlySet<number>>(new Set());
  const [action, setAction] = useState<ManyRobotsAction | null>(null);
  const selected = robots.rows.filter(({ robot_id }) => selectedIds.has(robot_id));
  const select = useCallback((ids: readonly number[], isSelected: boolean) => {
    setSelectedIds((now) => {
      const next = new Set(now);
      for (const id of ids)
        if (isSelected) next.add(id);
        else next.delete(id);
      return next;
    });
  }, []);
  const isLoaded = robots.state === "loaded";
  const count =
    filter === "all" ? number(robots.rows.length) : `${number(shown.length)} of ${number(robots.rows.length)} robots`;
  const missing = isLoaded ? null : "The robots of the site are not known yet.";

  return (
    <>
      <Group gap={8} justify="space-between" mb={10}>
        <Box component="h3" fz={14} fw={650} lh="20px">
          Cleaning Robots{isLoaded && ` (${count})`}
        </Box>
        <div className={classes["tools"]}>
          <NativeSelect
            size="xs"
            aria-label="Filter by status"
            className={classes["filter"]}
            value={filter}
            data={ROBOT_FILTERS.map((value) => ({ value, label: robotFilterLabel[value] }))}
            onChange={(event) => setFilter(event.currentTarget.value)}
          />
          <DeployFirmwareButton missing={missing} className={`${shared["touch"]} ${classes["deploy"]}`} />
          <DisabledReason reason={missing}>
            <ToolButton
              icon={IconPlus}
              variant="filled"
              className={shared["touch"]}
              aria-haspopup="dialog"
              onClick={() => setOpen({ robot: null })}
            >
              Add New Robot
            </ToolButton>
          </DisabledReason>
        </div>
      </Group>
      {shown.length > 0 && <SelectionBar shown={shown} selected={selected} onSelect={select} onAction={setAction} />}
      {robots.state === "loading" ? (
        <SkeletonLines label="Loading robots" lines={4} lineHeightPx={ROW_PX} />
      ) : robots.state === "failed" ? (
        <FailedState title="The robots could not be loaded." onRetry={robots.retry} retrying={robots.isRetrying} />
      ) : robots.rows.length === 0 ? (
        <EmptyState title="No robots assigned to this site yet." icon={<IconRobot size={32} stroke={1.5} />} />
      ) : shown.length === 0 ? (
        <EmptyState
          title={`No robots found with status "${robotFilterLabel[filter]}".`}
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
              isSelected={selectedIds.has(row.robot_id)}
              onSelect={select}
              onRefresh={robots.refresh}
              onEdit={() => setOpen({ robot: row })}
              onDelete={() => setDeleted(row)}
            />
          )}
        </VirtualGrid>
      )}
      {open !== null && <RobotDialog siteId={site.id} robot={open.robot} onClose={() => setOpen(null)} />}
      {isAdding && <RobotDialog siteId={site.id} robot={null} onClose={() => showAdd(false)} />}
      {action !== null && (
        <ManyRobotsDialog key={action} action={action} robots={selected} site={site} onClose={() => setAction(null)} />
      )}
      {deleted !== null && <DeleteRobotDialog robot={deleted} siteName={site.name} onClose={() => setDeleted(null)} />}
    </>
  );
}

const ACTIONS: readonly { readonly action: ManyRobotsAction; readonly label: string; readonly icon: Icon }[] = [
  { action: "move", label: "Move", icon: IconArrowRight },
  { action: "group", label: "Add to group", icon: IconUsersGroup },
  { action: "lock", label: "Maintenance", icon: IconTool },
  { action: "update", label: "Update", icon: IconEdit },
  { action: "delete", label: "Delete", icon: IconTrash },
];

interface SelectionBarProps {
  readonly shown: readonly RobotWithSettings[];
  readonly selected: readonly RobotWithSettings[];
  readonly onSelect: (ids: readonly number[], isSelected: boolean) => void;
  readonly onAction: (action: ManyRobotsAction) => void;
}

const number = (count: number) => count.toLocaleString("en-GB");

/** Chooses all robots that are shown, and what to do with the chosen ones. */
function SelectionBar({ shown, selected, onSelect, onAction }: SelectionBarProps) {
  const ids = shown.map(({ robot_id }) => robot_id);
  const chosen = new Set(selected.map(({ robot_id }) => robot_id));
  const isAll = ids.every((id) => chosen.has(id));
  return (
    <div className={classes["selection"]} data-active={selected.length > 0 || undefined}>
      <Checkbox
        size="xs"
        className={classes["selectAll"] ?? ""}
        label={selected.length === 0 ? `Select all ${number(ids.length)}` : `${number(selected.length)} selected`}
        checked={isAll}
        indeterminate={!isAll && selected.length > 0}
        onChange={(event) => onSelect(event.currentTarget.checked ? ids : [...chosen], event.currentTarget.checked)}
      />
      {selected.length > 0 &&
        ACTIONS.map(({ action, label, icon: Symbol }) => (
          <Button
            key={action}
            size="compact-sm"
            variant="default"
            className={classes["action"] ?? ""}
            aria-haspopup="dialog"
            leftSection={<Symbol size={15} aria-hidden />}
            onClick={() => onAction(action)}
          >
            {label}
          </Button>
        ))}
    </div>
  );
}

interface RobotRowProps {
  readonly row: RobotWithSettings;
  readonly isSelected: boolean;
  readonly onSelect: (ids: readonly number[], isSelected: boolean) => void;
  readonly onRefresh: (row: RobotWithSettings) => void;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
}

/** One robot of the list, its state and its actions. */
function RobotRow({ row, isSelected, onSelect, onRefresh, onEdit, onDelete }: RobotRowProps) {
  const robot = useRobotView(row);
  const name = robot.name === "" ? robot.serialNumber : robot.name;

  return (
    <article
      className={`${shared["box"]} ${classes["row"]}`}
      aria-label={robot.serialNumber}
      data-selected={isSelected || undefined}
      {...stopKeyOf(robot)}
    >
      <Checkbox
        size="xs"
        className={classes["check"] ?? ""}
        aria-label={`Select ${robot.serialNumber}`}
        checked={isSelected}
        onChange={(event) => onSelect([row.robot_id], event.currentTarget.checked)}
      />
      <div className={classes["words"]}>
        <Box component="span" fz={13} fw={600} lh="18px" style={{ overflowWrap: "anywhere" }}>
          {name}
        </Box>
        <Box component="span" fz={12} lh="17px" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {robot.serialNumber} · {robot.motorType ?? "Motor type not given"} ·{" "}
          {awaitsFirstConnection(robot)
            ? FIRST_CONNECTION_TEXT
            : robot.firmwareUpdate === null
              ? `Firmware ${robot.firmware}`
              : firmwareText(robot.firmwareUpdate)}
        </Box>
      </div>
      <div className={classes["state"]}>
        {/* Simulated values belong to the monitoring view, where they are marked. */}
        <RobotBatteryBadge robot={{ ...robot, batteryPercent: robot.reportedBatteryPercent }} />
        {/* Not for a poll: hundreds of badges must not change each minute. */}
        <RobotStatusBadge robot={robot.refresh === "pressed" ? { ...robot, isChecking: true } : robot} />
      </div>
      <div className={classes["actions"]}>
        <IconButton
          label="Refresh status"
          icon={IconRefresh}
          isTurning={robot.refresh !== null}
          className={shared["touchIcon"]}
          aria-busy={robot.refresh !== null}
          onClick={() => onRefresh(row)}
        />
        <IconButton
          label="Edit"
          icon={IconEdit}
          className={shared["touchIcon"]}
          aria-haspopup="dialog"
          onClick={onEdit}
        />
        <IconButton
          label="Delete"
          icon={IconTrash}
          className={shared["touchIcon"]}
          aria-haspopup="dialog"
          onClick={onDelete}
        />
      </div>
    </article>
  );
}

const STATUS = "status";
const NONE: readonly RobotWithSettings[] = [];

/** §2 Robots tab: the status filter, which is kept in the URL, and the robots that currently match it. */
function useRobotFilter(rows: readonly RobotWithSettings[]) {
  const [params, change] = useUrlParams();
  const filter = robotFilterOf(params.get(STATUS));
  const setFilter = useCallback(
    (text: string) => {
      const next: RobotFilter = robotFilterOf(text);
      change((current) => {
        const changed = new URLSearchParams(current);
        if (next === "all") changed.delete(STATUS);
        else changed.set(STATUS, next);
        return changed;
      }, "replace");
    },
    [change],
  );
  // While all robots are shown, nothing is computed for each of them.
  const passingOf = useCallback(
    (views: readonly RobotView[]) => {
      const passing = new Set(views.filter((view) => matchesFilter(filter, view.status)).map((view) => view.id));
      return rows.filter((row) => passing.has(row.robot_id));
    },
    [rows, filter],
  );
  const passing = useRobotsValue(filter === "all" ? NONE : rows, passingOf, hasSameItems);
  return { filter, setFilter, shown: filter === "all" ? rows : passing };
}
