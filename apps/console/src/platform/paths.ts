/** The Site Management page's state in its URL. */
export interface SitesAddress {
  readonly siteId?: number;
  readonly tab?: "groups";
  /** Opened there at once. */
  readonly dialog?: "add-site" | "add-robot" | "edit-site" | "devices";
}

/** Whose activity is meant. */
export interface ActivityOf {
  readonly siteId: number;
  readonly robotId: number;
}

/** A moment in a robot's past. */
export interface RobotMoment {
  readonly span?: "24h" | "7d" | "30d";
  /** ISO 8601 in UTC; the URL has its minute. */
  readonly at?: string;
}

const ROBOTS = "/robots/";

/** The filters of the Robots page, by the names of its parameters. */
export type RobotsAddress = Readonly<Partial<Record<"figure" | "today" | "q" | "group", string>>>;

/** The Notifications page, by the names of its parameters. */
export type NotificationsAddress = Readonly<Partial<Record<"tab" | "status" | "contact", string>>>;

/** The Partners page, by the names of its parameters. */
export type PartnersAddress = Readonly<Partial<Record<"q", string> & Record<"dialog", "add-partner">>>;

/** Every URL of the console is built here (§2 Routes). */
export const paths = {
  signIn: () => "/",
  /** A screen that a wallboard's link signs in. */
  wall: () => "/wall",
  /** The same in a browser in which somebody is signed in. */
  wallboard: () => "/dashboard?view=wall",
  /** A site's week of cleaning, if one is given: the present one, or that of a day. */
  dashboard: (calendarOf?: number, day?: string) =>
    calendarOf === undefined
      ? "/dashboard"
      : `/dashboard?site=${calendarOf}&tab=calendar${day === undefined ? "" : `&day=${day}`}`,
  /** A site and its robots. */
  site: (siteId: number) => `/dashboard?site=${siteId}`,
  sites: ({ siteId, tab, dialog }: SitesAddress = {}) => {
    const params = new URLSearchParams();
    if (siteId !== undefined) params.set("site", String(siteId));
    if (tab !== undefined) params.set("tab", tab);
    if (dialog !== undefined) params.set("dialog", dialog);
    const text = params.toString();
    return text === "" ? "/sites" : `/sites?${text}`;
  },
  /** Every robot, or those that match. */
  robots: (filter: RobotsAddress = {}) => {
    const text = new URLSearchParams(filter).toString();
    return text === "" ? "/robots" : `/robots?${text}`;
  },
  /** The cleaning of all sites by night. */
  calendar: () => "/calendar",
  /** One robot, now or around a moment. */
  robot: (serialNumber: string, { span, at }: RobotMoment = {}) => {
    const params = new URLSearchParams();
    if (span !== undefined) params.set("span", span);
    if (at !== undefined) params.set("at", `${at.slice(0, 16)}Z`);
    const text = params.toString();
    return `${ROBOTS}${encodeURIComponent(serialNumber)}${text === "" ? "" : `?${text}`}`;
  },
  /** What soiling costs a site. */
  soiling: (siteId: number) => `/dashboard?site=${siteId}&tab=soiling`,
  /** The dashboard's Group Control of a site. */
  groupControl: (siteId: number) => `/dashboard?site=${siteId}&tab=groups`,
  profile: () => "/profile",
  /** Every partner, or those that match; with the dialog for a new one. */
  partners: (address: PartnersAddress = {}) => {
    const text = new URLSearchParams(address).toString();
    return text === "" ? "/partners" : `/partners?${text}`;
  },
  /** Contact points, unless another tab is named. */
  notifications: (address: NotificationsAddress = {}) => {
    const text = new URLSearchParams(address).toString();
    return text === "" ? "/notifications" : `/notifications?${text}`;
  },
  webhooks: () => "/webhooks",
  /** What the demo's stand-ins for mail, chat and webhooks received; in the demo only. */
  demoMessages: () => "/demo/messages",
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
  paths.robots(),
  paths.calendar(),
  paths.sites(),
  paths.partners(),
  paths.activity(),
  paths.reportManagement(),
  paths.siteReports(),
  paths.notifications(),
  paths.webhooks(),
  paths.demoMessages(),
  paths.profile(),
]);

/** The path of a page as the router matches it: ignoring case and a trailing slash. */
export function pagePathOf(pathname: string): string {
  return pathname.toLowerCase().replace(/\/+$/, "");
}

/** Whether the page is a wallboard: a screen's own, or the dashboard of somebody who is signed in, as one. */
export function isWallboard({ pathname, search }: Pick<Location, "pathname" | "search">): boolean {
  return /^\/(wall|dashboard.*[?&]view=wall)\b/i.test(pathname + search);
}

/** Whether the page is that of a message's link, whose token follows `#`: for whoever got the message, signed in or not. */
export function isMessageLink(pathname: string): boolean {
  return /^\/(acknowledge|unsubscribe)\/*$/i.test(pathname);
}

export function isPagePath(pathname: string): boolean {
  const path = pagePathOf(pathname);
  return PAGES.has(path) || (path.startsWith(ROBOTS) && !path.slice(ROBOTS.length).includes("/"));
}
