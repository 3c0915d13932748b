import type { FleetFigure } from "@suncrew/domain/robots/fleet-figures.ts";
import { IconSparkles } from "@tabler/icons-react";
import type { Look } from "../../ui/look.ts";
import { statusLooks } from "../../ui/status-looks.ts";

/** The fleet figures, in order. */
export const fleetFigureLook: Record<FleetFigure, Look> = {
  mayBeMoving: statusLooks.mayBeMoving,
  cleaning: { label: "Cleaning", tone: "good", icon: IconSparkles },
  idle: statusLooks.idle,
  needsAttention: { ...statusLooks.warning, label: "Need attention" },
  offline: statusLooks.offline,
};

export const FLEET_FIGURES: readonly FleetFigure[] = ["mayBeMoving", "cleaning", "idle", "needsAttention", "offline"];
