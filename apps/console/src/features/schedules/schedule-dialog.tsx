import { Box, Checkbox, SegmentedControl, Stack, Switch, TextInput } from "@mantine/core";
import "@mantine/core/styles/Checkbox.layer.css";
import "@mantine/core/styles/Switch.layer.css";
import type { Group } from "@suncrew/contract/groups/groups.ts";
import { type Frequency, SCHEDULE_MAX_MINUTES, SCHEDULE_MIN_MINUTES } from "@suncrew/contract/schedules/schedules.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { effectiveStart, nextRunsAfter } from "@suncrew/domain/schedules/next-run.ts";
import { decidesAt } from "@suncrew/domain/schedules/due-decision.ts";
import { parseDurationInput } from "@suncrew/domain/schedules/schedule-validation.ts";
import { siteToday } from "@suncrew/domain/schedules/site-time.ts";
import { type ScheduleDecision, scheduleDecisions } from "@suncrew/contract/schedules/schedule-decisions.ts";
import { IconCircleMinus, IconInfoCircle, IconPlayerPlay } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { routeQuery } from "../../platform/api/route-query.ts";
import { QueryState } from "../../platform/query-state.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import type { Look } from "../../ui/look.ts";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
import type { DecisionsProps } from "./decision-parts.tsx";
import summary from "./schedule-summary.module.css";
import { type ReactNode, useId, useState } from "react";
import { EntityDialog } from "../../platform/form/entity-dialog.tsx";
import { useEntityForm } from "../../platform/form/entity-form.ts";
import { toast } from "../../platform/toast.tsx";
import { ClockField } from "../../ui/clock-field.tsx";
import { DayField } from "../../ui/day-field.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { siteClockText, siteTimeText } from "../../ui/site-time-text.ts";
import { useNow } from "../../ui/use-now.ts";
import { ByNeedFields } from "./by-need-fields.tsx";
import { saveSchedule } from "./schedule-calls.ts";
import shared from "../../ui/shared.module.css";
import classes from "./schedule-dialog.module.css";
import {
  formStartTime,
  problemOf,
  scheduleBodyOf,
  type ScheduleField,
  type ScheduleForm,
  scheduleRules,
  storedSchedule,
  withProposal,
} from "./schedule-form.ts";
import { FREQUENCIES, frequencyWord, lastDayNote, nextTimeText } from "./schedule-looks.ts";

const FREQUENCY_CHOICES = FREQUENCIES.map((value) => ({ value, label: frequencyWord[value] }));

export interface ScheduleDialogProps {
  readonly group: Group;
  readonly site: Site;
  readonly robotCount: number;
  /** When a single run is wanted, `YYYY-MM-DD` and `HH:MM`: the dialog begins with it instead of with what is stored. */
  readonly proposal?: { readonly date: string; readonly time: string };
  readonly onClose: () => void;
}

/** §2 Schedule dialog: an enable toggle, a time, a duration and a frequency; with a date and a preview. */
export function ScheduleDialog({ group, site, robotCount, proposal, onClose }: ScheduleDialogProps) {
  const { timezone } = site;
  const [today] = useState(() => siteToday(timezone, new Date()));
  const [begun] = useState(group.schedule_details);
  const [opened] = useState(() => withProposal(storedSchedule(begun, today), proposal));
  // Another schedule in its place is not the one being edited.
  const stored = begun === null || begun.id === group.schedule_details?.id ? group.schedule_details : null;
  const frequencyId = useId();
  const state = useEntityForm<ScheduleForm, ScheduleField, unknown>({
    what: "schedule",
    opened,
    isNew: begun === null,
    latest: stored === null ? null : storedSchedule(stored, today),
    deleted: begun !== null && stored === null ? "This schedule was deleted in the meantime." : null,
    rules: scheduleRules,
    problemsOf: () => ({}),
    savesUnchanged: true,
    save: async (form, version) => {
      const found = problemOf(form, timezone, formStartTime(form, stored), new Date());
      if (found !== null) {
        toast.failure(found);
        return { kind: "refused", error: null, problems: [found] };
      }
      const body = scheduleBodyOf(form, stored, { siteId: site.id, groupId: group.id });
      return saveSchedule(group, stored && { id: stored.id, version }, body);
    },
    onSaved: onClose,
  });
  const { form, change, problemAt } = state;

  return (
    <EntityDialog
      state={state}
      title={`Schedule: ${group.group_name}`}
      submitLabel="Save Schedule"
      shownBy={["site", "tab"]}
      onClose={onClose}
    >
      <Stack gap={14}>
        <Switch
          label="Enable schedule"
          description={`Starts ${robotCount === 1 ? "the robot" : `the ${robotCount} robots`} of the group, and stops ${robotCount === 1 ? "it" : "them"} at the end.`}
          checked={form.enabled}
          onChange={(event) => change({ enabled: event.currentTarget.checked })}
        />
        <div className={classes["fields"]}>
          <ClockField
            name="startTime"
            label="Start time"
            data-autofocus
            time={form.startTime}
            error={problemAt("startTime")}
            onChange={(startTime) => change({ startTime })}
          />
          <DayField
            name="date"
            label="Date"
            day={form.date}
            error={problemAt("date")}
            onChange={(date) => change({ date })}
          />
          <TextInput
            name="durationText"
            label="Duration (minutes)"
            inputMode="numeric"
            value={form.durationText}
            error={problemAt("durationText")}
            description={`${SCHEDULE_MIN_MINUTES} to ${SCHEDULE_MAX_MINUTES}`}
            inputWrapperOrder={["label", "input", "description"]}
            onChange={(event) => change({ durationText: event.currentTarget.value })}
            // §5: non-numeric input falls back to 1, visibly.
            onBlur={() => change({ durationText: String(parseDurationInput(form.durationText)) })}
          />
        </div>
        <div>
          <Box component="span" id={frequencyId} display="block" mb={4} fz={14} fw={600}>
            Frequency
          </Box>
          <SegmentedControl
            fullWidth
            aria-labelledby={frequencyId}
            data={FREQUENCY_CHOICES}
            value={form.frequency}
            className={classes["frequencies"] ?? ""}
            onChange={(frequency: Frequency) => change({ frequency })}
          />
        </div>
        {form.frequency === "WHEN_WORTH_IT" && (
          <ByNeedFields site={site} form={form} change={change} problemAt={problemAt} />
        )}
        <Checkbox
          label="Skip on rain"
          description="A run is skipped when the site's weather advice for the day is Not Recommended."
          checked={form.skipOnRain}
          onChange={(event) => change({ skipOnRain: event.currentTarget.checked })}
        />
        <SchedulePreview
          startTime={formStartTime(form, stored)}
          frequency={form.frequency}
          isEnabled={form.enabled}
          timezone={timezone}
        />
      </Stack>
    </EntityDialog>
  );
}

/** This many next runs are shown. */
const PREVIEWED = 5;

export interface SchedulePreviewProps {
  /** `YYYY-MM-DD HH:MM:SS`; null while the day or the time is missing. */
  readonly startTime: string | null;
  readonly frequency: Frequency;
  readonly isEnabled: boolean;
  /** IANA zone of the site. */
  readonly timezone: string;
}

/** The next runs in the site's time, and what a person should know before saving (decisions, Time). */
export function SchedulePreview({ startTime, frequency, isEnabled, timezone }: SchedulePreviewProps) {
  const now = useNow();
  return (
    <Box className={shared["box"]} component="section" py={10} px={12} bg="var(--sc-bg)" aria-label="Next runs">
      <Box component="h3" mb={6} fz={13} fw={650}>
        Next runs{" "}
        <Box component="span" fw={400} c="dimmed">
          in the site's time, {timezone}
        </Box>
      </Box>
      <div className={classes["runs"]}>
        {startTime === null ? (
          <p className={classes["note"]}>Set a date and a start time to see the next runs.</p>
        ) : isEnabled ? (
          <NextRuns startTime={startTime} frequency={frequency} timezone={timezone} now={now} />
        ) : (
          <p className={classes["note"]}>The schedule is off: it is stored, but no runs will start.</p>
        )}
      </div>
    </Box>
  );
}

interface NextRunsProps {
  readonly startTime: string;
  readonly frequency: Frequency;
  readonly timezone: string;
  readonly now: Date;
}

function NextRuns({ startTime, frequency, timezone, now }: NextRunsProps) {
  const start = effectiveStart({ startTime, frequency }, timezone, now);
  if (start.kind === "not-a-time") return <p className={classes["note"]}>This day or time does not exist.</p>;
  if (start.kind === "before-today") {
    return <p className={classes["note"]}>This day is past. Choose today or a later day.</p>;
  }
  const runs = nextRunsAfter({ startTime: start.startTime, frequency }, timezone, now, PREVIEWED);
  const isByNeed = frequency === "WHEN_WORTH_IT";
  const lastDay = lastDayNote({ frequency, date: startTime.slice(0, 10) });
  return (
    <>
      <ol className={classes["list"]}>
        {runs.map((run) => {
          const exact = siteTimeText(run, timezone, now);
          return (
            <li key={run.getTime()}>
              <span>{exact}</span>
              {isByNeed ? (
                <span
                  className={shared["muted"]}
                >{`will be decided at ${siteClockText(decidesAt(run), timezone)}`}</span>
              ) : (
                <RelativeTime at={run.toISOString()} exactText={`${exact} (${timezone})`} />
              )}
            </li>
          );
        })}
      </ol>
      {start.moved && (
        <Note>
          {startTime.slice(11, 16)} is already past today at the site, so the next run comes {nextTimeText[frequency]}:{" "}
          {siteTimeText(start.firstRun, timezone, now)}.
        </Note>
      )}
      {lastDay !== null && <Note>{lastDay}</Note>}
    </>
  );
}

function Note({ children }: { children: ReactNode }) {
  return (
    <p className={classes["note"]}>
      <IconInfoCircle size={14} aria-hidden />
      <span>{children}</span>
    </p>
  );
}

const runsLook: Look = { label: "Runs", tone: "good", icon: IconPlayerPlay };
const noRunLook: Look = { label: "No run", tone: "off", icon: IconCircleMinus };

/** A decision is made every evening; more comes with the group. */
const REFRESH_MS = 60_000;

/** §11 Cleaning by need: what was decided on each day, and why. */
export function DecisionsDialog({ group, site, onClose }: DecisionsProps & { readonly onClose: () => void }) {
  const sent = { params: { siteId: site.id }, query: { group_id: group.id } };
  // What was listed before an edit of the schedule counts no more.
  const query = useQuery({ ...routeQuery(scheduleDecisions, sent), staleTime: 0, refetchInterval: REFRESH_MS });
  return (
    <Dialog title={`Decisions: ${group.group_name}`} onClose={onClose} size={560}>
      <QueryState
        query={query}
        loading={<SkeletonLines label="Loading the decisions" lines={6} lineHeightPx={44} />}
        failed="The decisions could not be loaded."
      >
        {({ decisions }) =>
          decisions.length === 0 ? (
            <EmptyState
              title="Nothing has been decided yet"
              message="Two hours before its time it will be decided whether it runs."
            />
          ) : (
            <>
              <p className={shared["muted"]}>{`Newest first, in the site's time, ${site.timezone}.`}</p>
              <ul className={summary["list"]} aria-label="Decisions">
                {decisions.map((decision) => (
                  <Decision key={decision.id} decision={decision} timezone={site.timezone} />
                ))}
              </ul>
            </>
          )
        }
      </QueryState>
    </Dialog>
  );
}

function Decision({ decision, timezone }: { readonly decision: ScheduleDecision; readonly timezone: string }) {
  const now = useNow();
  const { runs, is_void: isVoid, text } = decision;
  const timeOf = (at: string) => siteTimeText(new Date(at), timezone, now);
  return (
    <li data-void={isVoid || undefined}>
      <p className={summary["times"]}>
        <strong>{timeOf(decision.due_at)}</strong>
        <StateBadge look={runs ? runsLook : noRunLook} />
      </p>
      <p>{text}</p>
      <p className={shared["muted"]}>
        {isVoid
          ? "Does not count: the schedule was changed before its time."
          : `Decided ${timeOf(decision.decided_at)}`}
      </p>
    </li>
  );
}
