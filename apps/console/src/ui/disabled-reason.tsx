import { Tooltip, VisuallyHidden } from "@mantine/core";
import { cloneElement, useId, type MouseEvent, type ReactElement } from "react";

interface Pressable {
  readonly "aria-disabled"?: boolean;
  readonly "aria-describedby"?: string | undefined;
  readonly "data-disabled"?: boolean;
  readonly onClick?: ((event: MouseEvent<HTMLElement>) => void) | undefined;
}

export interface DisabledReasonProps {
  /** Why the button cannot be pressed now; null if it can. */
  readonly reason: string | null;
  /** Called when the disabled button, or Enter in its form, is pressed: a form then shows what is still wrong. */
  readonly onRefused?: () => void;
  /** A button of the component library. */
  readonly children: ReactElement<Pressable>;
}

/**
 * A button that says why it is disabled, in a tooltip and to a screen reader. It stays in the tab order
 * (`aria-disabled`, not `disabled`), so that the keyboard reaches the reason; pressing it does nothing.
 * The button stays the same element either way, so it keeps the focus.
 */
export function DisabledReason({ reason, onRefused, children }: DisabledReasonProps) {
  const id = useId();
  const button =
    reason === null
      ? children
      : cloneElement(children, {
          "aria-disabled": true,
          "aria-describedby": id,
          "data-disabled": true,
          onClick: (event: MouseEvent<HTMLElement>) => {
            event.preventDefault();
            onRefused?.();
          },
        });
  return (
    <>
      <Tooltip label={reason ?? ""} multiline maw={340} disabled={reason === null}>
        {button}
      </Tooltip>
      {reason !== null && <VisuallyHidden id={id}>{reason}</VisuallyHidden>}
    </>
  );
}
