import { choiceParam, idParam, textParam, type UrlSchema } from "../../../platform/url-state.ts";

export type ManagedTab = "robots" | "groups";

/** What of the Site Management page is kept in its URL; the same names as the dashboard's. */
export interface SitesUrl {
  /** Null where none is selected, or the URL names something that is no site id. */
  readonly siteId: number | null;
  readonly tab: ManagedTab;
  readonly search: string;
}

export const sitesUrl: UrlSchema<SitesUrl> = {
  siteId: idParam("site"),
  tab: choiceParam("tab", { groups: "groups" } as const, "robots"),
  search: textParam("q"),
};
