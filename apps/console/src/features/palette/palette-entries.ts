import type { Role } from "@suncrew/contract/auth/auth.ts";
import { type Partner, partnerDetails } from "@suncrew/contract/partners/partners.ts";
import { type RobotDirectory, robotDirectory } from "@suncrew/contract/robots/robots.ts";
import { type Site, siteDetails } from "@suncrew/contract/sites/sites.ts";
import { may } from "@suncrew/domain/auth/abilities.ts";
import { mayCall } from "@suncrew/domain/auth/permissions.ts";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { useLocation } from "react-router";
import { routeQuery } from "../../platform/api/route-query.ts";
import { liveStore, useLiveValue } from "../../platform/live/live.ts";
import { pagePathOf, paths } from "../../platform/paths.ts";
import { useSignedIn } from "../../platform/session/use-session.ts";
import { chooseTheme, THEMES } from "../../ui/theme/theme-choice.ts";
import { signOut } from "../auth/public.ts";
import { stopFleet, stopRobots } from "../commands/public.ts";
import { downloadExport } from "../imports/public.ts";
import type { GoPage } from "./palette.tsx";
import type { Entry, Kind } from "./palette-search.ts";

function entryOf(
  kind: Kind,
  id: number | string,
  entry: Omit<Entry, "key" | "kind" | "names" | "text">,
  more = "",
  otherName = "",
): Entry {
  const names = [entry.name, otherName].filter((name) => name !== "").map((name) => name.toLowerCase());
  const text = `${entry.name} ${entry.detail} ${more}`.toLowerCase();
  return { ...entry, key: `${kind}:${id}`, kind, names, text };
}

/** The parts of a whole that have something to say. */
function joined(parts: readonly (string | null | undefined)[]): string {
  return parts.filter((part) => part !== null && part !== undefined && part !== "").join(" · ");
}

/** Where a site is opened: on the page of sites if that is open, otherwise on the dashboard. */
type SiteAddress = (siteId: number) => string;

function siteEntries(sites: readonly Site[], addressOf: SiteAddress): Entry[] {
  return sites.map(({ id, name, address, district, state, partner_name }) => {
    const detail = joined([district, state]);
    return entryOf("site", id, { name, detail, leads: addressOf(id), id }, joined([address, partner_name]));
  });
}

function robotEntries(names: RobotDirectory["robots"], sites: readonly Site[]): Entry[] {
  const nameOf = new Map(names.map(({ robot_id, robot_name }) => [robot_id, robot_name]));
  const siteOf = new Map(sites.map((site) => [site.id, site]));
  const robots = Array.from(liveStore.robots()).toSorted((one, other) =>
    one.serial_number < other.serial_number ? -1 : 1,
  );
  return robots.map(({ robot_id: id, serial_number: name, site_id }) => {
    const site = siteOf.get(site_id);
    const ownName = nameOf.get(id);
    const detail = joined([ownName, site?.name]);
    return entryOf("robot", id, { name, detail, leads: paths.robot(name), id }, site?.state, ownName);
  });
}

function groupEntries(groups: RobotDirectory["groups"], sites: readonly Site[]): Entry[] {
  const siteOf = new Map(sites.map((site) => [site.id, site]));
  return groups.map(({ id, site_id, group_name: name }) => {
    const detail = siteOf.get(site_id)?.name ?? "";
    return entryOf("group", id, { name, detail, leads: paths.groupControl(site_id) });
  });
}

function partnerEntries(partners: readonly Partner[]): Entry[] {
  return partners.map(({ id, name, city, state, contact_person }) => {
    const detail = joined([city, state]);
    return entryOf("partner", id, { name, detail, leads: paths.partners({ q: name }) }, contact_person ?? "");
  });
}

interface ActionsFor {
  readonly role: Role;
  /** The site that the page shows, and its Stop. */
  readonly site: Site | undefined;
  readonly siteStop: Entry | null;
  /** That page is Site Management. */
  readonly isManaging: boolean;
  readonly onShortcuts: () => void;
}

/** What can be done from anywhere. None starts a robot; a Stop acts at once, as everywhere. */
function actionEntries({ role, site, siteStop, isManaging, onShortcuts }: ActionsFor): Entry[] {
  const action = (name: string, detail: string, leads: Entry["leads"], isAllowed = true) =>
    isAllowed ? [entryOf("action", name, { name, detail, leads })] : [];
  return [
    stopEntry("fleet", "Stop fleet", "Stops every robot at once", () => void stopFleet()),
    ...(siteStop === null ? [] : [siteStop]),
    ...action("All alerts", "Open and past, of every site", `${paths.dashboard()}?dialog=alerts`),
    ...action(
      "New site",
      "Site Management",
      paths.sites({ ...(isManaging && site !== undefined && { siteId: site.id }), dialog: "add-site" }),
      mayCall(role, "createSite"),
    ),
    ...action(
      "Add robots",
      site?.name ?? "Site Management",
      paths.sites(site === undefined ? {} : { siteId: site.id, dialog: "add-robot" }),
      mayCall(role, "createRobot"),
    ),
    ...action("New partner", "Partners", paths.partners({ dialog: "add-partner" }), mayCall(role, "createPartner")),
    ...action("Export sites", "As a CSV file", () => void downloadExport("sites"), mayCall(role, "createSite")),
    ...action("Export robots", "As a CSV file", () => void downloadExport("robots")),
    ...action("Profile", "Your name, password and sessions", paths.profile()),
    ...action("Keyboard shortcuts", "", onShortcuts),
    ...action("Log out", "", signOut),
  ];
}

function themeEntries(): Entry[] {
  return THEMES.map((theme) => {
    const name = `Theme: ${theme[0]?.toUpperCase() ?? ""}${theme.slice(1)}`;
    return entryOf("action", name, { name, detail: "How Suncrew looks", leads: () => chooseTheme(theme) });
  });
}

function stopEntry(of: string, name: string, detail: string, leads: () => void): Entry {
  return entryOf("action", `stop ${of}`, { name, detail, leads, isStop: true });
}

/** Of a robot or a site; null for all others. */
function stopOfPlace({ key, kind, id, name, detail }: Entry, onStopSite: Doing["onStopSite"]): Entry | null {
  if (id === undefined) return null;
  if (kind === "site") {
    return stopEntry(key, `Stop all at ${name}`, joined(["Every robot at once", detail]), () =>
      onStopSite({ id, name }),
    );
  }
  const title = `Stop ${name}`;
  return kind === "robot" ? stopEntry(key, title, detail, () => void stopRobots([id], title)) : null;
}

/** What the palette leaves to those who show it. */
export interface Doing {
  readonly onShortcuts: () => void;
  readonly onStopSite: (site: Pick<Site, "id" | "name">) => void;
}

const NO_SITES: readonly Site[] = [];
const NO_PARTNERS: readonly Partner[] = [];
const NO_DIRECTORY: RobotDirectory = { robots: [], groups: [] };

/** All that the palette finds, read when it opens; the state of what is shown stays live. */
export function useEntries(pages: readonly GoPage[], { onShortcuts, onStopSite }: Doing) {
  const { role } = useSignedIn();
  const { pathname, search } = useLocation();
  const sites = useQuery(routeQuery(siteDetails, {}));
  const directory = useQuery(routeQuery(robotDirectory, {}));
  const maySeePartners = may(role, "viewPartners");
  const partners = useQuery({ ...routeQuery(partnerDetails, {}), enabled: maySeePartners });
  const hasRobots = useLiveValue(() => liveStore.hasSnapshot());
  const path = pagePathOf(pathname);
  const isManaging = path === paths.sites();
  const siteId = Number(new URLSearchParams(search).get("site"));
  const knownSites = useSteady(sites.data ?? NO_SITES);
  const { robots: names, groups } = directory.data ?? NO_DIRECTORY;
  const knownPartners = partners.data ?? NO_PARTNERS;

  const places = useMemo(
    () => [
      ...robotEntries(names, knownSites),
      ...siteEntries(knownSites, isManaging ? (id) => paths.sites({ siteId: id }) : paths.site),
      ...groupEntries(groups, knownSites),
      ...partnerEntries(knownPartners),
    ],
    // oxlint-disable-next-line react/exhaustive-deps -- with the snapshot come the robots
    [names, groups, knownSites, knownPartners, isManaging, hasRobots],
  );
  const site = knownSites.find(({ id }) => id === siteId) ?? (path === paths.dashboard() ? knownSites[0] : undefined);
  const place = site && places.find(({ kind, id }) => kind === "site" && id === site.id);
  const stopOf = useCallback((entry: Entry) => stopOfPlace(entry, onStopSite), [onStopSite]);
  const actions = useMemo(() => {
    const siteStop = place === undefined ? null : stopOf(place);
    return actionEntries({ role, site, siteStop, isManaging, onShortcuts });
  }, [role, site, place, stopOf, isManaging, onShortcuts]);
  const pageEntries = useMemo(
    () => pages.map(({ label, to }) => entryOf("page", label, { name: label, detail: "", leads: to })),
    [pages],
  );
  const themes = useMemo(themeEntries, []);
  const failed = [sites, directory, partners].filter(({ isError, data }) => isError && data === undefined);
  return {
    places,
    pages: pageEntries,
    actions,
    stopOf,
    themes,
    isLoading: [sites, directory].some(({ isPending, isError }) => isPending && !isError) || !hasRobots,
    hasFailed: failed.length > 0,
    retry: () => void Promise.all(failed.map(({ refetch }) => refetch())),
    isRetrying: failed.some(({ isFetching }) => isFetching),
  };
}

/** The sites as they were first known: their figures change each second, their names do not. */
function useSteady(sites: readonly Site[]): readonly Site[] {
  const names = sites.map(({ id, name }) => `${id} ${name}`).join("\n");
  // oxlint-disable-next-line react/exhaustive-deps -- the names stand for the sites
  return useMemo(() => sites, [names]);
}
