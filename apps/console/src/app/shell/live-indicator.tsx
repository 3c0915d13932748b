import { IconBroadcast, IconBroadcastOff, IconLoader2, IconPlayerPause, type Icon } from "@tabler/icons-react";
import { useLiveStatus } from "../../platform/live/live.ts";
import type { LiveStatus } from "../../platform/live/live-store.ts";
import classes from "./live-indicator.module.css";

const LOOKS: Record<LiveStatus, { label: string; icon: Icon }> = {
  live: { label: "Live", icon: IconBroadcast },
  connecting: { label: "Connecting", icon: IconLoader2 },
  lost: { label: "Reconnecting", icon: IconBroadcastOff },
  stopped: { label: "Paused", icon: IconPlayerPause },
};

/** Whether what is shown is up to date by itself. The banner tells a screen reader of a lost connection. */
export function LiveIndicator() {
  const status = useLiveStatus();
  const { label, icon: StatusIcon } = LOOKS[status];
  return (
    <span className={classes["indicator"]} data-status={status}>
      <StatusIcon size={16} stroke={1.8} aria-hidden />
      <span className={classes["label"]}>{label}</span>
    </span>
  );
}
