import type { Group } from "@suncrew/contract/groups/groups.ts";
import type { RobotLive } from "@suncrew/contract/robots/robots.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { IconCalendarTime } from "@tabler/icons-react";
import { useState } from "react";
import { ToolButton } from "../../ui/tool-button.tsx";
import { lazyDialog } from "../../ui/lazy-dialog.tsx";

/** Loads the date rules when it is first opened. */
export const ScheduleDialog = lazyDialog(
  ({ group }) => `Schedule: ${group.group_name}`,
  async () => (await import("./schedule-dialog.tsx")).ScheduleDialog,
);

/** The props of a group card's parts. */
export interface ScheduledGroupProps {
  /** With its schedule, if it has one: `schedule_details`. */
  readonly group: Group;
  readonly site: Site;
  /** Its members from the stream. */
  readonly robots: readonly RobotLive[];
}

/** §2 Group Control tab, the button Schedule. */
export function ScheduleButton({ group, site, robots }: ScheduledGroupProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <ToolButton icon={IconCalendarTime} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        Schedule
      </ToolButton>
      {isOpen && <ScheduleDialog group={group} site={site} robotCount={robots.length} onClose={() => setOpen(false)} />}
    </>
  );
}
