import { isCalendarDate } from "@suncrew/domain/schedules/calendar-date.ts";
import type { FleetFigure } from "@suncrew/domain/sites/site-status.ts";
import { FLEET_FIGURES } from "./fleet-meaning.ts";

/** The two specified tabs, and the week of cleaning after them. */
export type SiteTab = "robots" | "groups" | "calendar";

/** What of the dashboard stands in its address. */
export interface DashboardAddress {
  /** Null where the address names none: then the first site loaded is shown. */
  readonly siteId: number | null;
  /** The address names something that is no site id. */
  readonly isSiteUnreadable: boolean;
  readonly tab: SiteTab;
  /** A day of the week that the calendar shows, `YYYY-MM-DD`; null for the present week. */
  readonly day: string | null;
  readonly search: string;
  /** Null where the address leaves it to the screen: shown on a wide one, hidden on a phone. */
  readonly isMapShown: boolean | null;
  /** Only the robots, and the sites that have such robots, of one figure of the strip. */
  readonly figure: FleetFigure | null;
}

const SITE = "site";
const TAB = "tab";
const DAY = "day";
const SEARCH = "q";
const MAP = "map";
const FIGURE = "figure";

const figureInAddress: Record<FleetFigure, string> = {
  mayBeMoving: "may-be-moving",
  cleaning: "cleaning",
  idle: "idle",
  needsAttention: "attention",
  offline: "offline",
};

export function readDashboardAddress(params: URLSearchParams): DashboardAddress {
  const site = params.get(SITE);
  const siteId = site !== null && /^[1-9]\d{0,9}$/.test(site) ? Number(site) : null;
  const map = params.get(MAP);
  return {
    siteId,
    isSiteUnreadable: site !== null && siteId === null,
    tab: tabNamed(params.get(TAB)),
    day: isCalendarDate(params.get(DAY) ?? "") ? params.get(DAY) : null,
    search: params.get(SEARCH) ?? "",
    isMapShown: map === "shown" ? true : map === "hidden" ? false : null,
    figure: FLEET_FIGURES.find((figure) => figureInAddress[figure] === params.get(FIGURE)) ?? null,
  };
}

/** The tab of that name; the first one where there is none. */
export function tabNamed(name: string | null): SiteTab {
  return name === "groups" || name === "calendar" ? name : "robots";
}

export type AddressChange = Partial<Omit<DashboardAddress, "isSiteUnreadable">>;

/** The address with a change; what is as by default is left out, what is not the dashboard's is kept. */
export function changeDashboardAddress(params: URLSearchParams, change: AddressChange): URLSearchParams {
  const next = new URLSearchParams(params);
  const put = (name: string, value: string | null) => {
    if (value === null || value === "") next.delete(name);
    else next.set(name, value);
  };
  if (change.siteId !== undefined) put(SITE, change.siteId === null ? null : String(change.siteId));
  if (change.tab !== undefined) put(TAB, change.tab === "robots" ? null : change.tab);
  if (change.day !== undefined) put(DAY, change.day);
  if (change.search !== undefined) put(SEARCH, change.search);
  if (change.isMapShown !== undefined) {
    put(MAP, change.isMapShown === null ? null : change.isMapShown ? "shown" : "hidden");
  }
  if (change.figure !== undefined) put(FIGURE, change.figure === null ? null : figureInAddress[change.figure]);
  return next;
}
