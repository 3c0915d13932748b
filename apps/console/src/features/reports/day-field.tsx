import { TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { isReportDay } from "./report-choice.ts";

export interface DayFieldProps {
  readonly label: string;
  /** `YYYY-MM-DD`; empty where none is chosen. */
  readonly day: string;
  readonly error?: ReactNode;
  readonly disabled: boolean;
  readonly onChange: (day: string) => void;
}

/** A day of the range; while its year is typed it is one of the first centuries, of which nobody is told. */
export function DayField({ label, day, error, disabled, onChange }: DayFieldProps) {
  const [draft, setDraft] = useState(day);
  const [seen, setSeen] = useState(day);
  if (seen !== day) {
    setSeen(day);
    setDraft(day);
  }
  return (
    <TextInput
      type="date"
      label={label}
      withAsterisk
      max="9999-12-31"
      disabled={disabled}
      error={error}
      value={draft}
      onChange={({ currentTarget: { value } }) => {
        setDraft(value);
        if (value === "" || isReportDay(value)) onChange(value);
      }}
    />
  );
}
