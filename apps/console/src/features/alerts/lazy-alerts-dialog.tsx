import { lazyDialog } from "../../ui/lazy-dialog.tsx";
import type { AlertsDialogProps } from "./alerts-dialog.tsx";
import { ALERTS_CLOSED, useAlertsUrl } from "./alerts-url.ts";

const Dialog = lazyDialog(
  () => "Alerts",
  async () => (await import("./alerts-dialog.tsx")).AlertsDialog,
);

/** The list of alerts where the URL asks for it; its code is fetched when it is first opened. */
export function AlertsDialog({ onSelect }: Pick<AlertsDialogProps, "onSelect">) {
  const { state, change } = useAlertsUrl();
  return state.isOpen ? <Dialog onSelect={onSelect} onClose={() => change(ALERTS_CLOSED, "push")} /> : null;
}
