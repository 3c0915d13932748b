import { UnstyledButton, VisuallyHidden } from "@mantine/core";
import { useElementSize, useMergedRef } from "@mantine/hooks";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { type KeyboardEvent, useEffect } from "react";
import { SearchBox } from "../../ui/search-box.tsx";
import { StatusIcon } from "../../ui/status-icon.tsx";
import { useVirtualRows } from "../../ui/virtual-rows.ts";
import { stepFrom } from "./list-keys.ts";
import shared from "../../ui/shared.module.css";
import classes from "./site-list.module.css";
import { mayBeMovingLook, mayBeMovingText, siteStatusLook } from "./site-looks.ts";

export const SITE_GAP_PX = 4;
const MIN_COLUMN_PX = 230;

interface SiteListProps {
  readonly label: string;
  readonly sites: readonly Site[];
  readonly selectedId: number | null;
  readonly onSelect: (siteId: number) => void;
  /** Each site in its own frame, as a button. */
  readonly framed?: boolean;
  /** The most rows visible at once, including partial ones; without it the list fills its container. */
  readonly maxRows?: number;
}

/**
 * Sites to choose from, in as many columns as fit; of thousands only the visible ones are rendered. Arrow keys move in
 * it.
 */
export function SiteList({ label, sites, selectedId, onSelect, framed = false, maxRows }: SiteListProps) {
  const { ref: sizeRef, width } = useElementSize<HTMLDivElement>();
  const columns = framed ? Math.max(1, Math.floor((width + SITE_GAP_PX) / (MIN_COLUMN_PX + SITE_GAP_PX))) : 1;
  const rowPx = siteRowPx();
  const rows = Math.ceil(sites.length / columns);
  const {
    scroll,
    rows: shownRows,
    virtualizer,
    totalPx,
  } = useVirtualRows({ count: rows, rowPx, initialHeightPx: 400, overscan: 6 });
  const ref = useMergedRef(scroll, sizeRef);

  const selectedIndex = sites.findIndex((site) => site.id === selectedId);
  useEffect(() => {
    if (selectedIndex >= 0) virtualizer.scrollToIndex(Math.floor(selectedIndex / columns), { align: "auto" });
  }, [virtualizer, selectedIndex, columns]);

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const from = Number(event.currentTarget.dataset["index"]);
    const to = stepFrom(event.key, from, sites.length, columns);
    if (to === null) return;
    event.preventDefault();
    virtualizer.scrollToIndex(Math.floor(to / columns), { align: "auto" });
    // The button may have to be rendered first.
    requestAnimationFrame(() => scroll.current?.querySelector<HTMLElement>(`[data-index="${to}"]`)?.focus());
  };

  const tabbable = Math.max(0, selectedIndex);
  const shown = shownRows.flatMap((row) => {
    const first = row.index * columns;
    return sites.slice(first, first + columns).map((site, column) => ({ site, index: first + column, column, row }));
  });

  return (
    <div
      ref={ref}
      className={`${shared["inset"]} ${classes["list"]}`}
      role="group"
      aria-label={label}
      data-framed={framed || undefined}
      style={maxRows === undefined ? { flex: 1 } : { height: Math.min(rows, maxRows) * rowPx, flex: "none" }}
    >
      <div style={{ height: totalPx }}>
        {shown.map(({ site, index, column, row }) => (
          <UnstyledButton
            key={site.id}
            className={`${shared["choice"]} ${shared["inset"]} ${classes["site"]}`}
            data-index={index}
            aria-current={site.id === selectedId}
            tabIndex={index === tabbable ? 0 : -1}
            style={{
              top: row.start,
              height: rowPx - SITE_GAP_PX,
              left: `calc(${column} * (100% + ${SITE_GAP_PX}px) / ${columns})`,
              width: `calc((100% + ${SITE_GAP_PX}px) / ${columns} - ${SITE_GAP_PX}px)`,
            }}
            onClick={() => onSelect(site.id)}
            onKeyDown={onKeyDown}
          >
            <SiteLine site={site} nameClass={classes["name"]} countClass={classes["count"]} />
          </UnstyledButton>
        ))}
      </div>
    </div>
  );
}

/** The height of a row of sites with the gap below it. Fingers need more than a mouse. */
export function siteRowPx(): number {
  const isTouch = matchMedia("(pointer: coarse), (max-width: 48em)").matches;
  return (isTouch ? 48 : 40) + SITE_GAP_PX;
}

interface SiteLineProps {
  readonly site: Site;
  readonly nameClass: string | undefined;
  readonly countClass: string | undefined;
}

/** A site in a list: its status dot, name and robots online of all; the list styles name and count. */
export function SiteLine({ site, nameClass, countClass }: SiteLineProps) {
  const look = siteStatusLook[site.status];
  return (
    <>
      <StatusIcon look={look} size={16} />
      <span className={nameClass}>{site.name}</span>
      <VisuallyHidden>
        , {look.label}, {site.online_robots} of {site.robot_count} robots online
        {site.may_be_moving_robots > 0 && `, ${mayBeMovingText(site.may_be_moving_robots)}`}
      </VisuallyHidden>
      <span className={classes["end"]} aria-hidden>
        {site.may_be_moving_robots > 0 && (
          <span className={classes["lost"]} title={mayBeMovingText(site.may_be_moving_robots)}>
            <StatusIcon look={mayBeMovingLook} size={14} />
            {site.may_be_moving_robots}
          </span>
        )}
        <span className={countClass} title="Robots online / total">
          {site.online_robots}/{site.robot_count}
        </span>
      </span>
    </>
  );
}

interface SiteSearchBoxProps {
  readonly value: string;
  readonly onChange: (words: string) => void;
  /** What may be typed, if it is more than a site's name. */
  readonly placeholder?: string;
}

/** §2 Search sites box. */
export function SiteSearchBox({ value, onChange, placeholder = "Search sites" }: SiteSearchBoxProps) {
  return <SearchBox label="Search sites" placeholder={placeholder} value={value} onChange={onChange} />;
}
