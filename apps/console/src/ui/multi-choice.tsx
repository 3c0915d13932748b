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

interface IdChoiceProps extends Pick<MultiSelectProps, "label" | "placeholder" | "error"> {
  /** Such as "site". */
  readonly what: string;
  /** What there is; undefined until it is known. */
  readonly known: readonly { readonly id: number; readonly name: string }[] | undefined;
  readonly chosen: readonly number[];
  readonly onChoose: (ids: readonly number[]) => void;
}

/** Several of what has an id and a name. What is chosen stays a choice, even if it was deleted meanwhile. */
export function IdChoice({ what, known, chosen, onChoose, ...props }: IdChoiceProps) {
  const missing = chosen.filter((id) => known?.some((one) => one.id === id) !== true);
  const label = known === undefined ? "Loading…" : "Deleted";
  return (
    <MultiChoice
      nothingFoundMessage={`No ${what} has this name`}
      data={[
        ...(known ?? []).map(({ id, name }) => ({ value: String(id), label: name })),
        ...missing.map((id) => ({ value: String(id), label })),
      ]}
      value={chosen.map(String)}
      onChange={(ids) => onChoose(ids.map(Number))}
      {...props}
    />
  );
}
