import { Button } from "@mantine/core";
import { lazyDialog } from "../../ui/lazy-dialog.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import type { AlertsDialogProps } from "./alerts-dialog.tsx";
import { ALERTS_CLOSED, useAlertsUrl } from "./alerts-url.ts";
import type { WhoWasToldProps } from "./who-was-told.tsx";

const Dialog = lazyDialog(
  () => "Alerts",
  async () => (await import("./alerts-dialog.tsx")).AlertsDialog,
);

/** In a row that has its place while it is loading; without it everything else works. */
export const WhoWasTold = lazyPart<WhoWasToldProps>(async () => (await import("./who-was-told.tsx")).WhoWasTold, {
  failed: () => null,
});

/** The list of alerts if the URL names it; its code is loaded when it is first opened. */
export function AlertsDialog({ onSelect }: Pick<AlertsDialogProps, "onSelect">) {
  const { state, change } = useAlertsUrl();
  return state.isOpen ? <Dialog onSelect={onSelect} onClose={() => change(ALERTS_CLOSED, "push")} /> : null;
}

interface RobotAlertsLinkProps {
  readonly robotId: number;
  readonly serialNumber: string;
  /** Called before the list opens, to close what contains the button. */
  readonly onOpen: () => void;
}

/** Opens the list of alerts with those of one robot. */
export function RobotAlertsLink({ robotId, serialNumber, onOpen }: RobotAlertsLinkProps) {
  const { change } = useAlertsUrl();
  return (
    <Button
      size="compact-xs"
      variant="default"
      h={28}
      mt={8}
      aria-haspopup="dialog"
      aria-label={`Show in the list: alerts of robot ${serialNumber}`}
      onClick={() => {
        onOpen();
        change({ isOpen: true, state: "open", severity: null, siteId: null, robotId }, "push");
      }}
    >
      Show in the list
    </Button>
  );
}
