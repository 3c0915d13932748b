import { Box } from "@mantine/core";
import { IconCalendarTime, IconTrash, IconUmbrella } from "@tabler/icons-react";
import { confirm } from "../../platform/confirm/confirm.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { siteTimeText } from "../../ui/site-time-text.ts";
import { StateBadge } from "../../ui/state-badge.tsx";
import { useNow } from "../../ui/use-now.ts";
import { SkippedByWeather } from "../guard/public.ts";
import { DecisionsButton, NextDecision } from "./decision-parts.tsx";
import type { ScheduledGroupProps } from "./schedule-button.tsx";
import { removeSchedule } from "./schedule-calls.ts";
import { noNextRunText, scheduleStatusLook, timesText } from "./schedule-looks.ts";
import { useBusy } from "../../ui/use-busy.ts";
import shared from "../../ui/shared.module.css";
import classes from "./schedule-summary.module.css";

/** §2 Group Control tab: when the group runs, for how long, and next; with a delete icon. */
export function ScheduleSummary({ group, site }: ScheduledGroupProps) {
  const now = useNow();
  const [isDeleting, run] = useBusy();
  const schedule = group.schedule_details;
  if (schedule === null) {
    return (
      <div className={classes["summary"]} data-empty>
        <IconCalendarTime size={16} aria-hidden />
        <Box component="p" fz={12} c="dimmed">
          No schedule
        </Box>
      </div>
    );
  }

  const remove = async () => {
    const isSure = await confirm({
      title: `Delete the schedule of "${group.group_name}"?`,
      message: "This action cannot be undone. The group and its robots will remain intact.",
      confirmLabel: "Delete Schedule",
      destructive: true,
    });
    if (isSure) await run(() => removeSchedule(group, schedule));
  };

  const nextAt = schedule.next_run_at;
  return (
    <div className={classes["summary"]} role="group" aria-label={`Schedule of ${group.group_name}`}>
      <IconCalendarTime size={16} aria-hidden />
      <Box flex="1" miw={0}>
        <p className={classes["times"]}>
          <strong>{timesText(schedule)}</strong>
          <span>{schedule.duration_minutes} min</span>
          {schedule.least_days !== null && schedule.most_days !== null && (
            <span>{`${schedule.least_days} to ${schedule.most_days} days apart`}</span>
          )}
          {schedule.status !== "ACTIVE" && <StateBadge look={scheduleStatusLook[schedule.status]} />}
          {schedule.skip_on_rain && (
            <Box component="span" display="inline-flex" fz={12} c="dimmed" style={{ gap: 4, alignItems: "center" }}>
              <IconUmbrella size={14} aria-hidden />
              Skips rain
            </Box>
          )}
        </p>
        <Box component="p" fz={12} c="dimmed">
          {schedule.waiting !== null ? (
            schedule.waiting
          ) : schedule.decides_at !== null ? (
            <NextDecision schedule={schedule} timezone={site.timezone} />
          ) : nextAt === null ? (
            noNextRunText[schedule.status]
          ) : (
            <>
              Next run{" "}
              <RelativeTime
                at={nextAt}
                exactText={`${siteTimeText(new Date(nextAt), site.timezone, now)} (${site.timezone})`}
              />
              {`: ${siteTimeText(new Date(nextAt), site.timezone, now)}`}
              <SkippedByWeather site={site} dueAt={nextAt} />
            </>
          )}
        </Box>
        {schedule.frequency === "WHEN_WORTH_IT" && <DecisionsButton group={group} site={site} />}
      </Box>
      <IconButton
        label="Delete schedule"
        icon={IconTrash}
        className={shared["touchIcon"]}
        variant="subtle"
        color="gray"
        aria-haspopup="dialog"
        aria-busy={isDeleting}
        onClick={isDeleting ? undefined : () => void remove()}
      />
    </div>
  );
}
