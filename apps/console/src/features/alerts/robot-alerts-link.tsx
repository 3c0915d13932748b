import { Button } from "@mantine/core";
import { useAlertsUrl } from "./alerts-url.ts";

export interface RobotAlertsLinkProps {
  readonly robotId: number;
  readonly serialNumber: string;
  /** What it stands in gives way to the list. */
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
