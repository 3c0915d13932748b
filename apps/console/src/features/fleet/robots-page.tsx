import { Button, NativeSelect } from "@mantine/core";
import { robotDirectory } from "@suncrew/contract/robots/robots.ts";
import { RUNS_OF_TODAY_LIMIT, runsOfToday, type RunOfToday } from "@suncrew/contract/runs/runs.ts";
import { type Site, siteDetails } from "@suncrew/contract/sites/sites.ts";
import { IconFilterOff, IconRobot } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useState, useSyncExternalStore } from "react";
import { routeQuery } from "../../platform/api/route-query.ts";
import { useFirstContent } from "../../platform/first-content.ts";
import { liveStore, useLiveStatus } from "../../platform/live/live.ts";
import { useServerConfig } from "../../platform/server-config.ts";
import { useUrlState } from "../../platform/url-params.tsx";
import { useIsNarrow } from "../../ui/dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FailedState } from "../../ui/failed-state.tsx";
import { PageLayout } from "../../ui/page-layout.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { ToolButton } from "../../ui/tool-button.tsx";
import shared from "../../ui/shared.module.css";
import { ColumnsMenu, FleetFilters } from "./fleet-filters.tsx";
import { FleetPace } from "./fleet-pace.ts";
import { findRobots, FleetRows, type FleetContext, type FleetRow, type FleetSite, sortRobots } from "./fleet-rows.ts";
import { FLEET_COLUMNS, FleetTable } from "./fleet-table.tsx";
import { COLUMN_IDS, type ColumnId, type FleetSort, fleetUrl, isFiltered, NO_FILTER } from "./fleet-url.ts";
import classes from "./robots-page.module.css";
import { SelectionBar } from "./selection-bar.tsx";
import { ViewsMenu } from "./views-menu.tsx";

const NO_SITES: readonly FleetSite[] = [];
const NO_GROUPS: FleetFiltersGroups = [];
type FleetFiltersGroups = Parameters<typeof FleetFilters>[0]["groups"];
const NO_RUNS: ReadonlyMap<number, RunOfToday> = new Map();

/** Runs end without an event for robots that no longer match. */
const RUNS_REFRESH_MS = 15_000;

/** What robots show of their sites: the rest changes with each message of a robot. */
function fleetSitesOf(sites: readonly Site[]): readonly FleetSite[] {
  return sites.map(({ id, name, state, maintenance_partner_id, partner_name }) => ({
    id,
    name,
    state,
    maintenance_partner_id,
    partner_name,
  }));
}

/** Every robot that the user may see, in one table. */
export function RobotsPage() {
  // The server's mode decides what a failed status call shows.
  useServerConfig();
  useFirstContent(true);
  const { state: url, change } = useUrlState(fleetUrl);
  const isNarrow = useIsNarrow();
  const fleet = useFleet();
  const { rows, isKnown } = fleet;
  const today = useTodaysRuns(url.today);
  const found = useMemo(() => findRobots(rows, url, today.runs), [rows, url, today.runs]);
  const shown = useMemo(() => sortRobots(found.rows, url.sort, today.runs), [found, url.sort, today.runs]);
  const columns = useMemo(() => columnsOf(url.columns, url.today !== null), [url.columns, url.today]);
  const [selected, select, clear] = useSelection();
  const selectedRows = useMemo(() => rows.filter(({ id }) => selected.has(id)), [rows, selected]);
  const hiddenCount = selectedRows.length - shown.filter(({ id }) => selected.has(id)).length;
  const sort = useCallback((next: FleetSort) => change({ sort: next }, "replace"), [change]);
  const isEachSelected = shown.length > 0 && shown.every(({ id }) => selected.has(id));

  return (
    <PageLayout
      title="Robots"
      actions={
        <div className={classes["actions"]}>
          {!isNarrow && <ColumnsMenu columns={url.columns} change={change} />}
          <ViewsMenu />
        </div>
      }
    >
      <FleetFilters
        url={url}
        byFigure={isKnown ? found.byFigure : null}
        change={change}
        rows={rows}
        sites={fleet.sites}
        groups={fleet.groups}
        isNarrow={isNarrow}
      />
      <div className={classes["counts"]}>
        <span role="status">
          {isKnown ? countText(shown.length, rows.length) : fleet.failed === null && "Loading robots..."}
        </span>
        {shown.length > 0 && !isEachSelected && (
          <Button
            variant="subtle"
            size="compact-xs"
            className={shared["touch"] ?? ""}
            onClick={() =>
              select(
                shown.map(({ id }) => id),
                true,
              )
            }
          >
            Select all {shown.length.toLocaleString("en-GB")}
          </Button>
        )}
        {today.note !== null && <span className={shared["muted"]}>{today.note}</span>}
        {fleet.note}
        {isNarrow && shown.length > 0 && <SortChoice sort={url.sort} onSort={sort} />}
      </div>
      {fleet.failed ?? today.failed ?? (
        <>
          {!isKnown || today.isLoading ? (
            <div className={`${shared["card"]} ${shared["sheet"]}`}>
              <SkeletonLines label="Loading robots" lines={10} lineHeightPx={32} />
            </div>
          ) : rows.length === 0 ? (
            <EmptyState
              title="No robots yet"
              message="Robots are added to their sites in Site Management."
              icon={<IconRobot size={36} stroke={1.5} />}
            />
          ) : shown.length === 0 ? (
            <EmptyState
              title="No robots match."
              icon={<IconRobot size={36} stroke={1.5} />}
              action={
                isFiltered(url) && (
                  <ToolButton icon={IconFilterOff} onClick={() => change(NO_FILTER, "push")}>
                    Clear filters
                  </ToolButton>
                )
              }
            />
          ) : (
            <FleetTable
              rows={shown}
              runs={today.runs}
              columns={columns}
              sort={url.sort}
              onSort={sort}
              selected={selected}
              onSelect={select}
              onUse={fleet.hold}
              isNarrow={isNarrow}
            />
          )}
        </>
      )}
      {selectedRows.length > 0 && (
        <SelectionBar selected={selectedRows} rows={rows} hiddenCount={hiddenCount} onClear={clear} />
      )}
    </PageLayout>
  );
}

function countText(shown: number, all: number): string {
  const number = (count: number) => count.toLocaleString("en-GB");
  return shown === all
    ? `${number(all)} ${all === 1 ? "robot" : "robots"}`
    : `${number(shown)} of ${number(all)} robots`;
}

/** With today's runs comes why they ended as they did. */
function columnsOf(chosen: readonly ColumnId[], hasRuns: boolean): readonly ColumnId[] {
  return COLUMN_IDS.filter((id) => chosen.includes(id) || (id === "today" && hasRuns));
}

/** The robots' rows, at most every REORDER_MS, with what the stream does not say about them. */
function useFleet() {
  const sites = useQuery({ ...routeQuery(siteDetails, {}), select: fleetSitesOf });
  const directory = useQuery(routeQuery(robotDirectory, {}));
  const [{ pace, made }] = useState(() => ({ pace: new FleetPace(), made: new FleetRows() }));
  const version = useSyncExternalStore(pace.subscribe, pace.version);
  const isCut = useLiveStatus() === "lost";
  const context = useMemo<FleetContext>(
    () => ({
      facts: new Map(directory.data?.robots.map((robot) => [robot.robot_id, robot])),
      groupNames: new Map(directory.data?.groups.map(({ id, group_name }) => [id, group_name])),
      sites: new Map(sites.data?.map((site) => [site.id, site])),
    }),
    [directory.data, sites.data],
  );
  const rows = useMemo<readonly FleetRow[]>(
    () => made.of(liveStore.robots(), context),
    // oxlint-disable-next-line react/exhaustive-deps -- the version stands for the robots
    [made, context, version],
  );
  const isKnown = liveStore.hasSnapshot();
  const failedQuery = [sites, directory].find(({ isError, data }) => isError && data === undefined);
  return {
    rows,
    isKnown,
    sites: sites.data ?? NO_SITES,
    groups: directory.data?.groups ?? NO_GROUPS,
    hold: pace.hold,
    // The robots themselves come from the live stream; without it the page has nothing to show.
    failed:
      failedQuery !== undefined && !isKnown ? (
        <FailedState
          title="The robots could not be loaded."
          message={failedQuery.error?.message}
          retrying={failedQuery.isFetching}
          onRetry={() => void failedQuery.refetch()}
        />
      ) : null,
    note:
      failedQuery !== undefined && isKnown ? (
        <span className={classes["partial"]} role="alert">
          Names, groups or sites could not be loaded.
          <Button size="compact-xs" variant="default" onClick={() => void failedQuery.refetch()}>
            Retry
          </Button>
        </span>
      ) : isCut && isKnown ? (
        <span className={shared["muted"]}>Live updates are interrupted: this may be out of date.</span>
      ) : null,
  };
}

/** The runs that one of today's figures counts, by robot. */
function useTodaysRuns(count: RunOfTodayCount) {
  const query = useQuery({
    ...routeQuery(runsOfToday, { query: { count: count ?? "done" } }),
    enabled: count !== null,
    refetchInterval: RUNS_REFRESH_MS,
  });
  const list = count === null ? undefined : query.data?.runs;
  const runs = useMemo(() => {
    const newest = new Map<number, RunOfToday>();
    for (const run of list ?? []) if (!newest.has(run.robot_id)) newest.set(run.robot_id, run);
    return list === undefined ? NO_RUNS : newest;
  }, [list]);
  const hasFailed = count !== null && query.isError && query.data === undefined;
  return {
    runs,
    isLoading: count !== null && query.isPending,
    failed: hasFailed ? (
      <FailedState
        title="Today's runs could not be loaded."
        message={query.error.message}
        retrying={query.isFetching}
        onRetry={() => void query.refetch()}
      />
    ) : null,
    note:
      list?.length === RUNS_OF_TODAY_LIMIT
        ? `Robots of the newest ${RUNS_OF_TODAY_LIMIT.toLocaleString("en-GB")} runs; older ones are in the sites' calendars.`
        : null,
  };
}

type RunOfTodayCount = Parameters<typeof findRobots>[1]["today"];

function useSelection() {
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const select = useCallback((ids: readonly number[], isSelected: boolean) => {
    setSelected((now) => {
      const next = new Set(now);
      for (const id of ids) {
        if (isSelected) next.add(id);
        else next.delete(id);
      }
      return next;
    });
  }, []);
  const clear = useCallback(() => setSelected(new Set()), []);
  return [selected, select, clear] as const;
}

/** On a phone, where the columns have no names to press. */
function SortChoice({ sort, onSort }: { readonly sort: FleetSort; readonly onSort: (sort: FleetSort) => void }) {
  return (
    <NativeSelect
      size="xs"
      style={{ flex: "1 1 120px" }}
      aria-label="Sort by"
      value={`${sort.isDescending ? "-" : ""}${sort.column}`}
      data={COLUMN_IDS.flatMap((id) => [
        { value: id, label: `${FLEET_COLUMNS[id].label}, ascending` },
        { value: `-${id}`, label: `${FLEET_COLUMNS[id].label}, descending` },
      ])}
      onChange={({ currentTarget }) => onSort(fleetUrl.sort.parse(currentTarget.value))}
    />
  );
}
