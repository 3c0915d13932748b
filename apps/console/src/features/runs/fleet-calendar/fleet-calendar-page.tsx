import { Button, NativeSelect } from "@mantine/core";
import type { LiveEvent } from "@suncrew/contract/live/live.ts";
import { runsFleetCalendar } from "@suncrew/contract/runs/runs.ts";
import { type Site, siteDetails } from "@suncrew/contract/sites/sites.ts";
import { nightName } from "@suncrew/domain/robot-history/night-states.ts";
import { addDays } from "@suncrew/domain/schedules/calendar-date.ts";
import { IconCalendarWeek, IconChevronLeft, IconChevronRight, IconFilterOff } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo } from "react";
import { Link } from "react-router";
import { queryKeyOf, routeQuery } from "../../../platform/api/route-query.ts";
import { useFirstContent } from "../../../platform/first-content.ts";
import { noteStale, onLiveEvents } from "../../../platform/live/live.ts";
import { paths } from "../../../platform/paths.ts";
import { useUrlState } from "../../../platform/url-params.tsx";
import { DayField } from "../../../ui/day-field.tsx";
import { todayIn } from "../../../ui/days.ts";
import { useIsNarrow } from "../../../ui/dialog.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { FailedState } from "../../../ui/failed-state.tsx";
import { IconButton } from "../../../ui/icon-button.tsx";
import { lazyDialog } from "../../../ui/lazy-dialog.tsx";
import { PageLayout } from "../../../ui/page-layout.tsx";
import { siteClockText } from "../../../ui/site-time-text.ts";
import { SkeletonLines } from "../../../ui/skeletons.tsx";
import { ToolButton } from "../../../ui/tool-button.tsx";
import { useNow } from "../../../ui/use-now.ts";
import { weekText } from "../runs-looks.ts";
import shared from "../../../ui/shared.module.css";
import classes from "./fleet-calendar.module.css";
import { CalendarFilters } from "./fleet-calendar-filters.tsx";
import { FleetCalendarTable } from "./fleet-calendar-table.tsx";
import { type CalendarUrl, calendarUrl, isFiltered, NO_FILTER } from "./fleet-calendar-url.ts";
import { FleetNightList } from "./fleet-night-list.tsx";
import {
  calendarRows,
  type CalendarRow,
  type CalendarSite,
  findRows,
  type FleetCalendar,
  nightTitle,
  orderRows,
} from "./fleet-nights.ts";

const NightDialog = lazyDialog(
  ({ title }) => title,
  async () => (await import("./night-dialog.tsx")).NightDialog,
);

/** Any of a night's evening. */
const EVENING_HOUR = 20;
/** Planned runs become due without an event. */
const REFRESH_MS = 60_000;
/** A busy fleet's runs change several times a second; the nights of all sites are refetched at most this often. */
const LIVE_PAUSE_MS = 10_000;

function calendarSitesOf(sites: readonly Site[]): readonly CalendarSite[] {
  return sites.map(({ id, name, address, state, timezone, maintenance_partner_id, partner_name }) => {
    return { id, name, address, state, timezone, maintenance_partner_id, partner_name };
  });
}

/** Planned and past cleaning of all sites, by night. */
export function FleetCalendarPage() {
  useFirstContent(true);
  useFreshRuns();
  const { state: url, change } = useUrlState(calendarUrl);
  const isNarrow = useIsNarrow();
  const days = isNarrow ? 1 : url.days;
  const sites = useQuery({ ...routeQuery(siteDetails, {}), select: calendarSitesOf });
  const calendar = useQuery({
    ...routeQuery(runsFleetCalendar, { query: { days, ...(url.from !== null && { from: url.from }) } }),
    refetchInterval: REFRESH_MS,
    // Another night or week replaces this one once it is there.
    placeholderData: keepPreviousData,
  });
  const rows = useMemo(
    () =>
      sites.data === undefined || calendar.data === undefined ? undefined : calendarRows(sites.data, calendar.data),
    [sites.data, calendar.data],
  );
  const tonightName = useTonightName(sites.data, calendar.data);
  const failed = [sites, calendar].find((query) => query.isError && query.data === undefined);
  const open = useCallback((siteId: number, night: string) => change({ siteId, night }, "push"), [change]);
  const opened = sites.data?.find(({ id }) => id === url.siteId);
  return (
    <PageLayout
      title="Calendar"
      actions={<SpanChoice url={url} days={days} calendar={calendar.data} tonightName={tonightName} change={change} />}
    >
      <CalendarFilters url={url} change={change} sites={sites.data ?? []} isNarrow={isNarrow} />
      {rows !== undefined && calendar.data !== undefined ? (
        <Nights
          rows={rows}
          url={url}
          isOld={calendar.isPlaceholderData}
          calendar={calendar.data}
          tonightName={tonightName}
          isNarrow={isNarrow}
          onOpen={open}
          onClear={() => change(NO_FILTER, "push")}
        />
      ) : failed !== undefined ? (
        <FailedState
          title="The calendar could not be loaded."
          message={failed.error?.message}
          retrying={failed.isFetching}
          onRetry={() => void failed.refetch()}
        />
      ) : (
        <div className={`${shared["card"]} ${shared["sheet"]}`}>
          <SkeletonLines label="Loading the calendar" lines={10} lineHeightPx={40} />
        </div>
      )}
      {opened !== undefined && url.night !== null && (
        <NightDialog
          key={`${opened.id} ${url.night}`}
          title={nightTitle(opened.name, url.night)}
          site={opened}
          night={url.night}
          onClose={() => change({ siteId: null, night: null }, "replace")}
        />
      )}
    </PageLayout>
  );
}

/** What people call the night that most sites are in, noon to noon. */
function useTonightName(sites: readonly CalendarSite[] | undefined, calendar: FleetCalendar | undefined): string {
  const now = useNow();
  const usual = calendar?.sites.find(({ tonight }) => tonight === calendar.tonight);
  const timezone = sites?.find(({ id }) => id === usual?.site_id)?.timezone;
  if (calendar === undefined || timezone === undefined) return "Tonight";
  const hour = Number(siteClockText(now, timezone).slice(0, 2));
  return nightName({ date: calendar.tonight, hour: EVENING_HOUR }, { date: todayIn(timezone, now), hour });
}

/**
 * Refetches the nights when the stream names runs, groups or schedules that changed, at once and then after a pause; a
 * snapshot may have missed some.
 */
function useFreshRuns(): void {
  useEffect(() => {
    let isStale = false;
    let pause: ReturnType<typeof setTimeout> | null = null;
    const readAgain = () => noteStale(queryKeyOf(runsFleetCalendar));
    const readAndPause = () => {
      isStale = false;
      readAgain();
      pause = setTimeout(() => {
        pause = null;
        if (isStale) readAndPause();
      }, LIVE_PAUSE_MS);
    };
    const unfollow = onLiveEvents((events) => {
      if (events.some(({ type }) => type === "snapshot")) readAgain();
      if (!events.some(changesRuns)) return;
      if (pause === null) readAndPause();
      else isStale = true;
    });
    return () => {
      unfollow();
      if (pause !== null) clearTimeout(pause);
    };
  }, []);
}

function changesRuns(event: LiveEvent): boolean {
  return event.type === "update" && event.runs_changed.length + event.groups_changed.length > 0;
}

type ChangeCalendar = ReturnType<typeof useUrlState<CalendarUrl>>["change"];

interface SpanChoiceProps {
  readonly url: CalendarUrl;
  readonly days: number;
  readonly calendar: FleetCalendar | undefined;
  readonly tonightName: string;
  readonly change: ChangeCalendar;
}

/** Which nights are shown: the former, the next, those around tonight, or those from a date on. */
function SpanChoice({ url, days, calendar, tonightName, change }: SpanChoiceProps) {
  const isOne = days === 1;
  const now = useNow();
  const tonight = calendar?.tonight ?? todayIn(undefined, now);
  // From the nights last requested, which may still be loading: two presses move twice.
  const first = (from: string | null) => from ?? addDays(tonight, -Math.floor(days / 2));
  const go = (by: number) =>
    change(({ from }) => {
      const next = addDays(first(from), by);
      // The present nights have no date in the URL, so that a link always opens the present ones.
      return { from: next === first(null) ? null : next };
    }, "replace");
  const start = first(url.from);
  return (
    <div className={classes["span"]}>
      <IconButton
        label={isOne ? "Previous night" : `Previous ${days} nights`}
        icon={IconChevronLeft}
        className={shared["touchIcon"]}
        onClick={() => go(-days)}
      />
      <Button
        variant="default"
        size="xs"
        h={30}
        className={shared["touch"] ?? ""}
        aria-pressed={url.from === null}
        onClick={() => change({ from: null }, "replace")}
      >
        {tonightName}
      </Button>
      <IconButton
        label={isOne ? "Next night" : `Next ${days} nights`}
        icon={IconChevronRight}
        className={shared["touchIcon"]}
        onClick={() => go(days)}
      />
      {!isOne && (
        <strong className={classes["spanText"]} aria-live="polite">
          {weekText(start, addDays(start, days - 1))}
        </strong>
      )}
      <DayField
        size="xs"
        className={classes["day"]}
        aria-label={isOne ? "Night" : "First night"}
        day={start}
        onChange={(from) => from !== "" && change({ from }, "replace")}
      />
      {!isOne && (
        <NativeSelect
          size="xs"
          aria-label="Nights shown"
          value={String(url.days)}
          data={[
            { value: "7", label: "7 nights" },
            { value: "14", label: "14 nights" },
          ]}
          onChange={({ currentTarget }) => change({ days: calendarUrl.days.parse(currentTarget.value) }, "replace")}
        />
      )}
    </div>
  );
}

interface NightsProps {
  readonly rows: readonly CalendarRow[];
  readonly url: CalendarUrl;
  readonly isOld: boolean;
  readonly calendar: FleetCalendar;
  readonly tonightName: string;
  readonly isNarrow: boolean;
  readonly onOpen: (siteId: number, night: string) => void;
  readonly onClear: () => void;
}

function Nights({ rows, url, isOld, calendar, tonightName, isNarrow, onOpen, onClear }: NightsProps) {
  const { search, state, partnerId, isTroubledOnly, order } = url;
  const shown = useMemo(
    () => orderRows(findRows(rows, { search, state, partnerId, isTroubledOnly }), order),
    [rows, search, state, partnerId, isTroubledOnly, order],
  );
  if (rows.length === 0) {
    return (
      <EmptyState
        title="No sites yet"
        message="The calendar shows the cleaning of every site. Sites are added in Site Management."
        icon={<IconCalendarWeek size={36} stroke={1.5} />}
        action={
          <Button component={Link} to={paths.sites()} size="xs" variant="default">
            Site Management
          </Button>
        }
      />
    );
  }
  if (shown.length === 0) {
    return (
      <EmptyState
        title={isTroubledOnly && search === "" ? "Nothing went wrong in these nights." : "No sites match."}
        icon={<IconCalendarWeek size={36} stroke={1.5} />}
        action={
          isFiltered(url) && (
            <ToolButton icon={IconFilterOff} onClick={onClear}>
              Clear filters
            </ToolButton>
          )
        }
      />
    );
  }
  const isEmpty = rows.every(({ nights }) => nights.every((night) => night.state === null));
  return (
    <>
      {isEmpty && !isNarrow && (
        <p className={classes["hint"]} role="status">
          Nothing was cleaned in these nights and nothing is planned. Press a night to plan a run.
        </p>
      )}
      {isNarrow ? (
        <FleetNightList rows={shown} isSearched={search !== ""} isOld={isOld} onOpen={onOpen} />
      ) : (
        <FleetCalendarTable
          rows={shown}
          dates={calendar.dates}
          tonight={calendar.tonight}
          tonightName={tonightName}
          isOld={isOld}
          onOpen={onOpen}
        />
      )}
    </>
  );
}
