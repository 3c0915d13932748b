import { choiceParam, idParam, textParam, type UrlSchema } from "../../../platform/url-state.ts";

export type ManagedTab = "robots" | "groups";

/** The Site Management page's state in the URL; the same names as the dashboard's. */
export interface SitesUrl {
  /** Null if none is selected, or the URL names something that is not a site id. */
  readonly siteId: number | null;
  readonly tab: ManagedTab;
  readonly search: string;
}

export const sitesUrl: UrlSchema<SitesUrl> = {
  siteId: idParam("site"),
  tab: choiceParam("tab", { groups: "groups" } as const, "robots"),
  search: textParam("q"),
};
