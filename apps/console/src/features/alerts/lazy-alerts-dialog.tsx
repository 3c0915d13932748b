import { lazy, Suspense } from "react";
import type { AlertsDialogProps } from "./alerts-dialog.tsx";
import { useAlertsAddress } from "./use-alerts-address.ts";

const Dialog = lazy(() => import("./alerts-dialog.tsx").then((module) => ({ default: module.AlertsDialog })));

/** The list of alerts, whose code is fetched when it is first opened. */
export function AlertsDialog(props: AlertsDialogProps) {
  const { address } = useAlertsAddress();
  if (!address.isOpen) return null;
  return (
    <Suspense fallback={null}>
      <Dialog {...props} />
    </Suspense>
  );
}
