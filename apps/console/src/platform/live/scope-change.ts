import { siteDetails, type Site } from "@suncrew/contract/sites/sites.ts";
import type { InvalidateQueryFilters, Query, QueryClient } from "@tanstack/react-query";
import { queryKeyOf } from "../api/route-query.ts";

/**
 * What the user may see has changed: the list of sites is read first, so that a site that is gone is no longer
 * selected, and then everything else except what belonged to such a site, which would be answered with 404.
 */
export async function readScopeAgain(client: QueryClient): Promise<void> {
  const [sites] = queryKeyOf(siteDetails);
  await client.invalidateQueries({ queryKey: [sites] });
  const ids = seenSites(client);
  const isObsolete = ({ queryKey }: Pick<Query, "queryKey">) => isOfDeletedSite(queryKey, ids);
  await client.cancelQueries({ predicate: isObsolete });
  client.removeQueries({ type: "inactive", predicate: isObsolete });
  await invalidateSeen(client, { predicate: ({ queryKey }) => queryKey[0] !== sites });
}

/** Refetches cached answers, except those of sites that are no longer listed. */
export function invalidateSeen(client: QueryClient, filters: InvalidateQueryFilters = {}): Promise<void> {
  const ids = seenSites(client);
  return client.invalidateQueries({
    ...filters,
    predicate: (query) => !isOfDeletedSite(query.queryKey, ids) && (filters.predicate?.(query) ?? true),
  });
}

/** The ids of the listed sites; null if the list is not known. */
function seenSites(client: QueryClient): ReadonlySet<number> | null {
  const sites = client.getQueryData<readonly Site[]>(queryKeyOf(siteDetails, {}));
  return sites === undefined ? null : new Set(sites.map(({ id }) => id));
}

/** True if an answer is cached under the id of a site that is not in the list. */
export function isOfDeletedSite(queryKey: readonly unknown[], ids: ReadonlySet<number> | null): boolean {
  return ids !== null && siteIdsOf(queryKey).some((siteId) => !ids.has(siteId));
}

/** True if an answer is cached under the id of this site. */
export function isOfSite(queryKey: readonly unknown[], siteId: number): boolean {
  return siteIdsOf(queryKey).includes(siteId);
}

function siteIdsOf(queryKey: readonly unknown[]): number[] {
  return queryKey.flatMap((part) => {
    if (typeof part !== "object" || part === null || !("siteId" in part)) return [];
    return typeof part.siteId === "number" ? [part.siteId] : [];
  });
}
