import { ActionIcon, Tooltip } from "@mantine/core";
import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { IconEdit, IconRefresh, IconTrash } from "@tabler/icons-react";
import type { ComponentProps, ReactNode } from "react";
import { firmwareWords, RobotBatteryBadge, RobotStatusBadge, useRobotView } from "../../robots/public.ts";
import classes from "./robot-rows.module.css";

export interface RobotRowProps {
  readonly row: RobotWithSettings;
  readonly onRefresh: (row: RobotWithSettings) => void;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
}

/** One robot of the list: what it is, how it is, and what can be done with it. */
export function RobotRow({ row, onRefresh, onEdit, onDelete }: RobotRowProps) {
  const robot = useRobotView(row);
  const name = robot.name === "" ? robot.serialNumber : robot.name;

  return (
    <article className={classes["row"]} aria-label={robot.serialNumber}>
      <div className={classes["words"]}>
        <span className={classes["name"]}>{name}</span>
        <span className={classes["facts"]}>
          {robot.serialNumber} · {robot.motorType ?? "Motor type not given"} ·{" "}
          {robot.firmwareUpdate === null ? `Firmware ${robot.firmware}` : firmwareWords(robot.firmwareUpdate)}
        </span>
      </div>
      <div className={classes["state"]}>
        {/* Simulated values belong to the monitoring view, where they are marked. */}
        <RobotBatteryBadge robot={{ ...robot, batteryPercent: robot.toldBatteryPercent }} />
        {/* Not for a poll: hundreds of badges must not change each minute. */}
        <RobotStatusBadge robot={robot.refresh === "pressed" ? { ...robot, isChecking: true } : robot} />
      </div>
      <div className={classes["deeds"]}>
        <Deed
          label="Refresh status"
          aria-busy={robot.refresh !== null}
          onClick={() => onRefresh(row)}
          icon={
            <IconRefresh size={16} aria-hidden className={robot.refresh !== null ? classes["turning"] : undefined} />
          }
        />
        <Deed label="Edit" aria-haspopup="dialog" onClick={onEdit} icon={<IconEdit size={16} aria-hidden />} />
        <Deed label="Delete" aria-haspopup="dialog" onClick={onDelete} icon={<IconTrash size={16} aria-hidden />} />
      </div>
    </article>
  );
}

interface DeedProps extends Pick<
  ComponentProps<typeof ActionIcon<"button">>,
  "aria-busy" | "aria-haspopup" | "onClick"
> {
  readonly label: string;
  readonly icon: ReactNode;
}

function Deed({ label, icon, ...button }: DeedProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon className={classes["deed"]} variant="default" size={30} aria-label={label} {...button}>
        {icon}
      </ActionIcon>
    </Tooltip>
  );
}
