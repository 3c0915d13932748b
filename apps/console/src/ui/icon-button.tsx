import { ActionIcon, type ActionIconProps, Tooltip } from "@mantine/core";
import type { Icon } from "@tabler/icons-react";
import type { ComponentPropsWithRef } from "react";
import shared from "./shared.module.css";

type IconButtonProps = ActionIconProps &
  Omit<ComponentPropsWithRef<"button">, keyof ActionIconProps> & {
    /** Its tooltip, and its name unless `aria-label` is another. */
    readonly label: string;
    readonly icon: Icon;
    readonly iconPx?: number;
    readonly isTurning?: boolean;
  };

/** A button that shows an icon, and its words as a tooltip. */
export function IconButton({ label, icon: Symbol, iconPx = 16, isTurning = false, ...button }: IconButtonProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="default" size={30} aria-label={label} {...button}>
        <Symbol size={iconPx} aria-hidden className={isTurning ? shared["turning"] : undefined} />
      </ActionIcon>
    </Tooltip>
  );
}
