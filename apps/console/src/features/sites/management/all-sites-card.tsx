import { Box, Group, UnstyledButton } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { mayCall } from "@suncrew/domain/auth/permissions.ts";
import { IconEdit, IconPlus, IconSolarPanel, IconTable, IconTrash } from "@tabler/icons-react";
import { type KeyboardEvent, useEffect, useState } from "react";
import { useSignedIn } from "../../../platform/session/use-session.ts";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { useVirtualRows } from "../../../ui/virtual-rows.ts";
import { rowStepFrom } from "../list-keys.ts";
import { SiteMaintenance } from "../site-facts.tsx";
import { SITE_GAP_PX, SiteLine, siteRowPx, SiteSearchBox } from "../site-list.tsx";
import { IconButton } from "../../../ui/icon-button.tsx";
import { ToolButton } from "../../../ui/tool-button.tsx";
import shared from "../../../ui/shared.module.css";
import classes from "./all-sites-card.module.css";

/** §9: with more sites than this the rows are compact. */
const MAX_DETAILED = 4;
/** Above the selected site, not beside it; half a row more shows that the list continues. */
const MAX_ROWS_STACKED = 4.5;

interface AllSitesCardProps extends SiteActions {
  readonly sites: readonly Site[];
  /** Those that match the search. */
  readonly found: readonly Site[];
  readonly selectedId: number | null;
  readonly search: string;
  readonly onSearch: (text: string) => void;
  readonly onSelect: (siteId: number) => void;
  readonly onAdd: () => void;
  /** Shows all sites as a table. */
  readonly onTable: () => void;
}

/** §2 Site Management page, left card. */
export function AllSitesCard({ sites, found, search, onSearch, onAdd, onTable, ...list }: AllSitesCardProps) {
  const isStacked = useMediaQuery("(max-width: 62em)", undefined, { getInitialValueInEffect: false }) ?? false;
  const isCompact = found.length > MAX_DETAILED;
  return (
    <section
      className={`${shared["card"]} ${classes["card"]}`}
      aria-labelledby="all-sites-title"
      data-compact={isCompact || undefined}
    >
      <Group gap={8} justify="space-between" wrap="nowrap">
        <Box component="h2" id="all-sites-title" fz={14} fw={650} lh="20px">
          All Sites
        </Box>
        {sites.length > 0 && (
          <>
            <span className={`${shared["muted"]} ${classes["total"]}`}>{totalText(found.length, sites.length)}</span>
            <IconButton
              label="Show as a table"
              icon={IconTable}
              variant="subtle"
              color="gray"
              size={28}
              className={shared["touchIcon"]}
              aria-haspopup="dialog"
              onClick={onTable}
            />
          </>
        )}
      </Group>
      <SiteSearchBox value={search} onChange={onSearch} placeholder="Search by name, address, or district" />
      {sites.length === 0 ? (
        <NoSites onAdd={onAdd} />
      ) : found.length === 0 ? (
        <Box component="p" p={12} fz={13} c="dimmed" role="status">
          No sites match.
        </Box>
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
        <ToolButton icon={IconPlus} variant="filled" aria-haspopup="dialog" onClick={onAdd}>
          Add New Site
        </ToolButton>
      }
    />
  );
}

interface SiteDetailRowsProps extends SiteActions {
  readonly sites: readonly Site[];
  readonly selectedId: number | null;
  readonly onSelect: (siteId: number) => void;
}

/** §2: while few sites match, each row also shows address, district, state, pin code and who maintains it. */
function SiteDetailRows({ sites, selectedId, onSelect, ...actions }: SiteDetailRowsProps) {
  return (
    <ul className={classes["rows"]} aria-label="All Sites">
      {sites.map((site) => (
        <li
          key={site.id}
          className={`${shared["box"]} ${classes["row"]}`}
          aria-label={site.name}
          data-selected={site.id === selectedId || undefined}
        >
          <Group gap={4} wrap="nowrap">
            <UnstyledButton
              className={classes["site"]}
              aria-current={site.id === selectedId}
              onClick={() => onSelect(site.id)}
            >
              <SiteLine site={site} nameClass={shared["name"]} countClass={classes["count"]} />
            </UnstyledButton>
            <SiteRowButtons site={site} {...actions} />
          </Group>
          <p className={`${shared["muted"]} ${classes["place"]}`}>
            {site.address}, {site.district}, {site.state} {site.pin_code}
          </p>
          <p className={`${shared["muted"]} ${classes["place"]}`}>
            Maintenance: <SiteMaintenance site={site} />
          </p>
        </li>
      ))}
    </ul>
  );
}

interface ManagedSiteListProps extends SiteActions {
  readonly sites: readonly Site[];
  readonly selectedId: number | null;
  readonly onSelect: (siteId: number) => void;
  /** The most rows visible at once, including partial ones; without it the list fills its container. */
  readonly maxRows?: number;
}

/**
 * §2: the compact rows, of which only the visible ones are rendered. Tab moves to one row and its buttons; up and down
 * move to the next row, left and right to the buttons of a row.
 */
function ManagedSiteList({ sites, selectedId, onSelect, maxRows, ...actions }: ManagedSiteListProps) {
  const [focusedId, setFocusedId] = useState<number | null>(null);
  const rowPx = siteRowPx();
  const indexOf = (id: number | null) => (id === null ? -1 : sites.findIndex((site) => site.id === id));
  const selectedIndex = indexOf(selectedId);
  const focusedIndex = indexOf(focusedId);
  /** The row that Tab moves to; it is rendered even if it is out of sight. */
  const active = focusedIndex >= 0 ? focusedIndex : Math.max(0, selectedIndex);
  const { scroll, rows, totalPx, virtualizer } = useVirtualRows({
    count: sites.length,
    rowPx,
    initialHeightPx: 400,
    overscan: 6,
    pinnedIndex: active,
  });

  useEffect(() => {
    if (selectedIndex >= 0) virtualizer.scrollToIndex(selectedIndex, { align: "auto" });
  }, [virtualizer, selectedIndex]);

  const focusAt = (row: number, part: number) => {
    const buttons = scroll.current?.querySelectorAll<HTMLElement>(`[data-index="${row}"] button`);
    buttons?.[Math.min(part, buttons.length - 1)]?.focus();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const row = event.currentTarget;
    const buttons = [...row.querySelectorAll("button")];
    const from = { row: Number(row.dataset["index"]), part: buttons.findIndex((one) => one === event.target) };
    const to = rowStepFrom(event.key, from, { rows: sites.length, parts: buttons.length });
    if (to === null) return;
    event.preventDefault();
    virtualizer.scrollToIndex(to.row, { align: "auto" });
    // The row may have to be rendered first.
    requestAnimationFrame(() => focusAt(to.row, to.part));
  };

  return (
    <div
      ref={scroll}
      className={classes["scroll"]}
      style={maxRows === undefined ? { flex: 1 } : { height: Math.min(sites.length, maxRows) * rowPx, flex: "none" }}
    >
      <ul className={classes["compact"]} aria-label="All Sites" style={{ height: totalPx }}>
        {rows.map(({ index, start }) => {
          const site = sites[index];
          if (site === undefined) return null;
          const tabIndex = index === active ? 0 : -1;
          return (
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys of its buttons
            <li
              key={site.id}
              className={`${shared["choice"]} ${classes["line"]}`}
              aria-label={site.name}
              aria-setsize={sites.length}
              aria-posinset={index + 1}
              data-index={index}
              data-selected={site.id === selectedId || undefined}
              style={{ top: start, height: rowPx - SITE_GAP_PX }}
              onKeyDown={onKeyDown}
              onFocus={() => setFocusedId(site.id)}
            >
              <UnstyledButton
                className={classes["lineSite"]}
                aria-current={site.id === selectedId}
                tabIndex={tabIndex}
                onClick={() => onSelect(site.id)}
              >
                <SiteLine
                  site={site}
                  nameClass={`${shared["truncate"]} ${classes["lineName"]}`}
                  countClass={classes["count"]}
                />
              </UnstyledButton>
              <SiteRowButtons site={site} tabIndex={tabIndex} {...actions} />
            </li>
          );
        })}
      </ul>
    </div>
  );
}

interface SiteActions {
  readonly onEdit: (site: Site) => void;
  readonly onDelete: (site: Site) => void;
}

interface SiteRowButtonsProps extends SiteActions {
  readonly site: Site;
  /** -1 if the list's arrow keys move here, not Tab. */
  readonly tabIndex?: number;
}

/** §2: each row has Edit and Delete; §6 hides Delete from users who may not. */
function SiteRowButtons({ site, onEdit, onDelete, tabIndex = 0 }: SiteRowButtonsProps) {
  const { role } = useSignedIn();
  const look = { className: classes["action"], variant: "subtle", color: "gray", size: 28 } as const;
  return (
    <Box component="span" display="flex" flex="none">
      <IconButton
        {...look}
        label="Edit"
        icon={IconEdit}
        aria-haspopup="dialog"
        tabIndex={tabIndex}
        onClick={() => onEdit(site)}
      />
      {mayCall(role, "deleteSite") && (
        <IconButton
          {...look}
          label="Delete"
          icon={IconTrash}
          aria-haspopup="dialog"
          tabIndex={tabIndex}
          onClick={() => onDelete(site)}
        />
      )}
    </Box>
  );
}
