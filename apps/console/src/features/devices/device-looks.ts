import { IconCircleDashed, IconCloudStorm, IconPlug, IconPlugConnectedX, IconPlugOff } from "@tabler/icons-react";
import type { Look } from "../../ui/look.ts";

/** A device that neither robot nor site has. */
export const deviceLook: Record<"free" | "retired", Look> = {
  free: { label: "Free", tone: "plain", icon: IconCircleDashed },
  retired: { label: "Retired", tone: "off", icon: IconPlugConnectedX },
};

export const sensorLook: Look = { label: "Sensor", tone: "plain", icon: IconCloudStorm };

/** Of a device that a robot has. */
export function connectionLook(isOnline: boolean): Look {
  return isOnline
    ? { label: "Online", tone: "good", icon: IconPlug }
    : { label: "Offline", tone: "off", icon: IconPlugOff };
}
