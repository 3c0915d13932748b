import { useRef } from "react";
import { confirm } from "./confirm.ts";

/** Closes a dialog with a form; where something was typed, it asks before that is thrown away. */
export function useGuardedClose(isChanged: boolean, onClose: () => void): () => void {
  const isAsking = useRef(false);
  const ask = async () => {
    isAsking.current = true;
    const isSure = await confirm({
      title: "Discard Changes",
      message: "What you entered has not been saved.",
      confirmLabel: "Discard",
      cancelLabel: "Keep editing",
      destructive: true,
    });
    if (isSure) onClose();
    // The same Escape that answers the question also reaches the dialog below it.
    setTimeout(() => (isAsking.current = false));
  };
  return () => {
    if (isAsking.current) return;
    if (isChanged) void ask();
    else onClose();
  };
}
