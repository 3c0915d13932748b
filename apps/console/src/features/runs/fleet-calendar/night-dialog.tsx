import { Anchor, Button } from "@mantine/core";
import { type Group, groupList } from "@suncrew/contract/groups/groups.ts";
import { runsNight } from "@suncrew/contract/runs/runs.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { mayCall } from "@suncrew/domain/auth/permissions.ts";
import { robotCountText } from "@suncrew/domain/groups/groups.ts";
import { addDays } from "@suncrew/domain/schedules/calendar-date.ts";
import { suggestedStart } from "@suncrew/domain/schedules/suggested-start.ts";
import { IconCalendarPlus, IconCalendarTime, IconCalendarWeek, IconListDetails } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { routeQuery } from "../../../platform/api/route-query.ts";
import { paths } from "../../../platform/paths.ts";
import { QueryState } from "../../../platform/query-state.tsx";
import { useSignedIn } from "../../../platform/session/use-session.ts";
import { todayIn } from "../../../ui/days.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { siteClockText } from "../../../ui/site-time-text.ts";
import { SkeletonLines } from "../../../ui/skeletons.tsx";
import { ToolButton } from "../../../ui/tool-button.tsx";
import { useNow } from "../../../ui/use-now.ts";
import { ScheduleDialog, timesText } from "../../schedules/public.ts";
import { EntryDetails } from "../week-calendar.tsx";
import shared from "../../../ui/shared.module.css";
import classes from "./night-dialog.module.css";
import type { CalendarSite } from "./fleet-nights.ts";

interface NightDialogProps {
  readonly title: string;
  readonly site: CalendarSite;
  /** The date of its evening. */
  readonly night: string;
  readonly onClose: () => void;
}

/** A night of a site: its runs with their reasons and, unless the night is over, what plans another. */
export function NightDialog({ title, site, night, onClose }: NightDialogProps) {
  const { role } = useSignedIn();
  const now = useNow();
  const query = useQuery(routeQuery(runsNight, { params: { siteId: site.id }, query: { date: night } }));
  const local = { date: todayIn(site.timezone, now), time: siteClockText(now, site.timezone) };
  // A night ends at noon; in its last hour there is no full hour left to suggest.
  const isOver = `${addDays(night, 1)} 11:00` <= `${local.date} ${local.time}`;
  // What went wrong earlier is no longer on the attention list.
  const hasTrouble =
    night >= addDays(local.date, -1) && query.data?.entries.some(({ reasons }) => reasons.length > 0) === true;
  return (
    <Dialog title={title} size="lg" fullScreenBelow="48em" onClose={onClose}>
      <div className={classes["panel"]}>
        <QueryState
          query={query}
          loading={<SkeletonLines label="Loading the night" lines={2} lineHeightPx={80} />}
          failed="The night could not be loaded."
        >
          {({ entries, timezone }) =>
            entries.length === 0 ? (
              <p className={shared["muted"]}>{isOver ? "No runs that night." : "Nothing is planned for this night."}</p>
            ) : (
              <ul className={classes["entries"]} aria-label="Runs">
                {entries.map((entry) => (
                  <li key={entry.key} className={`${shared["box"]} ${classes["entry"]}`}>
                    <EntryDetails entry={entry} timezone={timezone} />
                  </li>
                ))}
              </ul>
            )
          }
        </QueryState>
        {!isOver && mayCall(role, "createSchedule") && <Plans site={site} night={night} local={local} />}
        <nav className={classes["links"]} aria-label="More about this night">
          <Anchor component={Link} to={paths.dashboard(site.id, night)} size="sm" className={shared["touch"] ?? ""}>
            <IconCalendarWeek size={16} aria-hidden />
            Week of the site
          </Anchor>
          {hasTrouble && (
            <Anchor component={Link} to={paths.dashboard()} size="sm" className={shared["touch"] ?? ""}>
              <IconListDetails size={16} aria-hidden />
              Retry in the attention list
            </Anchor>
          )}
        </nav>
      </div>
    </Dialog>
  );
}

interface PlansProps {
  readonly site: CalendarSite;
  readonly night: string;
  readonly local: { readonly date: string; readonly time: string };
}

/** The groups of the site, each of which has one schedule or can get one. */
function Plans({ site, night, local }: PlansProps) {
  const groups = useQuery(routeQuery(groupList, { params: { siteId: site.id } }));
  const sites = useQuery(routeQuery(siteDetails, {}));
  const [planned, setPlanned] = useState<number | null>(null);
  const whole = sites.data?.find(({ id }) => id === site.id);
  const group = groups.data?.find(({ id }) => id === planned);
  const usual = groups.data?.find(({ schedule_details }) => schedule_details !== null)?.schedule_details;
  const start = suggestedStart(night, usual?.start_time.slice(11, 16) ?? null, local);
  return (
    <section aria-label="Plan a run">
      <h3 className={shared["title"]}>Plan a run</h3>
      <QueryState
        query={groups}
        loading={<SkeletonLines label="Loading groups" lines={2} lineHeightPx={40} />}
        failed="The groups could not be loaded."
      >
        {(list) =>
          list.length === 0 ? (
            <p className={shared["muted"]}>
              Runs are planned for groups of robots, and this site has none yet.{" "}
              <Anchor component={Link} to={paths.groupControl(site.id)} fz="inherit">
                Create a group
              </Anchor>
            </p>
          ) : (
            <ul className={classes["groups"]}>
              {list.map((one) => (
                <li key={one.id} className={classes["group"]}>
                  <span className={classes["words"]}>
                    <strong className={shared["truncate"]}>{one.group_name}</strong>
                    <span className={shared["muted"]}>
                      {robotCountText(one.robots.length)}
                      {planOf(one)}
                    </span>
                  </span>
                  {hasSchedule(one) ? (
                    <ToolButton
                      icon={IconCalendarTime}
                      className={shared["touch"] ?? ""}
                      aria-haspopup="dialog"
                      aria-label={`Change the schedule of ${one.group_name}`}
                      onClick={() => setPlanned(one.id)}
                    >
                      Change
                    </ToolButton>
                  ) : (
                    <Button
                      size="xs"
                      className={shared["touch"] ?? ""}
                      leftSection={<IconCalendarPlus size={14} aria-hidden />}
                      aria-haspopup="dialog"
                      aria-label={`Plan a run of ${one.group_name}`}
                      onClick={() => setPlanned(one.id)}
                    >
                      Plan a run
                    </Button>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </QueryState>
      {group !== undefined && whole !== undefined && (
        <ScheduleDialog
          group={group}
          site={whole}
          robotCount={group.robots.length}
          {...(!hasSchedule(group) && { proposal: start })}
          onClose={() => setPlanned(null)}
        />
      )}
    </section>
  );
}

/** A schedule that has run and does not run again may be replaced; all others are somebody's plan. */
function hasSchedule({ schedule_details: schedule }: Group): boolean {
  return schedule !== null && schedule.status !== "COMPLETED";
}

function planOf(group: Group): string {
  const schedule = group.schedule_details;
  if (schedule === null || !hasSchedule(group)) return ", nothing planned";
  const off = schedule.status === "INACTIVE" ? ", switched off" : "";
  return `, ${timesText(schedule).replace(/^\w/, (letter) => letter.toLowerCase())}, ${schedule.duration_minutes} min${off}`;
}
