import { lazyDialog } from "../../ui/lazy-dialog.tsx";
import type { AlertsDialogProps } from "./alerts-dialog.tsx";
import { ALERTS_CLOSED } from "./alerts-address.ts";
import { useAlertsAddress } from "./use-alerts-address.ts";

const Dialog = lazyDialog(
  () => "Alerts",
  async () => (await import("./alerts-dialog.tsx")).AlertsDialog,
);

/** The list of alerts where the address asks for it; its code is fetched when it is first opened. */
export function AlertsDialog({ onSelect }: Pick<AlertsDialogProps, "onSelect">) {
  const { address, change } = useAlertsAddress();
  return address.isOpen ? <Dialog onSelect={onSelect} onClose={() => change(ALERTS_CLOSED, "push")} /> : null;
}
