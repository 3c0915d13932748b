import { Button, Menu } from "@mantine/core";
import type { Group } from "@suncrew/contract/groups/groups.ts";
import { type Site, siteDetails } from "@suncrew/contract/sites/sites.ts";
import { robotCountText } from "@suncrew/domain/groups/groups.ts";
import { IconPlayerPlayFilled, IconPlayerStopFilled, IconPlus, IconStack2, IconTool, IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { routeQuery } from "../../platform/api/route-query.ts";
import { DisabledReason } from "../../ui/disabled-reason.tsx";
import { ToolButton } from "../../ui/tool-button.tsx";
import type { StartOrStop } from "../commands/public.ts";
import { DeployFirmwareButton, FirmwareDialogs } from "../firmware/public.ts";
import { GroupDialog, StartAllDialog, useSiteGroups } from "../groups/public.ts";
import { maintainedRobotOf, RobotsMaintenanceDialog } from "../maintenance/public.ts";
import shared from "../../ui/shared.module.css";
import type { FleetRow } from "./fleet-rows.ts";
import { startRobots, stopRobots } from "./many-robots.ts";
import { type ManyAction, ResultDialog } from "./result-dialog.tsx";
import classes from "./selection-bar.module.css";

export interface SelectionBarProps {
  /** The selected robots, shown or not. */
  readonly selected: readonly FleetRow[];
  /** All robots that the user may see. */
  readonly rows: readonly FleetRow[];
  readonly hiddenCount: number;
  readonly onClear: () => void;
}

/** What can be done with the selected robots: a Start asks first, a Stop never does. */
export function SelectionBar({ selected, rows, hiddenCount, onClear }: SelectionBarProps) {
  const ids = useMemo(() => selected.map(({ id }) => id), [selected]);
  const many = useManyAction();
  const [starting, setStarting] = useState<readonly number[] | null>(null);
  const [isMaintained, setMaintained] = useState(false);
  const siteCount = new Set(selected.map(({ robot }) => robot.site_id)).size;
  const byId = useMemo(() => new Map(rows.map(({ id, robot }) => [id, robot])), [rows]);
  const startedRows = useMemo(() => starting?.flatMap((id) => byId.get(id) ?? []) ?? [], [starting, byId]);
  return (
    <div className={classes["bar"]} role="group" aria-label="Selected robots">
      <span className={classes["count"]} role="status">
        <strong>{robotCountText(selected.length)} selected</strong>
        {siteCount > 1 && ` at ${siteCount.toLocaleString("en-GB")} sites`}
        {hiddenCount > 0 && `, ${hiddenCount.toLocaleString("en-GB")} not shown`}
      </span>
      <div className={classes["commands"]}>
        <Button
          size="xs"
          variant="light"
          className={shared["touch"] ?? ""}
          leftSection={<IconPlayerPlayFilled size={14} aria-hidden />}
          aria-haspopup="dialog"
          onClick={() => setStarting(ids)}
        >
          Start
        </Button>
        <Button
          size="xs"
          color="red"
          className={shared["touch"] ?? ""}
          leftSection={<IconPlayerStopFilled size={14} aria-hidden />}
          onClick={() => many.send("STOP", ids)}
        >
          Stop
        </Button>
      </div>
      <div className={classes["tools"]}>
        <ToolButton icon={IconTool} aria-haspopup="dialog" onClick={() => setMaintained(true)}>
          Maintenance
        </ToolButton>
        <AddToGroup selected={selected} rows={rows} siteCount={siteCount} />
        <DeployFirmwareButton missing={null} />
        <ToolButton icon={IconX} variant="subtle" onClick={onClear}>
          Clear selection
        </ToolButton>
      </div>
      {starting !== null && (
        <StartAllDialog
          title={`Start ${robotCountText(starting.length)}?`}
          rows={startedRows}
          onClose={() => setStarting(null)}
          onStart={() => {
            setStarting(null);
            many.send("START", starting);
          }}
        />
      )}
      {isMaintained && (
        <RobotsMaintenanceDialog
          members={selected.map(({ robot }) => maintainedRobotOf(robot))}
          onClose={() => setMaintained(false)}
        />
      )}
      {many.action !== null && (
        <ResultDialog
          action={many.action}
          onAgain={(again) => {
            if (many.action?.verb === "STOP") return many.send("STOP", again);
            many.close();
            setStarting(again);
          }}
          onStop={() => many.action !== null && many.send("STOP", many.action.robotIds)}
          onClose={many.close}
        />
      )}
      <FirmwareDialogs siteId={null} robotIds={ids} />
    </div>
  );
}

/** The Start or Stop that is shown; a Stop takes the place of a Start that is under way. */
function useManyAction() {
  const [action, setAction] = useState<ManyAction | null>(null);
  const press = useRef(new AbortController());
  // Whoever leaves the page has no Stop for what would start then.
  useEffect(() => () => press.current.abort(), []);
  const send = (verb: StartOrStop, robotIds: readonly number[]) => {
    press.current.abort();
    const own = new AbortController();
    press.current = own;
    const base = { verb, robotIds, failure: null };
    const show = (shown: ManyAction) => {
      if (press.current === own) setAction(shown);
    };
    show({ ...base, isUnderWay: true, results: [] });
    const onResults = (results: ManyAction["results"]) => show({ ...base, isUnderWay: true, results });
    const sending =
      verb === "STOP" ? stopRobots(robotIds, { onResults }) : startRobots(robotIds, { onResults, signal: own.signal });
    void sending.then((outcome) => show({ ...base, ...outcome, isUnderWay: false }));
  };
  return { action, send, close: () => setAction(null) };
}

/** A group belongs to one site, and a robot to one group. */
function AddToGroup({
  selected,
  rows,
  siteCount,
}: Pick<SelectionBarProps, "selected" | "rows"> & { siteCount: number }) {
  const free = selected.filter(({ robot }) => robot.group_id === null);
  const siteId = selected[0]?.robot.site_id;
  const site = useQuery(routeQuery(siteDetails, {})).data?.find(({ id }) => id === siteId);
  const reason =
    siteCount > 1
      ? `These robots are at ${siteCount} sites. A group belongs to one site.`
      : free.length === 0
        ? "Each of these robots is in a group already."
        : null;
  if (reason !== null || site === undefined) {
    return (
      <DisabledReason reason={reason ?? "The site is being loaded."}>
        <ToolButton icon={IconStack2}>Add to group</ToolButton>
      </DisabledReason>
    );
  }
  return <GroupMenu site={site} added={free.map(({ id }) => id)} rows={rows} />;
}

interface GroupMenuProps {
  readonly site: Site;
  readonly added: readonly number[];
  readonly rows: readonly FleetRow[];
}

function GroupMenu({ site, added, rows }: GroupMenuProps) {
  const { groups, lastKnown } = useSiteGroups(site.id);
  const [open, setOpen] = useState<{ readonly group: Group | null; readonly added: readonly number[] } | null>(null);
  const siteRows = useMemo(
    () => rows.filter(({ robot }) => robot.site_id === site.id).map(({ robot }) => robot),
    [rows, site.id],
  );
  return (
    <>
      <Menu position="top-start" width={240} classNames={{ dropdown: classes["groups"] ?? "" }}>
        <Menu.Target>
          <ToolButton icon={IconStack2}>Add to group</ToolButton>
        </Menu.Target>
        <Menu.Dropdown>
          {groups.map((group) => (
            <Menu.Item key={group.id} onClick={() => setOpen({ group, added })}>
              {group.group_name}
            </Menu.Item>
          ))}
          {groups.length > 0 && <Menu.Divider />}
          <Menu.Item leftSection={<IconPlus size={14} aria-hidden />} onClick={() => setOpen({ group: null, added })}>
            New group
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {open !== null && (
        <GroupDialog {...open} site={site} groups={lastKnown} rows={siteRows} onClose={() => setOpen(null)} />
      )}
    </>
  );
}
