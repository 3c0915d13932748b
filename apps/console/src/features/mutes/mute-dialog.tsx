import { Group, Radio, Stack, Text, Textarea } from "@mantine/core";
import { type Mute, MUTE_REASON_MAX } from "@suncrew/contract/notifications/mutes.ts";
import { muteUntilProblem } from "@suncrew/domain/notifications/mutes.ts";
import { addDays } from "@suncrew/domain/schedules/calendar-date.ts";
import { instantOf, localTimeOf, siteToday } from "@suncrew/domain/schedules/site-time.ts";
import { useState } from "react";
import { EntityDialog } from "../../platform/form/entity-dialog.tsx";
import { type EntityRules, type FieldProblems, useEntityForm } from "../../platform/form/entity-form.ts";
import { ClockField } from "../../ui/clock-field.tsx";
import { DayField } from "../../ui/day-field.tsx";
import { zoneText } from "../../ui/exact-time-text.ts";
import { siteTimeText } from "../../ui/site-time-text.ts";
import { useNow } from "../../ui/use-now.ts";
import { mute, type MuteTarget } from "./mutes.ts";

const HOUR_MS = 3_600_000;
const MORNING = "06:00";

const afterHours = (hours: number) => (now: Date) => new Date(now.getTime() + hours * HOUR_MS);

/** How long a mute may last; a morning is the site's. */
const lengths = {
  hour: { label: "1 hour", end: afterHours(1) },
  morning: {
    label: "Until tomorrow morning",
    end: (now: Date, timezone: string) => instantOf(addDays(siteToday(timezone, now), 1), MORNING, timezone),
  },
  day: { label: "1 day", end: afterHours(24) },
  week: { label: "1 week", end: afterHours(7 * 24) },
  month: { label: "30 days", end: afterHours(30 * 24) },
} as const;

type Length = keyof typeof lengths;
/** Or until the date and time that are typed. */
type Choice = Length | "typed";

const isChoice = (value: string): value is Choice => value === "typed" || Object.hasOwn(lengths, value);

interface MuteForm {
  readonly choice: Choice;
  /** At the site, `YYYY-MM-DD` and `HH:MM`; empty while there is none. */
  readonly date: string;
  readonly time: string;
  readonly reason: string;
}
type MuteField = keyof MuteForm;

const labels: Record<MuteField, string> = { choice: "How long", date: "Date", time: "Time", reason: "Reason" };

const rules: EntityRules<MuteForm, MuteField> = {
  units: [["choice"], ["date"], ["time"], ["reason"]],
  isSame: (one, other, field) => one[field] === other[field],
  labelOf: (field) => labels[field],
  // Without a date that was typed there is no field for it: it is said in the message.
  fieldOf: (wire) => (wire === "until" ? "date" : wire === "reason" ? "reason" : null),
  textOf: (form, field) => form[field],
};

function endOf({ choice, date, time }: MuteForm, timezone: string, now: Date): Date {
  return choice === "typed" ? instantOf(date, time, timezone) : lengths[choice].end(now, timezone);
}

function problemsOf(form: MuteForm, timezone: string, now: Date): FieldProblems<MuteField> {
  const reason = form.reason.trim() === "" ? { reason: "Reason is required" } : {};
  if (form.choice !== "typed") return reason;
  const missing = {
    ...(form.date === "" && { date: "Choose a date" }),
    ...(form.time === "" && { time: "Type a time" }),
  };
  const wrong = Object.keys(missing).length > 0 ? null : muteUntilProblem(endOf(form, timezone, now), now);
  return { ...missing, ...(wrong !== null && { date: wrong }), ...reason };
}

/** A new mute begins with an hour; a change with what holds now. */
function formOf(changed: Mute | null, timezone: string, now: Date): MuteForm {
  if (changed !== null) {
    const { date, time } = localTimeOf(new Date(changed.until), timezone);
    return { choice: "typed", date, time: time.slice(0, 5), reason: changed.reason };
  }
  return { choice: "hour", date: addDays(siteToday(timezone, now), 1), time: MORNING, reason: "" };
}

export interface MuteDialogProps {
  readonly target: MuteTarget;
  /** What this replaces; null if nothing of the kind holds. */
  readonly changed: Mute | null;
  readonly onClose: () => void;
}

/** Until when, and why, nobody is to be sent messages about a robot or a site. */
export function MuteDialog({ target, changed, onClose }: MuteDialogProps) {
  const { timezone } = target;
  const now = useNow();
  const [opened] = useState(() => ({ form: formOf(changed, timezone, new Date()), version: 0 }));
  const state = useEntityForm<MuteForm, MuteField, unknown>({
    what: "mute",
    opened,
    // Each replaces what held before.
    isNew: true,
    latest: null,
    deleted: null,
    rules,
    problemsOf: (form) => problemsOf(form, timezone, now),
    immediate: ["date"],
    save: (form) => mute(target, endOf(form, timezone, new Date()), form.reason.trim()),
    onSaved: onClose,
  });
  const { form, change, problemAt } = state;
  return (
    <EntityDialog
      state={state}
      title={`Mute: ${target.name}`}
      submitLabel={changed === null ? "Mute" : "Change Mute"}
      shownBy={["site", "tab"]}
      onClose={onClose}
    >
      <Stack gap="sm">
        <Text size="sm">
          Its alerts are still shown here, and nobody is sent messages about them. What is still open at the end is told
          then.
        </Text>
        <Radio.Group
          label="How long"
          description={`Times are the site's (${zoneText(timezone)}).`}
          value={form.choice}
          onChange={(choice) => {
            if (isChoice(choice)) change({ choice });
          }}
        >
          <Stack gap={6} mt={8}>
            {Object.entries(lengths).map(([value, { label, end }]) => (
              <Radio
                key={value}
                value={value}
                label={label}
                description={siteTimeText(end(now, timezone), timezone, now)}
              />
            ))}
            <Radio value="typed" label="Until a date and time" />
          </Stack>
        </Radio.Group>
        {form.choice === "typed" && (
          <Group gap={10} align="flex-start" grow preventGrowOverflow={false} wrap="nowrap" ml={28}>
            <DayField
              label="Date"
              name="date"
              withAsterisk
              day={form.date}
              error={problemAt("date")}
              onChange={(date) => change({ date })}
              onBlur={() => state.touch("date")}
            />
            <ClockField
              label="Time"
              name="time"
              withAsterisk
              time={form.time}
              error={problemAt("time")}
              onChange={(time) => change({ time })}
              onBlur={() => state.touch("time")}
            />
          </Group>
        )}
        <Textarea
          label="Reason"
          name="reason"
          required
          withAsterisk
          autosize
          minRows={2}
          maxLength={MUTE_REASON_MAX}
          value={form.reason}
          error={problemAt("reason")}
          onChange={(event) => change({ reason: event.currentTarget.value })}
        />
      </Stack>
    </EntityDialog>
  );
}
