import type { Rollout, RolloutRobot, RolloutRobotState, RolloutState } from "@suncrew/contract/firmware/firmware.ts";
import {
  IconAlertOctagon,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleMinus,
  IconClockX,
  IconCloudDown,
  IconCpu,
  IconPlayerPause,
  IconSend,
} from "@tabler/icons-react";
import type { Look } from "../../ui/look.ts";

const rolloutLooks: Record<RolloutState, Look> = {
  RUNNING: { label: "Running", tone: "calm", icon: IconCloudDown },
  PAUSED: { label: "Paused", tone: "fair", icon: IconPlayerPause },
  DONE: { label: "Done", tone: "good", icon: IconCircleCheck },
  CANCELLED: { label: "Cancelled", tone: "off", icon: IconCircleMinus },
};

/**
 * Done with failures or with nothing installed looks different from a success, and a rollout that only waits for robots
 * different from one that is running.
 */
export function rolloutLook({ state, counts }: Rollout): Look {
  const underWay = counts.OFFERED + counts.DOWNLOADING + counts.INSTALLING;
  if (state === "RUNNING" && underWay === 0 && counts.WAITING > 0) {
    return { label: "Waiting for robots", tone: "plain", icon: IconCircleDashed };
  }
  if (state !== "DONE") return rolloutLooks[state];
  if (counts.FAILED === 0 && counts.DONE === 0) return { ...rolloutLooks.CANCELLED, label: "Nothing installed" };
  if (counts.FAILED === 0) return rolloutLooks[state];
  return { label: "Ended with failures", tone: "poor", icon: IconAlertOctagon };
}

const robotLooks: Record<RolloutRobotState, Look> = {
  WAITING: { label: "Waiting", tone: "plain", icon: IconCircleDashed },
  OFFERED: { label: "Offered", tone: "calm", icon: IconSend },
  DOWNLOADING: { label: "Downloading", tone: "calm", icon: IconCloudDown },
  INSTALLING: { label: "Installing", tone: "calm", icon: IconCpu },
  DONE: { label: "Done", tone: "good", icon: IconCircleCheck },
  FAILED: { label: "Failed", tone: "poor", icon: IconAlertOctagon },
  SKIPPED: { label: "Left out", tone: "off", icon: IconCircleMinus },
  CANCELLED: { label: "Cancelled", tone: "off", icon: IconCircleMinus },
};

export function robotLook({ state, percent, gave_up }: Pick<RolloutRobot, "state" | "percent" | "gave_up">): Look {
  if (gave_up) return { label: "Gave up waiting", tone: "fair", icon: IconClockX };
  const look = robotLooks[state];
  if (state !== "DOWNLOADING" || percent === null) return look;
  return { ...look, label: `Downloading, ${Math.round(percent)} %` };
}
