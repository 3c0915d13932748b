import { Popover, type PopoverProps } from "@mantine/core";
import { type KeyboardEvent, type ReactElement, type ReactNode, useState } from "react";

/** The library names a popover by its button; empty, its own label counts. */
const NOT_ITS_BUTTON = "";

/** While it faded out, it could still take the focus from its opener, and the focus was lost with it. */
const GONE_AT_ONCE = { duration: 150, exitDuration: 0 };

interface OpenerHandlers {
  readonly onClick: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

interface DetailsPopoverProps {
  readonly label: string;
  readonly width: PopoverProps["width"];
  /** What opens it, with these handlers. */
  readonly renderOpener: (handlers: OpenerHandlers) => ReactElement;
  readonly children: (close: () => void) => ReactNode;
}

/**
 * More about what its opener shows. Escape and a press elsewhere close it; then the opener has the focus again.
 */
export function DetailsPopover({ label, width, renderOpener, children }: DetailsPopoverProps) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const handlers: OpenerHandlers = {
    onClick: () => setOpen((was) => !was),
    // The focus moves into the popover a moment after it has opened.
    onKeyDown: ({ key }) => {
      if (key === "Escape") close();
    },
  };
  return (
    <Popover
      withArrow
      shadow="md"
      trapFocus
      returnFocus
      width={width}
      opened={isOpen}
      transitionProps={GONE_AT_ONCE}
      onChange={setOpen}
    >
      <Popover.Target>{renderOpener(handlers)}</Popover.Target>
      <Popover.Dropdown aria-labelledby={NOT_ITS_BUTTON} aria-label={label}>
        {children(close)}
      </Popover.Dropdown>
    </Popover>
  );
}
