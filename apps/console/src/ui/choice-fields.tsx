import { Box, Button, Group } from "@mantine/core";
import type { ReactNode } from "react";
import { DisabledReason } from "./disabled-reason.tsx";
import shared from "./shared.module.css";
import classes from "./choice-fields.module.css";

export interface ChoiceFieldsProps {
  readonly title: string;
  readonly chosenCount: number;
  readonly isDisabled: boolean;
  readonly className: string | undefined;
  readonly children: ReactNode;
}

/** A multiple-choice list, with the number chosen. */
export function ChoiceFields({ title, chosenCount, isDisabled, className, children }: ChoiceFieldsProps) {
  return (
    <fieldset className={`${classes["fields"]} ${className}`} disabled={isDisabled}>
      <legend className={classes["legend"]}>
        {title}{" "}
        <Box component="span" fw={400} c="dimmed" role="status">
          {chosenCount.toLocaleString("en-GB")} selected
        </Box>
      </legend>
      {children}
    </fieldset>
  );
}

export interface ChoiceToolsProps<T> {
  readonly isDisabled: boolean;
  /** What one press adds. */
  readonly sets: readonly { readonly label: string; readonly items: readonly T[] }[];
  readonly hasChosen: boolean;
  readonly onAdd: (items: readonly T[]) => void;
  readonly onNone: () => void;
}

/** Buttons that choose many at once, or none. */
export function ChoiceTools<T>({ isDisabled, sets, hasChosen, onAdd, onNone }: ChoiceToolsProps<T>) {
  return (
    <Group gap="2px 4px" align="stretch" my={6} mx={-6}>
      {sets.map(({ label, items }, index) => (
        <Button
          // oxlint-disable-next-line react/no-array-index-key -- its place; the label counts and changes
          key={index}
          variant="subtle"
          size="compact-xs"
          disabled={isDisabled || items.length === 0}
          onClick={() => onAdd(items)}
        >
          {label}
        </Button>
      ))}
      <DisabledReason reason={hasChosen ? null : "Nothing is selected."}>
        <Button variant="subtle" size="compact-xs" disabled={isDisabled} onClick={onNone}>
          Select none
        </Button>
      </DisabledReason>
    </Group>
  );
}

/** Shown instead of the list: why there is nothing to choose. */
export function NoChoices({ children }: { readonly children: ReactNode }) {
  return (
    <Box className={shared["box"]} component="p" py={24} px={12} fz={13} c="dimmed" ta="center" role="status">
      {children}
    </Box>
  );
}
