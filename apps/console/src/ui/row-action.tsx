import type { Icon } from "@tabler/icons-react";
import { IconButton } from "./icon-button.tsx";

export interface RowActionProps {
  /** What it does, as a tooltip. */
  readonly label: string;
  /** What it does to which row, for a screen reader. */
  readonly name: string;
  readonly icon: Icon;
  readonly iconPx?: number;
  readonly isDestructive?: boolean;
  readonly isBusy?: boolean;
  readonly isDisabled?: boolean;
  readonly onPress: () => void;
}

/** A button at the end of a table's row. */
export function RowAction(props: RowActionProps) {
  const { label, name, icon, iconPx = 17, isDestructive = false, onPress } = props;
  const { isBusy = false, isDisabled = false } = props;
  return (
    <IconButton
      label={label}
      icon={icon}
      iconPx={iconPx}
      variant="subtle"
      color={isDestructive ? "red" : "gray"}
      size={34}
      aria-label={name}
      loading={isBusy}
      disabled={isDisabled}
      onClick={onPress}
    />
  );
}
