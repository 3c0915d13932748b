import { ActionIcon, Tooltip } from "@mantine/core";
import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { IconEdit, IconRefresh, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import type { ComponentProps, ReactNode } from "react";
import { confirm } from "../../../platform/confirm/confirm.ts";
import { removeRobot, RobotBatteryBadge, RobotStatusBadge, useRobotView } from "../../robots/public.ts";
import classes from "./robot-rows.module.css";

export interface RobotRowProps {
  readonly row: RobotWithSettings;
  readonly siteName: string;
  readonly onRefresh: (row: RobotWithSettings) => void;
  readonly onEdit: () => void;
}

/** One robot of the list: what it is, how it is, and what can be done with it. */
export function RobotRow({ row, siteName, onRefresh, onEdit }: RobotRowProps) {
  const robot = useRobotView(row);
  const [isDeleting, setDeleting] = useState(false);
  const [isAsked, setAsked] = useState(false);
  // A person's refresh, not a poll: hundreds of badges must not change each minute.
  if (isAsked && !robot.isRefreshing) setAsked(false);
  const name = robot.name === "" ? robot.serialNumber : robot.name;

  const refresh = () => {
    onRefresh(row);
    setAsked(true);
  };
  const remove = async () => {
    const isSure = await confirm({
      title: "Delete Robot",
      message: `Delete robot "${name}"${name === robot.serialNumber ? "" : ` (${robot.serialNumber})`} from ${siteName}? This action cannot be undone. Its history stays readable, and its serial number is free again.`,
      confirmLabel: "Delete Robot",
      destructive: true,
    });
    if (!isSure) return;
    setDeleting(true);
    // A robot that is gone takes its row with it.
    if (!(await removeRobot(row))) setDeleting(false);
  };

  return (
    <article className={classes["row"]} aria-label={robot.serialNumber} aria-busy={isDeleting || undefined}>
      <div className={classes["words"]}>
        <span className={classes["name"]}>{name}</span>
        <span className={classes["facts"]}>
          {robot.serialNumber} · {robot.motorType ?? "Motor type not given"} · Firmware {robot.firmware}
        </span>
      </div>
      <div className={classes["state"]}>
        <RobotBatteryBadge robot={robot} />
        <RobotStatusBadge robot={isAsked ? { ...robot, isChecking: true } : robot} />
      </div>
      <div className={classes["deeds"]}>
        <Deed
          label="Refresh status"
          aria-busy={robot.isRefreshing}
          onClick={robot.isRefreshing ? undefined : refresh}
          icon={<IconRefresh size={16} aria-hidden className={robot.isRefreshing ? classes["turning"] : undefined} />}
        />
        <Deed label="Edit" aria-haspopup="dialog" onClick={onEdit} icon={<IconEdit size={16} aria-hidden />} />
        <Deed
          label="Delete"
          aria-haspopup="dialog"
          loading={isDeleting}
          onClick={() => void remove()}
          icon={<IconTrash size={16} aria-hidden />}
        />
      </div>
    </article>
  );
}

interface DeedProps extends Pick<
  ComponentProps<typeof ActionIcon<"button">>,
  "aria-busy" | "aria-haspopup" | "loading" | "onClick"
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
