import type { Site } from "@suncrew/contract/sites/sites.ts";
import { matchesSearch } from "../../ui/matches-search.ts";

/** §2 Search sites: by name or address, case-insensitive; blanks around the words do not count. */
export function searchSites<S extends Pick<Site, "name" | "address">>(
  sites: readonly S[],
  words: string,
): readonly S[] {
  return words.trim() === "" ? sites : sites.filter((site) => matchesSearch(words, [site.name, site.address]));
}

/** §2 Site Management page, search box: by name, address, or district. */
export function searchManagedSites<S extends Pick<Site, "name" | "address" | "district">>(
  sites: readonly S[],
  words: string,
): readonly S[] {
  return words.trim() === ""
    ? sites
    : sites.filter((site) => matchesSearch(words, [site.name, site.address, site.district]));
}
