import { Modal, type ModalProps } from "@mantine/core";
import { useMediaQuery, useWindowEvent } from "@mantine/hooks";
import { type ReactNode, useEffect, useState } from "react";
import classes from "./dialog.module.css";

export interface DialogProps extends Omit<ModalProps, "opened" | "closeOnEscape" | "fullScreen"> {
  /** Fills the screen if that is narrower than this, such as "48em"; never by default. */
  readonly fullScreenBelow?: string;
  /** A column in which one part takes the remaining height, such as a list that scrolls. */
  readonly isColumn?: boolean;
  /** False if Escape must not lose what is shown, such as a password that is shown once. */
  readonly closesOnEscape?: boolean;
}

/** On a phone: dialogs fill the screen, and table rows become cards. */
export function useIsNarrow(): boolean {
  return useMediaQuery("(max-width: 48em)", undefined, { getInitialValueInEffect: false }) ?? false;
}

/** Open dialogs, the topmost last. */
const stack: symbol[] = [];
/** Whether the page behind is out of reach. */
export function isDialogOpen(): boolean {
  return stack.length > 0;
}

/** Escape presses that have closed a dialog; the one below, which is then the topmost, ignores them. */
const handledEscapes = new WeakSet<Event>();

/** A dialog that exists only while it is open. Escape closes only the topmost; the focus returns to where it was. */
export function Dialog({
  fullScreenBelow = "0em",
  closesOnEscape = true,
  isColumn = false,
  onClose,
  ...props
}: DialogProps) {
  useReturnFocus();
  const [id] = useState(() => Symbol("dialog"));
  useEffect(() => {
    stack.push(id);
    return () => void stack.splice(stack.indexOf(id), 1);
  }, [id]);
  // The library's own Escape may close the lowest of several dialogs.
  useWindowEvent(
    "keydown",
    (event) => {
      if (event.key !== "Escape" || event.isComposing || stack.at(-1) !== id || handledEscapes.has(event)) return;
      // An open list of choices handles the press itself.
      const { target } = event;
      if (target instanceof Element && target.getAttribute("data-mantine-stop-propagation") === "true") return;
      if (!closesOnEscape) return;
      handledEscapes.add(event);
      onClose();
    },
    { capture: true },
  );
  const isNarrow = useMediaQuery(`(max-width: ${fullScreenBelow})`, undefined, { getInitialValueInEffect: false });
  const column = { content: classes["content"] ?? "", body: classes["body"] ?? "" };
  return (
    <Modal
      opened
      closeOnEscape={false}
      fullScreen={isNarrow}
      onClose={onClose}
      {...(isColumn && { classNames: column })}
      {...props}
    />
  );
}

interface DialogFooterProps {
  /** On a phone the buttons share one line equally, instead of being as wide as their labels. */
  readonly isEqual?: boolean;
  /** Also on a wide screen, for a dialog that is higher than most. */
  readonly staysInSight?: boolean;
  readonly children: ReactNode;
}

/** The buttons of a long dialog: on a phone they stay in sight, at its lower edge. */
export function DialogFooter({ isEqual = false, staysInSight = false, children }: DialogFooterProps) {
  const isInSight = useIsNarrow() || staysInSight;
  return (
    <div className={classes["foot"]} data-equal={isEqual || undefined} data-in-sight={isInSight || undefined}>
      {children}
    </div>
  );
}

/**
 * When the component unmounts, the focus returns to what had it before. Works for one dialog that replaces another,
 * too.
 */
export function useReturnFocus(): void {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      // After the dialog's own components have unmounted.
      setTimeout(() => {
        if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
      });
    },
    [before],
  );
}
