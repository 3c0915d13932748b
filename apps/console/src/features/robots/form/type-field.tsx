import { Autocomplete } from "@mantine/core";
import { robotFieldLabel, typeChoices } from "./robot-form.ts";

interface TypeFieldProps {
  readonly field: "motorType" | "controlType";
  /** The types in use at the viewer's sites; undefined while they are not known. */
  readonly inUse: readonly string[] | undefined;
  readonly value: string;
  readonly error?: string | null;
  readonly onChange: (text: string) => void;
  readonly onBlur?: () => void;
}

/** A list of types, in which any other can be typed. */
export function TypeField({ field, inUse = [], value, ...input }: TypeFieldProps) {
  const choices = typeChoices(field, inUse);
  return (
    <Autocomplete
      {...input}
      label={robotFieldLabel[field]}
      autoComplete="off"
      name={field}
      placeholder="Choose or type"
      data={choices}
      // Above it, so that the list does not cover the buttons.
      comboboxProps={{ position: "top" }}
      // One that was chosen is to be exchanged for another one, not searched for.
      {...(choices.includes(value) && { filter: ({ options }) => options })}
      value={value}
    />
  );
}
