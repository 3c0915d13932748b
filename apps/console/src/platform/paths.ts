/** The Site Management page's state in its URL. */
export interface SitesAddress {
  readonly siteId?: number;
  readonly tab?: "groups";
}

/** Whose activity is meant. */
export interface ActivityOf {
  readonly siteId: number;
  readonly robotId: number;
}

/** Every URL of the console is built here (§2 Routes). */
export const paths = {
  signIn: () => "/",
  /** A site's week of cleaning, if one is given. */
  dashboard: (calendarOf?: number) =>
    calendarOf === undefined ? "/dashboard" : `/dashboard?site=${calendarOf}&tab=calendar`,
  sites: ({ siteId, tab }: SitesAddress = {}) => {
    const params = new URLSearchParams();
    if (siteId !== undefined) params.set("site", String(siteId));
    if (tab !== undefined) params.set("tab", tab);
    const text = params.toString();
    return text === "" ? "/sites" : `/sites?${text}`;
  },
  profile: () => "/profile",
  partners: () => "/partners",
  reportManagement: () => "/report-management",
  siteReports: () => "/site-reports",
  /** The server's own page, with every call that other programs may make. */
  apiDocs: () => "/api/docs",
  /** The activity log, of one robot if one is given. */
  activity: (robot?: ActivityOf) =>
    robot === undefined ? "/activity" : `/activity?site=${robot.siteId}&robot=${robot.robotId}`,
} as const;

/** §2 Routes: the pages for signed-in users. */
const PAGES: ReadonlySet<string> = new Set([
  paths.dashboard(),
  paths.sites(),
  paths.partners(),
  paths.activity(),
  paths.reportManagement(),
  paths.siteReports(),
  paths.profile(),
]);

/** The path of a page as the router matches it: ignoring case and a trailing slash. */
export function pagePathOf(pathname: string): string {
  return pathname.toLowerCase().replace(/\/+$/, "");
}

export function isPagePath(pathname: string): boolean {
  return PAGES.has(pagePathOf(pathname));
}
