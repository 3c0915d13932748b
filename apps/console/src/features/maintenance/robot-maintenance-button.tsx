import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { IconLockOpen, IconTool } from "@tabler/icons-react";
import { useState } from "react";
import { lazyDialog } from "../../ui/lazy-dialog.tsx";
import { isLocked } from "./maintained-robot.ts";
import type { MaintainedRobot } from "./maintained-robot.ts";

const LockDialog = lazyDialog(
  ({ robot }) => `Maintenance: ${robot.serialNumber}`,
  async () => (await import("./lock-dialog.tsx")).LockDialog,
);
const ReleaseDialog = lazyDialog(
  ({ robot }) => `Exit maintenance: ${robot.serialNumber}`,
  async () => (await import("./release-dialog.tsx")).ReleaseDialog,
);

/** Robot card: Maintenance, or Exit Maintenance while the robot is locked; both ask first (decisions, stubs). */
export function RobotMaintenanceButton({ robot }: { robot: MaintainedRobot }) {
  const [open, setOpen] = useState<"lock" | "release" | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      {isLocked(robot) ? (
        <Button
          size="xs"
          variant="default"
          leftSection={<IconLockOpen size={14} aria-hidden />}
          data-wide
          aria-haspopup="dialog"
          onClick={() => setOpen("release")}
        >
          Exit Maintenance
        </Button>
      ) : (
        <Tooltip label="Maintenance">
          <ActionIcon
            variant="default"
            size={30}
            aria-label="Maintenance"
            aria-haspopup="dialog"
            onClick={() => setOpen("lock")}
          >
            <IconTool size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      )}
      {open === "lock" && <LockDialog robot={robot} onClose={close} />}
      {open === "release" && <ReleaseDialog robot={robot} onClose={close} />}
    </>
  );
}
