import { Modal, type ModalProps } from "@mantine/core";
import { useMediaQuery, useWindowEvent } from "@mantine/hooks";
import { useEffect, useState } from "react";

export interface DialogProps extends Omit<ModalProps, "opened" | "closeOnEscape" | "fullScreen"> {
  /** Fills the screen where that is narrower than this, such as "48em"; never unless given. */
  readonly fullScreenBelow?: string;
  /** False where Escape must not lose what is shown, such as a password that is shown once. */
  readonly closesOnEscape?: boolean;
}

/** Open dialogs, the topmost last. */
const stack: symbol[] = [];
/** Presses of Escape that have closed a dialog; the one below, which is the topmost then, ignores them. */
const handledEscapes = new WeakSet<Event>();

/** A dialog that exists only while it is open. Escape closes the topmost alone; the focus returns to where it was. */
export function Dialog({ fullScreenBelow = "0em", closesOnEscape = true, onClose, ...props }: DialogProps) {
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
      // A list of choices that is open keeps the press to itself.
      const { target } = event;
      if (target instanceof Element && target.getAttribute("data-mantine-stop-propagation") === "true") return;
      if (!closesOnEscape) return;
      handledEscapes.add(event);
      onClose();
    },
    { capture: true },
  );
  const isNarrow = useMediaQuery(`(max-width: ${fullScreenBelow})`, undefined, { getInitialValueInEffect: false });
  return <Modal opened closeOnEscape={false} fullScreen={isNarrow} onClose={onClose} {...props} />;
}

/** Once the component is gone, the focus returns to what had it before. For one dialog that replaces another too. */
export function useReturnFocus(): void {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      // After the dialog's own parts have gone.
      setTimeout(() => {
        if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
      });
    },
    [before],
  );
}
