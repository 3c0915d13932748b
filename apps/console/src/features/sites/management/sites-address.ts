export type ManagedTab = "robots" | "groups";

/** What of the Site Management page stands in its address; the same names as the dashboard's. */
export interface SitesAddress {
  /** Null where none is selected, or the address names something that is no site id. */
  readonly siteId: number | null;
  readonly tab: ManagedTab;
  readonly search: string;
}

const SITE = "site";
const TAB = "tab";
const SEARCH = "q";

export function readSitesAddress(params: URLSearchParams): SitesAddress {
  const site = params.get(SITE);
  return {
    siteId: site !== null && /^[1-9]\d{0,9}$/.test(site) ? Number(site) : null,
    tab: params.get(TAB) === "groups" ? "groups" : "robots",
    search: params.get(SEARCH) ?? "",
  };
}

/** The address with a change; what is as by default is left out, what is not the page's is kept. */
export function changeSitesAddress(params: URLSearchParams, change: Partial<SitesAddress>): URLSearchParams {
  const next = new URLSearchParams(params);
  const put = (name: string, value: string) => {
    if (value === "") next.delete(name);
    else next.set(name, value);
  };
  if (change.siteId !== undefined) put(SITE, change.siteId === null ? "" : String(change.siteId));
  if (change.tab !== undefined) put(TAB, change.tab === "groups" ? "groups" : "");
  if (change.search !== undefined) put(SEARCH, change.search);
  return next;
}
