import { TextInput, type TextInputProps } from "@mantine/core";
import { useState } from "react";

/** The time of day in a text such as "18:45", "6:30" or "0630", as `HH:MM`; null if there is none. */
function clockIn(text: string): string | null {
  const [, hour, minute] = /^(\d{1,2})[:.]?(\d{2})$/.exec(text.trim()) ?? [];
  if (hour === undefined || minute === undefined || Number(hour) > 23 || Number(minute) > 59) return null;
  return `${hour.padStart(2, "0")}:${minute}`;
}

export interface ClockFieldProps extends Omit<TextInputProps, "type" | "value" | "onChange"> {
  /** `HH:MM`; empty if none is set. */
  readonly time: string;
  readonly onChange: (time: string) => void;
}

/** An HH:MM time input, as §2 has it for schedules. The browser's own would ask for AM or PM where its language does. */
export function ClockField({ time, onChange, error, ...props }: ClockFieldProps) {
  const [draft, setDraft] = useState(time);
  const [seen, setSeen] = useState(time);
  const [isLeft, setLeft] = useState(true);
  if (seen !== time) {
    setSeen(time);
    // Our own value coming back must not undo what is being typed.
    if (time !== (clockIn(draft) ?? "")) setDraft(time);
  }
  return (
    <TextInput
      autoComplete="off"
      {...props}
      placeholder="HH:MM"
      inputMode="numeric"
      error={isLeft && draft.trim() !== "" && clockIn(draft) === null ? "Type a time from 00:00 to 23:59" : error}
      value={draft}
      onChange={({ currentTarget: { value } }) => {
        setDraft(value);
        onChange(clockIn(value) ?? "");
      }}
      onFocus={() => setLeft(false)}
      onBlur={(event) => {
        setLeft(true);
        setDraft(clockIn(draft) ?? draft);
        props.onBlur?.(event);
      }}
    />
  );
}
