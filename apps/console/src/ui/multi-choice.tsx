import "@mantine/core/styles/Pill.layer.css";
import "@mantine/core/styles/PillsInput.layer.css";
import { MultiSelect, type MultiSelectProps } from "@mantine/core";
import classes from "./multi-choice.module.css";

/** More choices than this are found by typing. */
const LISTED = 100;

/** Several of many, found by typing; what is chosen is shown in the field. */
export function MultiChoice({ placeholder = "", value = [], ...props }: MultiSelectProps) {
  const { pill = "", pillsList = "" } = classes;
  return (
    <MultiSelect
      searchable
      limit={LISTED}
      value={value}
      placeholder={value.length === 0 ? placeholder : ""}
      classNames={{ pill, pillsList }}
      {...props}
    />
  );
}
