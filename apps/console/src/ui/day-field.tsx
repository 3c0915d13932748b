import { TextInput, type TextInputProps } from "@mantine/core";
import { useState } from "react";
import { EARLIEST_DAY } from "./days.ts";

export interface DayFieldProps extends Pick<
  TextInputProps,
  "label" | "aria-label" | "size" | "withAsterisk" | "disabled" | "error"
> {
  /** `YYYY-MM-DD`; empty if none is chosen. */
  readonly day: string;
  readonly onChange: (day: string) => void;
}

/** A date, reported once its year is completely typed. */
export function DayField({ day, onChange, ...props }: DayFieldProps) {
  const [draft, setDraft] = useState(day);
  const [seen, setSeen] = useState(day);
  const [told, setTold] = useState(day);
  if (seen !== day) {
    setSeen(day);
    // Our own value coming back must not undo what was typed since.
    if (day !== told) {
      setDraft(day);
      setTold(day);
    }
  }
  return (
    <TextInput
      {...props}
      type="date"
      min={EARLIEST_DAY}
      max="9999-12-31"
      value={draft}
      onChange={({ currentTarget: { value } }) => {
        setDraft(value);
        if (value !== "" && value < EARLIEST_DAY) return;
        setTold(value);
        onChange(value);
      }}
    />
  );
}
