import type { Site } from "@suncrew/contract/sites/sites.ts";
import { IconSolarPanel } from "@tabler/icons-react";
import { useMediaQuery } from "@mantine/hooks";
import { useSignedIn } from "../../../platform/session/use-session.ts";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { SiteList } from "../site-list.tsx";
import { SiteSearchBox } from "../site-search-box.tsx";
import classes from "./all-sites-card.module.css";
import { SiteDetailRows } from "./site-detail-rows.tsx";

/** §9: with more sites than this the rows are compact. */
const MAX_DETAILED = 4;
/** Above the selected site, not beside it; half a row more shows that the list goes on. */
const MAX_ROWS_STACKED = 4.5;

export interface AllSitesCardProps {
  readonly sites: readonly Site[];
  /** Of them those that the search leaves. */
  readonly found: readonly Site[];
  readonly selectedId: number | null;
  readonly search: string;
  readonly onSearch: (words: string) => void;
  readonly onSelect: (siteId: number) => void;
}

/** §2 Site Management page, left card. */
export function AllSitesCard({ sites, found, selectedId, search, onSearch, onSelect }: AllSitesCardProps) {
  const isStacked = useMediaQuery("(max-width: 62em)", undefined, { getInitialValueInEffect: false }) ?? false;
  const isCompact = found.length > MAX_DETAILED;
  return (
    <section className={classes["card"]} aria-labelledby="all-sites-title" data-compact={isCompact || undefined}>
      <h2 id="all-sites-title" className={classes["title"]}>
        All Sites
      </h2>
      <SiteSearchBox value={search} onChange={onSearch} placeholder="Search by name, address, or district" />
      {sites.length === 0 ? (
        <NoSites />
      ) : found.length === 0 ? (
        <p className={classes["none"]} role="status">
          No sites match.
        </p>
      ) : isCompact ? (
        <SiteList
          label="All Sites"
          sites={found}
          selectedId={selectedId}
          onSelect={onSelect}
          {...(isStacked && { maxRows: MAX_ROWS_STACKED })}
        />
      ) : (
        <SiteDetailRows sites={found} selectedId={selectedId} onSelect={onSelect} />
      )}
    </section>
  );
}

function NoSites() {
  const { role } = useSignedIn();
  const message =
    role === "PARTNER"
      ? "No site is assigned to you yet. A Super Admin assigns sites to partners."
      : "Sites will be shown here as soon as there are any.";
  return <EmptyState title="No sites yet" message={message} icon={<IconSolarPanel size={36} stroke={1.5} />} />;
}
