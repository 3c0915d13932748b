import { IconCircleDashed, IconPlug, IconPlugConnectedX, IconPlugOff } from "@tabler/icons-react";
import type { Look } from "../../ui/look.ts";

/** A device that no robot has. */
export const deviceLook: Record<"free" | "retired", Look> = {
  free: { label: "Free", tone: "plain", icon: IconCircleDashed },
  retired: { label: "Retired", tone: "off", icon: IconPlugConnectedX },
};

/** Of a device that a robot has. */
export function connectionLook(isOnline: boolean): Look {
  return isOnline
    ? { label: "Online", tone: "good", icon: IconPlug }
    : { label: "Offline", tone: "off", icon: IconPlugOff };
}
