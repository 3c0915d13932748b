import type { Site } from "@suncrew/contract/sites/sites.ts";

/** §2 Search sites: by name or address, case-insensitive; blanks around the words do not count. */
export function searchSites<S extends Pick<Site, "name" | "address">>(
  sites: readonly S[],
  words: string,
): readonly S[] {
  const wanted = words.trim().toLowerCase();
  if (wanted === "") return sites;
  return sites.filter(
    (site) => site.name.toLowerCase().includes(wanted) || site.address.toLowerCase().includes(wanted),
  );
}

/** §2 Site Management page, search box: by name, address, or district. */
export function searchManagedSites<S extends Pick<Site, "name" | "address" | "district">>(
  sites: readonly S[],
  words: string,
): readonly S[] {
  const wanted = words.trim().toLowerCase();
  if (wanted === "") return sites;
  return sites.filter((site) =>
    [site.name, site.address, site.district].some((text) => text.toLowerCase().includes(wanted)),
  );
}
