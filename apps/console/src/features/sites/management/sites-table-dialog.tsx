import { NativeSelect, UnstyledButton } from "@mantine/core";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { useCallback, useMemo, useState } from "react";
import { liveStore, useLiveValue } from "../../../platform/live/live.ts";
import { shortDayText } from "../../../ui/days.ts";
import { Dialog, useIsNarrow } from "../../../ui/dialog.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { RelativeTime } from "../../../ui/relative-time.tsx";
import { StateBadge } from "../../../ui/state-badge.tsx";
import { Cell, VirtualTable } from "../../../ui/virtual-table.tsx";
import { siteStatusLook } from "../site-looks.ts";
import { SiteSearchBox } from "../site-list.tsx";
import { searchManagedSites, siteRank } from "../site-model.ts";
import classes from "./sites-table-dialog.module.css";

const ROW_PX = 40;
const NARROW_ROW_PX = 92;

/** When each site was cleaned last, ISO 8601, by its id. */
type LastCleanings = ReadonlyMap<number, string>;
type SortKey = (site: Site, cleanings: LastCleanings) => string | number;

/** The columns, and by what each sorts: the titles are those of the table. */
const COLUMNS: Readonly<Record<string, SortKey>> = {
  Name: ({ name }) => name,
  State: ({ state }) => state,
  Partner: ({ partner_name }) => partner_name ?? "",
  Status: siteRank,
  Robots: ({ robot_count }) => robot_count,
  Online: ({ online_robots }) => online_robots,
  "Last cleaning": ({ id }, cleanings) => cleanings.get(id) ?? "",
  Commissioned: ({ commissioning_date }) => commissioning_date,
};
const TITLES = Object.keys(COLUMNS);

const inOrder = new Intl.Collator("en", { numeric: true });

/** The sites in the order of a column; those that are equal by name. */
export function sortedSites(
  sites: readonly Site[],
  { column, isDescending }: SitesSort,
  cleanings: LastCleanings,
): readonly Site[] {
  const keyOf = COLUMNS[column] ?? siteRank;
  const sign = isDescending ? -1 : 1;
  const compare = (one: string | number, other: string | number) =>
    typeof one === "number" && typeof other === "number" ? one - other : inOrder.compare(String(one), String(other));
  return sites
    .map((site) => ({ site, key: keyOf(site, cleanings) }))
    .toSorted((a, b) => sign * compare(a.key, b.key) || inOrder.compare(a.site.name, b.site.name))
    .map(({ site }) => site);
}

interface SitesSort {
  readonly column: string;
  readonly isDescending: boolean;
}

interface SitesTableDialogProps {
  readonly sites: readonly Site[];
  readonly onSelect: (siteId: number) => void;
  readonly onClose: () => void;
}

/** All sites with their figures, for comparing and sorting; a press on a name chooses the site. */
export function SitesTableDialog({ sites, onSelect, onClose }: SitesTableDialogProps) {
  const isNarrow = useIsNarrow();
  const [search, setSearch] = useState("");
  const [sort, setSort] = useState<SitesSort>({ column: "Status", isDescending: false });
  const cleanings = useLiveValue(readLastCleanings, hasSameCleanings);
  const found = useMemo(() => searchManagedSites(sites, search), [sites, search]);
  const rows = useMemo(() => sortedSites(found, sort, cleanings), [found, sort, cleanings]);
  const sortBy = useCallback(
    (column: string) => setSort((now) => ({ column, isDescending: now.column === column ? !now.isDescending : false })),
    [],
  );
  return (
    <Dialog onClose={onClose} title="All Sites" size={1160} fullScreenBelow="48em" isColumn>
      <div className={classes["head"]}>
        <SiteSearchBox value={search} onChange={setSearch} placeholder="Search by name, address, or district" />
        {isNarrow && (
          <NativeSelect
            aria-label="Sort by"
            data={TITLES}
            value={sort.column}
            onChange={(event) => setSort({ column: event.currentTarget.value, isDescending: false })}
          />
        )}
      </div>
      {rows.length === 0 ? (
        <EmptyState title={sites.length === 0 ? "No sites yet" : "No sites match."} />
      ) : (
        <VirtualTable
          label="All sites"
          columns={TITLES}
          rows={rows}
          keyOf={(site) => site.id}
          rowPx={isNarrow ? NARROW_ROW_PX : ROW_PX}
          isNarrow={isNarrow}
          className={classes["table"]}
          rowClassName={classes["row"]}
          sort={{ ...sort, onSort: sortBy }}
        >
          {(site) => (
            <SiteCells site={site} cleanedAt={cleanings.get(site.id)} isNarrow={isNarrow} onSelect={onSelect} />
          )}
        </VirtualTable>
      )}
    </Dialog>
  );
}

interface SiteCellsProps {
  readonly site: Site;
  readonly cleanedAt: string | undefined;
  readonly isNarrow: boolean;
  readonly onSelect: (siteId: number) => void;
}

function SiteCells({ site, cleanedAt, isNarrow, onSelect }: SiteCellsProps) {
  const { robot_count: robots, online_robots: online } = site;
  return (
    <>
      <Cell area="name" isCut title={site.name}>
        <UnstyledButton className={classes["name"]} onClick={() => onSelect(site.id)}>
          {site.name}
        </UnstyledButton>
      </Cell>
      <Cell area="state" isCut title={site.state}>
        {site.state}
      </Cell>
      {!isNarrow && (
        <Cell area="partner" isCut title={site.partner_name ?? undefined}>
          {site.partner_name ?? "–"}
        </Cell>
      )}
      <Cell area="status" className={classes["end"]}>
        <StateBadge look={siteStatusLook[site.status]} />
      </Cell>
      <Cell area="robots" className={classes["end"]}>
        {isNarrow
          ? robots === 1
            ? "1 robot"
            : `${robots.toLocaleString("en-GB")} robots`
          : robots.toLocaleString("en-GB")}
      </Cell>
      <Cell area="online" className={classes["end"]}>
        {isNarrow ? `${online.toLocaleString("en-GB")} online` : online.toLocaleString("en-GB")}
      </Cell>
      <Cell area="cleaned">
        {cleanedAt === undefined ? (
          isNarrow ? (
            "Never cleaned"
          ) : (
            "Never"
          )
        ) : (
          <>
            {isNarrow && "Cleaned "}
            <RelativeTime at={cleanedAt} />
          </>
        )}
      </Cell>
      {!isNarrow && <Cell area="commissioned">{shortDayText(site.commissioning_date)}</Cell>}
    </>
  );
}

function readLastCleanings(): LastCleanings {
  const newest = new Map<number, string>();
  for (const { site_id: siteId, last_cleaned_at: at } of liveStore.robots()) {
    if (at !== null && at > (newest.get(siteId) ?? "")) newest.set(siteId, at);
  }
  return newest;
}

function hasSameCleanings(one: LastCleanings, other: LastCleanings): boolean {
  return one.size === other.size && [...one].every(([siteId, at]) => other.get(siteId) === at);
}
