import { ActionIcon, TextInput, type TextInputProps } from "@mantine/core";
import { IconCalendarEvent } from "@tabler/icons-react";
import { useRef, useState } from "react";
import classes from "./day-field.module.css";
import { EARLIEST_DAY, shortDayText } from "./days.ts";

const LATEST_DAY = "9999-12-31";
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** Only whole years, so that nothing is a date while its year is still being typed. */
const FORMS = [
  /^(?<year>\d{4})-(?<month>\d{2})-(?<date>\d{2})$/,
  /^(?<date>\d{1,2})[\s.-]*(?<month>[a-z]{3,9})[\s.,-]*(?<year>\d{4})$/,
  /^(?<date>\d{1,2})[\s./-]+(?<month>\d{1,2})[\s./-]+(?<year>\d{4})$/,
  // Digit by digit: "22112026".
  /^(?<date>\d{2})(?<month>\d{2})(?<year>\d{4})$/,
];

/** The date, `YYYY-MM-DD`, in a text such as "22 Nov 2026", "22/11/2026" or "2026-11-22"; null if there is none. */
export function dayIn(text: string): string | null {
  const typed = text.trim().toLowerCase();
  const found = FORMS.map((form) => form.exec(typed)).find((match) => match !== null)?.groups;
  const { year, month, date } = found ?? {};
  if (year === undefined || month === undefined || date === undefined) return null;
  const number = /\d/.test(month) ? Number(month) : MONTHS.indexOf(month.slice(0, 3)) + 1;
  const day = `${year}-${String(number).padStart(2, "0")}-${date.padStart(2, "0")}`;
  const at = new Date(`${day}T00:00:00Z`);
  // Such as 31 February, which is no date.
  const isReal = !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day);
  return isReal && day >= EARLIEST_DAY ? day : null;
}

export interface DayFieldProps extends Omit<
  TextInputProps,
  "type" | "value" | "onChange" | "placeholder" | "rightSection"
> {
  /** `YYYY-MM-DD`; empty if none is chosen. */
  readonly day: string;
  /** The date once it is completely typed; empty while it is not. */
  readonly onChange: (day: string) => void;
}

const textOf = (day: string) => (day === "" ? "" : shortDayText(day));

/**
 * A date, typed or chosen from the browser's calendar. The browser's own field would show it in the order of the
 * browser's language, and so on each machine differently.
 */
export function DayField({ day, onChange, onBlur, error, ...props }: DayFieldProps) {
  const [draft, setDraft] = useState(textOf(day));
  const [seen, setSeen] = useState(day);
  const [isLeft, setLeft] = useState(true);
  const calendar = useRef<HTMLInputElement>(null);
  if (seen !== day) {
    setSeen(day);
    // Our own value coming back must not undo what is being typed.
    if (day !== (dayIn(draft) ?? "")) setDraft(textOf(day));
  }
  const type = (text: string) => {
    setDraft(text);
    const typed = dayIn(text) ?? "";
    if (typed !== day) onChange(typed);
  };
  const isUnclear = isLeft && draft.trim() !== "" && dayIn(draft) === null;
  return (
    <TextInput
      autoComplete="off"
      {...props}
      placeholder="DD Mon YYYY"
      error={isUnclear ? "Type a date such as 22 Nov 2026" : error}
      value={draft}
      onChange={(event) => type(event.currentTarget.value)}
      onFocus={() => setLeft(false)}
      onBlur={(event) => {
        setLeft(true);
        const typed = dayIn(draft);
        if (typed !== null) setDraft(shortDayText(typed));
        onBlur?.(event);
      }}
      rightSectionWidth={32}
      rightSection={
        <span className={classes["calendar"]}>
          <ActionIcon
            className={classes["button"]}
            variant="subtle"
            color="gray"
            size={24}
            aria-label="Open calendar"
            disabled={props.disabled === true}
            onClick={() => calendar.current?.showPicker()}
          >
            <IconCalendarEvent size={16} aria-hidden />
          </ActionIcon>
          {/* Only its calendar is shown: it opens where this is. */}
          <input
            ref={calendar}
            type="date"
            className={classes["native"]}
            aria-hidden
            tabIndex={-1}
            min={EARLIEST_DAY}
            max={LATEST_DAY}
            value={day}
            disabled={props.disabled}
            onChange={({ currentTarget: { value } }) => {
              setDraft(textOf(value));
              onChange(value);
            }}
          />
        </span>
      }
    />
  );
}
