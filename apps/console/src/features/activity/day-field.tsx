import { TextInput } from "@mantine/core";
import { useState } from "react";
import { isLogDay } from "./activity-address.ts";

export interface DayFieldProps {
  readonly label: string;
  /** `YYYY-MM-DD`. */
  readonly day: string | null;
  readonly error?: string | undefined;
  readonly onChange: (day: string | null) => void;
}

/** A day; while its year is typed it is one of the first centuries, of which nobody is told. */
export function DayField({ label, day, error, onChange }: DayFieldProps) {
  const [draft, setDraft] = useState(day ?? "");
  const [seen, setSeen] = useState(day);
  if (seen !== day) {
    setSeen(day);
    setDraft(day ?? "");
  }
  return (
    <TextInput
      size="xs"
      type="date"
      label={label}
      min="1900-01-01"
      value={draft}
      error={error}
      onChange={({ currentTarget: { value } }) => {
        setDraft(value);
        if (value === "") onChange(null);
        else if (isLogDay(value)) onChange(value);
      }}
    />
  );
}
