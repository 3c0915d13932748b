import type { Site, SiteStatus } from "@suncrew/contract/sites/sites.ts";
import { matchesSearch } from "../../ui/matches-search.ts";

/** §2 Search sites: by name or address, and by state, case-insensitive; surrounding spaces are ignored. */
export function searchSites<S extends Pick<Site, "name" | "address"> & Partial<Pick<Site, "state">>>(
  sites: readonly S[],
  text: string,
): readonly S[] {
  return text.trim() === ""
    ? sites
    : sites.filter((site) => matchesSearch(text, [site.name, site.address, site.state]));
}

/** As the server lists them, or with those that need somebody first. */
export type SiteOrder = "listed" | "worst";

/** Favourites first in either order; sites that are equal in it stay as listed. */
export function orderSites<
  S extends Pick<Site, "id" | "status" | "may_be_moving_robots" | "robot_count" | "online_robots">,
>(sites: readonly S[], order: SiteOrder, favourites: ReadonlySet<number>): readonly S[] {
  if (order === "listed" && favourites.size === 0) return sites;
  const ranksOf = (site: S): readonly number[] => [
    Number(favourites.has(site.id)),
    ...(order === "listed" ? [] : [site.may_be_moving_robots, -siteRank(site), site.robot_count - site.online_robots]),
  ];
  const ranked = sites.map((site) => ({ site, ranks: ranksOf(site) }));
  const isWorse = (one: readonly number[], other: readonly number[]) =>
    other.map((rank, nth) => rank - (one[nth] ?? 0)).find((difference) => difference !== 0) ?? 0;
  return ranked.toSorted((one, other) => isWorse(one.ranks, other.ranks)).map(({ site }) => site);
}

/** §2 Site Management page, search box: by name, address, or district. */
export function searchManagedSites<S extends Pick<Site, "name" | "address" | "district">>(
  sites: readonly S[],
  text: string,
): readonly S[] {
  return text.trim() === ""
    ? sites
    : sites.filter((site) => matchesSearch(text, [site.name, site.address, site.district]));
}

const RANK: Record<SiteStatus, number> = { fault: 0, warning: 1, standby: 2, normal: 2 };

/** How bad a site's status is, for sorting: 0 is the worst. Idle and cleaning are equally well. */
export function siteRank({ status }: Pick<Site, "status">): number {
  return RANK[status];
}

/** The first of the sites whose status is the worst; null if there is none. */
export function worstSite<S extends Pick<Site, "status">>(sites: readonly S[]): S | null {
  return sites.reduce<S | null>(
    (worst, site) => (worst === null || siteRank(site) < siteRank(worst) ? site : worst),
    null,
  );
}

interface ContactPart {
  readonly text: string;
  readonly href: string | null;
}

type TypedContact = Pick<Site, "maintenance_contact_name" | "maintenance_contact" | "maintenance_email">;

/** The contact typed for a site without a partner: name, phone (§7 calls it maintenance_contact) and email. */
export function typedContactOf(site: TypedContact): readonly ContactPart[] {
  const parts = [
    { text: site.maintenance_contact_name, scheme: null },
    { text: site.maintenance_contact, scheme: "tel:" },
    { text: site.maintenance_email, scheme: "mailto:" },
  ];
  return parts.flatMap(({ text, scheme }) => {
    const shown = text?.trim() ?? "";
    if (shown === "") return [];
    const address = scheme === "tel:" ? shown.replace(/[^\d+]/g, "") : encodeURIComponent(shown);
    return [{ text: shown, href: scheme === null ? null : scheme + address }];
  });
}
