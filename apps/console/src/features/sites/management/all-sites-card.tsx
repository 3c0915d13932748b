import { Button } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { mayCall } from "@suncrew/domain/auth/permissions.ts";
import { IconPlus, IconSolarPanel } from "@tabler/icons-react";
import { useSignedIn } from "../../../platform/session/use-session.ts";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { SiteSearchBox } from "../site-search-box.tsx";
import classes from "./all-sites-card.module.css";
import { ManagedSiteList } from "./managed-site-list.tsx";
import { SiteDetailRows } from "./site-detail-rows.tsx";
import type { SiteDeeds } from "./site-row-buttons.tsx";

/** §9: with more sites than this the rows are compact. */
const MAX_DETAILED = 4;
/** Above the selected site, not beside it; half a row more shows that the list goes on. */
const MAX_ROWS_STACKED = 4.5;

export interface AllSitesCardProps extends SiteDeeds {
  readonly sites: readonly Site[];
  /** Of them those that the search leaves. */
  readonly found: readonly Site[];
  readonly selectedId: number | null;
  readonly search: string;
  readonly onSearch: (words: string) => void;
  readonly onSelect: (siteId: number) => void;
  readonly onAdd: () => void;
}

/** §2 Site Management page, left card. */
export function AllSitesCard({ sites, found, search, onSearch, onAdd, ...list }: AllSitesCardProps) {
  const isStacked = useMediaQuery("(max-width: 62em)", undefined, { getInitialValueInEffect: false }) ?? false;
  const isCompact = found.length > MAX_DETAILED;
  return (
    <section className={classes["card"]} aria-labelledby="all-sites-title" data-compact={isCompact || undefined}>
      <div className={classes["cardHead"]}>
        <h2 id="all-sites-title" className={classes["title"]}>
          All Sites
        </h2>
        {sites.length > 0 && <span className={classes["total"]}>{totalText(found.length, sites.length)}</span>}
      </div>
      <SiteSearchBox value={search} onChange={onSearch} placeholder="Search by name, address, or district" />
      {sites.length === 0 ? (
        <NoSites onAdd={onAdd} />
      ) : found.length === 0 ? (
        <p className={classes["none"]} role="status">
          No sites match.
        </p>
      ) : isCompact ? (
        <ManagedSiteList sites={found} {...list} {...(isStacked && { maxRows: MAX_ROWS_STACKED })} />
      ) : (
        <SiteDetailRows sites={found} {...list} />
      )}
    </section>
  );
}

function totalText(found: number, all: number): string {
  const number = (count: number) => count.toLocaleString("en-GB");
  if (found !== all) return `${number(found)} of ${number(all)}`;
  return all === 1 ? "1 site" : `${number(all)} sites`;
}

function NoSites({ onAdd }: { onAdd: () => void }) {
  const { role } = useSignedIn();
  const icon = <IconSolarPanel size={36} stroke={1.5} />;
  if (!mayCall(role, "createSite")) {
    const message = "No site is assigned to you yet. A Super Admin assigns sites to partners.";
    return <EmptyState title="No sites yet" message={message} icon={icon} />;
  }
  return (
    <EmptyState
      title="No sites yet"
      message="Add the first one, or import a file of them."
      icon={icon}
      action={
        <Button size="xs" leftSection={<IconPlus size={14} aria-hidden />} aria-haspopup="dialog" onClick={onAdd}>
          Add New Site
        </Button>
      }
    />
  );
}
