import { Box } from "@mantine/core";
import { IconCircleCheck, IconClockPause } from "@tabler/icons-react";
import { RelativeTime } from "../../ui/relative-time.tsx";
import type { MaintainedRobot } from "./maintained-robot.ts";
import shared from "../../ui/shared.module.css";
import classes from "./maintenance.module.css";

/** Who locked a robot, why and since when, and whether the robot itself has shown it; nothing if nobody did. */
export function MaintenanceNote({ robot }: { robot: MaintainedRobot }) {
  const lock = robot.maintenance;
  if (lock === null) return null;
  return (
    <div className={classes["note"]} data-confirmed={lock.confirmed} role="group" aria-label="Maintenance lock">
      <p className={shared["name"]}>{lock.reason}</p>
      <Box component="p" c="dimmed">
        Locked by {lock.locked_by}, <RelativeTime at={lock.locked_at} />
      </Box>
      <p className={classes["confirmation"]}>
        {lock.confirmed ? <IconCircleCheck size={13} aria-hidden /> : <IconClockPause size={13} aria-hidden />}
        {lock.confirmed ? "confirmed by the robot" : "not confirmed by the robot"}
      </p>
    </div>
  );
}
