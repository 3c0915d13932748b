import type { SiteStatus } from "@suncrew/contract/sites/sites.ts";
import type { Look } from "../../ui/look.ts";
import { statusLooks } from "../../ui/status-looks.ts";

/** A site's look in lists, badges and on the map (§4 Marker colours: green, amber, red, grey). */
export const siteStatusLook: Record<SiteStatus, Look> = {
  normal: statusLooks.normal,
  warning: statusLooks.warning,
  fault: { ...statusLooks.critical, label: "Fault" },
  standby: statusLooks.standby,
};

/** Beside a site's status: robots that were lost while moving. */
export const mayBeMovingLook: Look = statusLooks.mayBeMoving;

export function mayBeMovingText(robots: number): string {
  return `${robots.toLocaleString("en-GB")} may be moving`;
}
