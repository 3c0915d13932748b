import type { FleetFigure } from "@suncrew/domain/sites/fleet-figures.ts";
import { IconAlertTriangle, IconHelpOctagon, IconPlayerPause, IconPlugOff, IconSparkles } from "@tabler/icons-react";
import type { Look } from "../../ui/look.ts";

/** The figures of the strip, in their order. */
export const fleetFigureLook: Record<FleetFigure, Look> = {
  mayBeMoving: { label: "May be moving", tone: "poor", icon: IconHelpOctagon },
  cleaning: { label: "Cleaning", tone: "good", icon: IconSparkles },
  idle: { label: "Idle", tone: "calm", icon: IconPlayerPause },
  needsAttention: { label: "Need attention", tone: "fair", icon: IconAlertTriangle },
  offline: { label: "Offline", tone: "off", icon: IconPlugOff },
};

export const FLEET_FIGURES: readonly FleetFigure[] = ["mayBeMoving", "cleaning", "idle", "needsAttention", "offline"];
