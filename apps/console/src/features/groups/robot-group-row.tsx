import { Button } from "@mantine/core";
import type { Group } from "@suncrew/contract/groups/groups.ts";
import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { IconEdit, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import { confirm } from "../../platform/confirm/confirm.ts";
import { DisabledReason } from "../../ui/disabled-reason.tsx";
import { ScheduleSummary } from "../schedules/public.ts";
import { removeGroup } from "./group-calls.ts";
import { robotsText } from "./group-meaning.ts";
import classes from "./robot-groups-card.module.css";
import { SerialNumbers } from "./serial-numbers.tsx";

/** So many serial numbers are named, the rest is counted. */
const SERIALS_NAMED = 12;

export interface RobotGroupRowProps {
  readonly group: Group;
  readonly site: Site;
  /** The robots of the site. */
  readonly siteRows: readonly RobotWithSettings[];
  /** Why it cannot be edited; null where it can. */
  readonly editObstacle: string | null;
  readonly onEdit: () => void;
}

/** One group of the Robot Groups card: its robots, its schedule, Edit and Delete. */
export function RobotGroupRow({ group, site, siteRows, editObstacle, onEdit }: RobotGroupRowProps) {
  const [isDeleting, setDeleting] = useState(false);
  const ids = new Set(group.robots.map(({ id }) => id));
  const members = siteRows.filter((row) => ids.has(row.robot_id));
  const serials = members.map((row) => row.serial_number);
  const more = serials.length - SERIALS_NAMED;

  const remove = async () => {
    const isSure = await confirm({
      title: "Delete Robot Group",
      message: deleteMessage(group),
      confirmLabel: "Yes",
      cancelLabel: "No",
      destructive: true,
    });
    if (!isSure) return;
    setDeleting(true);
    await removeGroup(group);
    setDeleting(false);
  };

  return (
    <li className={classes["group"]} aria-label={group.group_name}>
      <div className={classes["line"]}>
        <div className={classes["words"]}>
          <h4 className={classes["name"]}>{group.group_name}</h4>
          <p className={classes["robots"]}>
            {robotsText(group.robots.length)}
            {serials.length > 0 && ": "}
            <SerialNumbers serials={serials.slice(0, SERIALS_NAMED)} />
            {more > 0 && ` and ${more} more`}
          </p>
        </div>
        <div className={classes["buttons"]}>
          <DisabledReason reason={editObstacle}>
            <Button
              size="xs"
              variant="default"
              leftSection={<IconEdit size={14} aria-hidden />}
              aria-haspopup="dialog"
              onClick={onEdit}
            >
              Edit
            </Button>
          </DisabledReason>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconTrash size={14} aria-hidden />}
            aria-haspopup="dialog"
            loading={isDeleting}
            onClick={() => void remove()}
          >
            Delete
          </Button>
        </div>
      </div>
      {group.schedule_details !== null && <ScheduleSummary group={group} site={site} robots={members} />}
    </li>
  );
}

/** §5: what goes with the group, and what stays. */
function deleteMessage(group: Group): string {
  const schedule = group.schedule_details === null ? "" : " Its schedule is deleted with it and runs no more.";
  const robots = group.robots.length === 1 ? "Its robot stays" : `Its ${group.robots.length} robots stay`;
  return `Delete the group "${group.group_name}"?${schedule} ${robots} at the site, in no group.`;
}
