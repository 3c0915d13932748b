import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { runsCalendar } from "@suncrew/contract/runs/runs.ts";
import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import { addDays, startOfWeek } from "@suncrew/domain/schedules/calendar-date.ts";
import { IconCalendarWeek, IconChevronLeft, IconChevronRight, IconFlask } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { routeQuery } from "../../platform/api/route-query.ts";
import { todayIn } from "../../ui/days.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FailedState } from "../../ui/failed-state.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { CalendarDay } from "./calendar-day.tsx";
import { weekText } from "./run-texts.ts";
import type { WeekCalendarTabProps } from "./week-calendar-tab.tsx";
import classes from "./week-calendar.module.css";

type Week = ResponseOf<typeof runsCalendar>;

/** Planned runs pass by themselves; what robots do is told by the live stream. */
const REFRESH_MS = 60_000;

/** Seven days as columns where there is room, else one below the other. */
export function WeekCalendar({ site, day, onDay }: WeekCalendarTabProps) {
  const sent = { params: { siteId: site.id }, query: day === null ? {} : { day } };
  const query = useQuery({ ...routeQuery(runsCalendar, sent), refetchInterval: REFRESH_MS });
  const week = query.data;
  return (
    <section className={classes["calendar"]} aria-label="Week of cleaning">
      <WeekHead week={week} isPresent={day === null} timezone={site.timezone} onDay={onDay} />
      {week !== undefined ? (
        <Days week={week} />
      ) : query.isPending ? (
        <SkeletonLines label="Loading the week" lines={7} lineHeightPx={48} />
      ) : (
        <FailedState
          title="The week could not be loaded."
          message={query.error.message}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      )}
    </section>
  );
}

interface WeekHeadProps {
  readonly week: Week | undefined;
  readonly isPresent: boolean;
  readonly timezone: string;
  readonly onDay: WeekCalendarTabProps["onDay"];
}

function WeekHead({ week, isPresent, timezone, onDay }: WeekHeadProps) {
  const [first, last] = [week?.days.at(0)?.date, week?.days.at(-1)?.date];
  const isThisWeek = isPresent || (week !== undefined && week.days.some(({ date }) => date === week.today));
  const hasSample = week?.days.some(({ entries }) => entries.some(({ sample }) => sample)) ?? false;
  // From the week that was asked for last, which may still be on its way: two presses are two weeks.
  const go = (days: number) =>
    onDay((asked) => {
      const today = week?.today ?? todayIn(timezone, new Date());
      const next = addDays(startOfWeek(asked ?? today), days);
      // The present week has no date in the address, so that a link to it stays the present one.
      return next <= today && today < addDays(next, 7) ? null : next;
    });
  return (
    <div className={classes["head"]}>
      <div className={classes["steps"]}>
        <Tooltip label="Previous week">
          <ActionIcon variant="default" size={30} aria-label="Previous week" onClick={() => go(-7)}>
            <IconChevronLeft size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
        <Button variant="default" size="xs" h={30} aria-pressed={isThisWeek} onClick={() => onDay(() => null)}>
          This week
        </Button>
        <Tooltip label="Next week">
          <ActionIcon variant="default" size={30} aria-label="Next week" onClick={() => go(7)}>
            <IconChevronRight size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </div>
      <h3 className={classes["title"]} aria-live="polite">
        {first === undefined || last === undefined ? "Week" : weekText(first, last)}
      </h3>
      <p className={classes["zone"]}>
        {hasSample && (
          <span className={classes["sample"]}>
            <IconFlask size={13} aria-hidden />
            Includes sample data
          </span>
        )}
        Times at the site, {week?.timezone ?? timezone}
      </p>
    </div>
  );
}

function Days({ week }: { week: Week }) {
  const isEmpty = week.days.every(({ entries }) => entries.length === 0);
  return (
    <>
      <div className={classes["days"]}>
        {week.days.map(({ date, entries }) => (
          <CalendarDay key={date} date={date} today={week.today} timezone={week.timezone} entries={entries} />
        ))}
      </div>
      {isEmpty && (
        <EmptyState
          title="No cleaning in this week"
          message="Runs that are planned by schedules, and those that were done, are shown here."
          icon={<IconCalendarWeek size={32} stroke={1.5} />}
        />
      )}
    </>
  );
}
