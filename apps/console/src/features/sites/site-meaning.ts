import type { SiteStatus } from "@suncrew/contract/sites/sites.ts";
import { IconAlertOctagon, IconAlertTriangle, IconCircleCheck, IconHelpOctagon, IconZzz } from "@tabler/icons-react";
import type { Look } from "../../ui/look.ts";

/** A site's look: badge, dot in the lists, and marker on the map. */
export interface SiteLook extends Look {
  /** The theme's colour of the marker (§4 Marker colours: green, amber, red, grey). */
  readonly markerColour: `--sc-${string}`;
  /** Drawn inside the marker, so that colour does not stand alone. */
  readonly glyph: "check" | "exclamation" | "cross" | "bar";
}

export const siteStatusLook: Record<SiteStatus, SiteLook> = {
  normal: {
    label: "Normal",
    tone: "good",
    icon: IconCircleCheck,
    markerColour: "--sc-status-good-dot",
    glyph: "check",
  },
  warning: {
    label: "Warning",
    tone: "fair",
    icon: IconAlertTriangle,
    markerColour: "--sc-status-fair-dot",
    glyph: "exclamation",
  },
  fault: {
    label: "Fault",
    tone: "poor",
    icon: IconAlertOctagon,
    markerColour: "--sc-status-poor-dot",
    glyph: "cross",
  },
  standby: {
    label: "Standby",
    tone: "off",
    icon: IconZzz,
    markerColour: "--sc-status-off-dot",
    glyph: "bar",
  },
};

/** Beside a site's status: robots that were lost while they moved. */
export const mayBeMovingLook: Look = { label: "May be moving", tone: "poor", icon: IconHelpOctagon };

export function mayBeMovingText(robots: number): string {
  return `${robots} may be moving`;
}
