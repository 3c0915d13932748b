import { useMediaQuery } from "@mantine/hooks";
import { useUrlParams, useUrlState } from "../../platform/url-params.tsx";
import { choiceParam, dayParam, idParam, textParam, type UrlSchema } from "../../platform/url-state.ts";
import type { SiteOrder } from "../sites/public.ts";

/** The two specified tabs, and after them the week of cleaning and what soiling costs. */
export type SiteTab = "robots" | "groups" | "calendar" | "soiling";

/** The dashboard's state in the URL. */
export interface DashboardUrl {
  /** Null if the URL names none: then the first site loaded is shown. */
  readonly siteId: number | null;
  readonly tab: SiteTab;
  /** Any date in the calendar's week, `YYYY-MM-DD`; null for the current week. */
  readonly day: string | null;
  readonly search: string;
  readonly siteOrder: SiteOrder;
  /** Null if the URL leaves it to the screen: shown on a wide one, hidden on a phone. */
  readonly isMapShown: boolean | null;
}

export const dashboardUrl: UrlSchema<DashboardUrl> = {
  siteId: idParam("site"),
  tab: choiceParam("tab", { groups: "groups", calendar: "calendar", soiling: "soiling" } as const, "robots"),
  day: dayParam("day"),
  search: textParam("q", 1_000),
  siteOrder: choiceParam("order", { worst: "worst" } as const, "listed"),
  isMapShown: choiceParam("map", { shown: true, hidden: false }, null),
};

/** The tab of that name; otherwise the first one. */
export function tabNamed(name: string | null): SiteTab {
  return dashboardUrl.tab.parse(name ?? "");
}

/** The dashboard's state in the URL; on a phone the map is hidden until its toggle is pressed. */
export function useDashboardUrl() {
  const { state, change } = useUrlState(dashboardUrl);
  const [params] = useUrlParams();
  const isWide = useMediaQuery("(min-width: 62em)", undefined, { getInitialValueInEffect: false });
  return {
    state,
    change,
    isMapShown: state.isMapShown ?? isWide ?? true,
    /** The URL names something that is not a site id. */
    isSiteUnreadable: params.has("site") && state.siteId === null,
  };
}
