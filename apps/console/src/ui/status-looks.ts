import {
  IconAlertOctagon,
  IconAlertTriangle,
  IconCircleCheck,
  IconHelpOctagon,
  IconInfoCircle,
  IconPlayerPause,
  IconPlugOff,
  IconZzz,
} from "@tabler/icons-react";
import type { Look } from "./look.ts";

/**
 * How good, bad or unreachable something is: one icon, colour and label for each, wherever it is shown; on the map, in
 * lists, on cards and in alerts. A feature with another label takes its icon and colour from here.
 */
export const statusLooks = {
  normal: { label: "Normal", tone: "good", icon: IconCircleCheck },
  idle: { label: "Idle", tone: "calm", icon: IconPlayerPause },
  info: { label: "Info", tone: "calm", icon: IconInfoCircle },
  warning: { label: "Warning", tone: "fair", icon: IconAlertTriangle },
  critical: { label: "Critical", tone: "poor", icon: IconAlertOctagon },
  standby: { label: "Standby", tone: "off", icon: IconZzz },
  offline: { label: "Offline", tone: "off", icon: IconPlugOff },
  mayBeMoving: { label: "May be moving", tone: "poor", icon: IconHelpOctagon },
} as const satisfies Readonly<Record<string, Look>>;
