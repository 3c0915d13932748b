import { Button, type ButtonProps } from "@mantine/core";
import type { Icon } from "@tabler/icons-react";
import type { ComponentPropsWithRef } from "react";

type ToolButtonProps = Omit<ButtonProps, "size" | "leftSection"> &
  Omit<ComponentPropsWithRef<"button">, keyof ButtonProps> & { readonly icon: Icon };

/** A small button with an icon, above a list or at the end of a card. */
export function ToolButton({ icon: ButtonIcon, variant = "default", ...button }: ToolButtonProps) {
  return <Button size="xs" variant={variant} leftSection={<ButtonIcon size={14} aria-hidden />} {...button} />;
}
