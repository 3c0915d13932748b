import "@mantine/core/styles/Checkbox.layer.css";
import "@mantine/core/styles/Switch.layer.css";
import { Button, Checkbox, Group as Row, Modal, SegmentedControl, Switch, TextInput } from "@mantine/core";
import type { Group } from "@suncrew/contract/groups/groups.ts";
import { SCHEDULE_MAX_MINUTES, SCHEDULE_MIN_MINUTES } from "@suncrew/contract/schedules/schedules.ts";
import type { Frequency } from "@suncrew/contract/schedules/schedules.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { parseDurationInput } from "@suncrew/domain/schedules/schedule-validation.ts";
import { siteToday } from "@suncrew/domain/schedules/site-time.ts";
import { useId, useRef, useState } from "react";
import { useGuardedClose } from "../../platform/confirm/use-guarded-close.ts";
import { toast } from "../../platform/toast.tsx";
import { DeletedNotice, EditConflict, RESOLVE_FIRST } from "../../ui/edit-conflict.tsx";
import { DisabledReason } from "../../ui/disabled-reason.tsx";
import { useReturnFocus } from "../../ui/use-return-focus.ts";
import { useMergedEdits } from "../../ui/use-merged-edits.ts";
import { saveSchedule } from "./schedule-calls.ts";
import classes from "./schedule-dialog.module.css";
import { formStartTime, scheduleBodyOf, scheduleEdits, storedSchedule } from "./schedule-form.ts";
import type { ScheduleForm } from "./schedule-form.ts";
import { FREQUENCIES, frequencyWord } from "./schedule-meaning.ts";
import { SchedulePreview } from "./schedule-preview.tsx";
import { problemOf, problemText } from "./schedule-problem.ts";
import type { FormProblem } from "./schedule-problem.ts";

const FREQUENCY_CHOICES = FREQUENCIES.map((value) => ({ value, label: frequencyWord[value] }));

export interface ScheduleDialogProps {
  readonly group: Group;
  readonly site: Site;
  readonly robotCount: number;
  readonly onClose: () => void;
}

/** §2 Schedule dialog: an enable toggle, a time, a duration and a frequency; with a date and what comes of it. */
export function ScheduleDialog({ group, site, robotCount, onClose }: ScheduleDialogProps) {
  useReturnFocus();
  const { timezone } = site;
  const [today] = useState(() => siteToday(timezone, new Date()));
  const [begun] = useState(group.schedule_details);
  // Another one in its place is not what is edited here.
  const stored = begun === null || begun.id === group.schedule_details?.id ? group.schedule_details : null;
  const gone = begun !== null && stored === null ? "This schedule has been deleted meanwhile." : null;
  const [problem, setProblem] = useState<FormProblem | null>(null);
  const [isSaving, setSaving] = useState(false);
  const { form, base, isChanged, meanwhile, ...edits } = useMergedEdits(
    storedSchedule(begun, today),
    stored === null || isSaving ? null : storedSchedule(stored, today),
    scheduleEdits,
  );
  const obstacle = gone ?? (meanwhile?.kind === "collides" ? RESOLVE_FIRST : null);
  const close = useGuardedClose({ isChanged, isSaving, shownBy: ["site", "tab"] }, onClose);
  const isUnderWay = useRef(false);
  const frequencyId = useId();
  const timeInput = useRef<HTMLInputElement>(null);
  const dateInput = useRef<HTMLInputElement>(null);
  const durationInput = useRef<HTMLInputElement>(null);

  const change = (by: Partial<ScheduleForm>) => {
    edits.change(by);
    setProblem(null);
  };

  const save = async () => {
    // A second press may come before the first has been drawn.
    if (obstacle !== null || isUnderWay.current) return;
    const found = problemOf(form, timezone, formStartTime(form, stored), new Date());
    setProblem(found);
    if (found !== null) {
      toast.failure(problemText[found]);
      const field =
        found === "invalid-duration" ? durationInput : found === "missing-start-time" ? timeInput : dateInput;
      field.current?.focus();
      return;
    }
    isUnderWay.current = true;
    setSaving(true);
    const edited = stored === null ? null : { id: stored.id, version: base.version };
    const body = scheduleBodyOf(form, stored, { siteId: site.id, groupId: group.id });
    const outcome = await saveSchedule(group, edited, body);
    isUnderWay.current = false;
    setSaving(false);
    if (outcome === "saved") onClose();
  };

  return (
    <Modal opened onClose={close} title={`Schedule: ${group.group_name}`}>
      <form
        className={classes["form"]}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        {gone !== null ? (
          <DeletedNotice what="schedule" reason={gone} />
        ) : (
          meanwhile !== null && <EditConflict what="schedule" meanwhile={meanwhile} />
        )}
        <Switch
          label="Enable schedule"
          description={`Starts ${robotCount === 1 ? "the robot" : `the ${robotCount} robots`} of the group, and stops ${robotCount === 1 ? "it" : "them"} at the end.`}
          checked={form.enabled}
          onChange={(event) => change({ enabled: event.currentTarget.checked })}
        />
        <div className={classes["fields"]}>
          <TextInput
            ref={timeInput}
            type="time"
            label="Start time"
            data-autofocus
            value={form.startTime}
            error={problem === "missing-start-time"}
            onChange={(event) => change({ startTime: event.currentTarget.value.slice(0, 5) })}
          />
          <TextInput
            ref={dateInput}
            type="date"
            label="Date"
            value={form.date}
            error={problem === "past-date" || problem === "missing-date"}
            onChange={(event) => change({ date: event.currentTarget.value })}
          />
          <TextInput
            ref={durationInput}
            label="Duration (minutes)"
            inputMode="numeric"
            value={form.durationText}
            error={problem === "invalid-duration"}
            description={`${SCHEDULE_MIN_MINUTES} to ${SCHEDULE_MAX_MINUTES}`}
            inputWrapperOrder={["label", "input", "description"]}
            onChange={(event) => change({ durationText: event.currentTarget.value })}
            // §5: what is no number falls back to 1, and is seen to.
            onBlur={() => edits.change({ durationText: String(parseDurationInput(form.durationText)) })}
          />
        </div>
        <div>
          <span id={frequencyId} className={classes["label"]}>
            Frequency
          </span>
          <SegmentedControl
            fullWidth
            aria-labelledby={frequencyId}
            data={FREQUENCY_CHOICES}
            value={form.frequency}
            onChange={(frequency: Frequency) => change({ frequency })}
          />
        </div>
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
        <Row justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <DisabledReason reason={obstacle}>
            <Button type="submit" loading={isSaving}>
              Save Schedule
            </Button>
          </DisabledReason>
        </Row>
      </form>
    </Modal>
  );
}
