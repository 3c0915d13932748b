import { Button } from "@mantine/core";
import type { Group } from "@suncrew/contract/groups/groups.ts";
import type { RobotLive } from "@suncrew/contract/robots/robots.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { IconLockOpen, IconTool } from "@tabler/icons-react";
import { useState } from "react";
import { DisabledReason } from "../../ui/disabled-reason.tsx";
import { lazyDialog } from "../../ui/lazy-dialog.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { ToolButton } from "../../ui/tool-button.tsx";
import { isLocked, maintainedRobotOf, type MaintainedRobot } from "./maintained-robot.ts";

const LockDialog = lazyDialog(
  ({ robot }) => `Maintenance: ${robot.serialNumber}`,
  async () => (await import("./maintenance-dialogs.tsx")).LockDialog,
);
const ReleaseDialog = lazyDialog(
  ({ robot }) => `Exit maintenance: ${robot.serialNumber}`,
  async () => (await import("./maintenance-dialogs.tsx")).ReleaseDialog,
);

/** Robot card: Maintenance, or Exit Maintenance while the robot is locked; both ask first (decisions, stubs). */
export function RobotMaintenanceButton({ robot }: { robot: MaintainedRobot }) {
  const [open, setOpen] = useState<"lock" | "release" | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      {isLocked(robot) ? (
        <ToolButton icon={IconLockOpen} data-wide aria-haspopup="dialog" onClick={() => setOpen("release")}>
          Exit Maintenance
        </ToolButton>
      ) : (
        <IconButton label="Maintenance" icon={IconTool} aria-haspopup="dialog" onClick={() => setOpen("lock")} />
      )}
      {open === "lock" && <LockDialog robot={robot} onClose={close} />}
      {open === "release" && <ReleaseDialog robot={robot} onClose={close} />}
    </>
  );
}

const GroupMaintenanceDialog = lazyDialog(
  ({ group }) => `Maintenance: ${group.group_name}`,
  async () => (await import("./maintenance-dialogs.tsx")).GroupMaintenanceDialog,
);
/** Locks or releases robots of any sites. */
export const RobotsMaintenanceDialog = lazyDialog(
  () => "Maintenance",
  async () => (await import("./maintenance-dialogs.tsx")).RobotsMaintenanceDialog,
);

export interface GroupMaintenanceProps {
  readonly group: Group;
  readonly site: Site;
  /** Its members as last reported by the stream. */
  readonly robots: readonly RobotLive[];
}

/** §2 Group Control tab, the button Maintenance; Exit Maintenance if every member is locked. */
export function GroupMaintenanceButton({ group, robots }: GroupMaintenanceProps) {
  const [isOpen, setOpen] = useState(false);
  const members = robots.map((robot) => maintainedRobotOf(robot));
  const isAllLocked = members.length > 0 && members.every((robot) => isLocked(robot));
  return (
    <>
      <DisabledReason reason={members.length === 0 ? "This group has no robots." : null}>
        <Button
          size="xs"
          variant="default"
          leftSection={isAllLocked ? <IconLockOpen size={14} aria-hidden /> : <IconTool size={14} aria-hidden />}
          aria-haspopup="dialog"
          onClick={() => setOpen(true)}
        >
          {isAllLocked ? "Exit Maintenance" : "Maintenance"}
        </Button>
      </DisabledReason>
      {isOpen && <GroupMaintenanceDialog group={group} members={members} onClose={() => setOpen(false)} />}
    </>
  );
}
