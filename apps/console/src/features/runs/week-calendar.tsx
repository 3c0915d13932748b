import { robotCountText } from "@suncrew/domain/groups/groups.ts";
import { Anchor, Box, Button, Group, UnstyledButton, VisuallyHidden } from "@mantine/core";
import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import { type CalendarEntry, runsCalendar } from "@suncrew/contract/runs/runs.ts";
import { RUN_OUTCOME_WORDS } from "@suncrew/domain/runs/run-outcome.ts";
import { addDays, startOfWeek } from "@suncrew/domain/schedules/calendar-date.ts";
import { IconCalendarWeek, IconChevronLeft, IconChevronRight, IconFlask } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { routeQuery } from "../../platform/api/route-query.ts";
import { paths } from "../../platform/paths.ts";
import { QueryState } from "../../platform/query-state.tsx";
import { todayIn } from "../../ui/days.ts";
import type { Look } from "../../ui/look.ts";
import { DetailsPopover } from "../../ui/details-popover.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { dayText, siteClockText, siteTimeText } from "../../ui/site-time-text.ts";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
import { useNow } from "../../ui/use-now.ts";
import { entryStateOf, foldDay } from "./calendar-entry.ts";
import { countsText, entryLook, startedByText, weekText } from "./runs-looks.ts";
import type { WeekCalendarTabProps } from "./week-calendar-tab.tsx";
import shared from "../../ui/shared.module.css";
import classes from "./week-calendar.module.css";

type Week = ResponseOf<typeof runsCalendar>;

/** Planned runs become due without an event; everything else arrives with the live stream. */
const REFRESH_MS = 60_000;

/** Seven days as columns if there is room, otherwise one below the other. */
export function WeekCalendar({ site, day, onDay }: WeekCalendarTabProps) {
  const sent = { params: { siteId: site.id }, query: day === null ? {} : { day } };
  const query = useQuery({ ...routeQuery(runsCalendar, sent), refetchInterval: REFRESH_MS });
  const week = query.data;
  return (
    <section className={classes["calendar"]} aria-label="Week of cleaning">
      <WeekHead week={week} isPresent={day === null} timezone={site.timezone} onDay={onDay} />
      <QueryState
        query={query}
        loading={<SkeletonLines label="Loading the week" lines={7} lineHeightPx={48} />}
        failed="The week could not be loaded."
      >
        {(data) => <Days week={data} />}
      </QueryState>
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
  // From the week last requested, which may still be loading: two presses move two weeks.
  const go = (days: number) =>
    onDay((requested) => {
      const today = week?.today ?? todayIn(timezone, new Date());
      const next = addDays(startOfWeek(requested ?? today), days);
      // The current week has no date in the URL, so that a link always opens the current one.
      return next <= today && today < addDays(next, 7) ? null : next;
    });
  return (
    <div className={classes["head"]}>
      <Group gap={4} align="stretch" wrap="nowrap">
        <IconButton label="Previous week" icon={IconChevronLeft} onClick={() => go(-7)} />
        <Button variant="default" size="xs" h={30} aria-pressed={isThisWeek} onClick={() => onDay(() => null)}>
          This week
        </Button>
        <IconButton label="Next week" icon={IconChevronRight} onClick={() => go(7)} />
      </Group>
      <Box component="h3" fz={15} fw={650} aria-live="polite">
        {first === undefined || last === undefined ? "Week" : weekText(first, last)}
      </Box>
      <p className={`${shared["muted"]} ${classes["zone"]}`}>
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
          title="No cleaning this week"
          message="Scheduled and completed runs are shown here."
          icon={<IconCalendarWeek size={32} stroke={1.5} />}
        />
      )}
    </>
  );
}

/** More entries of a day than this are collapsed. */
const SHOWN = 8;

const weekday = new Intl.DateTimeFormat("en-GB", { weekday: "short", timeZone: "UTC" });

export interface CalendarDayProps {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  readonly today: string;
  readonly timezone: string;
  readonly entries: readonly CalendarEntry[];
}

/** One day: its entries in order of time. */
export function CalendarDay({ date, today, timezone, entries }: CalendarDayProps) {
  const [isUnfolded, setUnfolded] = useState(false);
  const shown = isUnfolded ? entries : foldDay(entries, SHOWN);
  const isToday = date === today;
  return (
    <section
      className={classes["day"]}
      aria-label={isToday ? `${dayText(date)}, today` : dayText(date)}
      aria-current={isToday ? "date" : undefined}
      data-today={isToday || undefined}
      data-past={date < today || undefined}
      data-empty={entries.length === 0 || undefined}
    >
      <h4 className={classes["dayHead"]}>
        <span>{weekday.format(new Date(`${date}T00:00:00Z`))}</span> <span>{Number(date.slice(8))}</span>
        {isToday && <span className={classes["today"]}>Today</span>}
      </h4>
      {entries.length === 0 ? (
        <Box component="p" fz={12} c="dimmed">
          Nothing
        </Box>
      ) : (
        <ul className={classes["entries"]}>
          {shown.map((entry) => (
            <li key={entry.key}>
              <CalendarEntryButton entry={entry} timezone={timezone} />
            </li>
          ))}
        </ul>
      )}
      {entries.length > SHOWN && (
        <UnstyledButton
          className={classes["more"]}
          aria-expanded={isUnfolded}
          onClick={() => setUnfolded((former) => !former)}
        >
          {isUnfolded ? "Show fewer" : `Show ${entries.length - SHOWN} more`}
        </UnstyledButton>
      )}
    </section>
  );
}

/** A time of a schedule "when worth it" is no planned run until that is decided, and none at all if it is not. */
function lookOf(entry: CalendarEntry): Look {
  const look = entryLook[entryStateOf(entry)];
  if (entry.by_need === null || entry.by_need.runs === true) return look;
  return { ...look, label: entry.by_need.runs === null ? "When worth it" : "No run" };
}

function byNeedText({ text, decides_at: at }: NonNullable<CalendarEntry["by_need"]>, timeOf: (at: Date) => string) {
  return text ?? `Whether it runs will be decided at ${timeOf(new Date(at))}.`;
}

export interface CalendarEntryProps {
  readonly entry: CalendarEntry;
  readonly timezone: string;
}

/** One run of a group, or of a robot started manually; opens its details. */
export function CalendarEntryButton({ entry, timezone }: CalendarEntryProps) {
  const state = entryStateOf(entry);
  const look = lookOf(entry);
  const Icon = look.icon;
  return (
    <DetailsPopover
      label={`${entry.title} at ${entry.local_time}`}
      width={290}
      renderOpener={(handlers) => (
        <UnstyledButton
          className={`${shared["box"]} ${classes["entry"]}`}
          data-tone={look.tone}
          data-state={state}
          {...handlers}
        >
          <Box component="span" fz={13} fw={650} style={{ gridArea: "time" }}>
            {entry.local_time}
          </Box>
          <span className={classes["state"]}>
            {Icon !== undefined && <Icon size={13} aria-hidden />}
            {look.label}
          </span>
          <span className={`${shared["truncate"]} ${classes["who"]}`}>{entry.title}</span>
          <span className={classes["counts"]}>
            {state === "mixed" ? countsText(entry.counts) : entry.robots > 0 && robotCountText(entry.robots)}
            {entry.sample && (
              <>
                <IconFlask size={13} aria-hidden />
                <VisuallyHidden>, sample data</VisuallyHidden>
              </>
            )}
          </span>
        </UnstyledButton>
      )}
    >
      {() => <EntryDetails entry={entry} timezone={timezone} />}
    </DetailsPopover>
  );
}

/** One entry in detail: when, started by whom, its robots' outcomes, and why some did not run. */
export function EntryDetails({ entry, timezone }: CalendarEntryProps) {
  const now = useNow();
  const begins = siteTimeText(new Date(entry.begins_at), timezone, now);
  const ends = entry.ends_at === null ? null : siteClockText(new Date(entry.ends_at), timezone);
  return (
    <div className={classes["details"]} tabIndex={-1} data-autofocus>
      <p className={classes["detailsHead"]}>
        <strong>
          {entry.group_id === null ? <RobotLink serialNumber={entry.title} at={entry.begins_at} /> : entry.title}
        </strong>
        <StateBadge look={lookOf(entry)} />
      </p>
      <p>
        {begins}
        {ends !== null && ` to ${ends}`} (<RelativeTime at={entry.begins_at} exactText={`${begins} (${timezone})`} />)
      </p>
      <p>{startedByText[entry.action_type]}</p>
      {entry.by_need !== null && <p>{byNeedText(entry.by_need, (at) => siteTimeText(at, timezone, now))}</p>}
      <p hidden={entry.by_need?.runs === false}>
        {entry.group_id === null ? (
          robotCountText(entry.robots)
        ) : (
          <Anchor component={Link} to={paths.robots({ group: String(entry.group_id) })} inherit td="underline">
            {robotCountText(entry.robots)}
          </Anchor>
        )}
        {entry.by_need?.runs !== null && `: ${countsText(entry.counts)}`}
      </p>
      {entry.reasons.length > 0 && (
        // A long list scrolls, so the keyboard must be able to enter it.
        <ul className={classes["reasons"]} aria-label="Reasons" tabIndex={0}>
          {entry.reasons.map(({ serial_number: serial, outcome, reason }) => (
            <li key={serial}>
              <strong>
                <RobotLink serialNumber={serial} at={entry.begins_at} />
              </strong>{" "}
              {RUN_OUTCOME_WORDS[outcome]}: {reason}
            </li>
          ))}
        </ul>
      )}
      {entry.sample && <p className={`${shared["muted"]} ${classes["zone"]}`}>Sample data of the demo</p>}
    </div>
  );
}

/** Leads to that moment of a robot's page. */
function RobotLink({ serialNumber, at }: { readonly serialNumber: string; readonly at: string }) {
  return (
    <Anchor component={Link} to={paths.robot(serialNumber, { at })} inherit>
      {serialNumber}
    </Anchor>
  );
}
