import { UnstyledButton, VisuallyHidden } from "@mantine/core";
import { useElementSize, useMergedRef } from "@mantine/hooks";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { IconSortDescending, IconStar, IconStarFilled } from "@tabler/icons-react";
import { type KeyboardEvent, type ReactNode, useEffect, useState } from "react";
import { firstContentShown } from "../../platform/first-content.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { StatusIcon } from "../../ui/status-icon.tsx";
import { ToolButton } from "../../ui/tool-button.tsx";
import { useVirtualRows } from "../../ui/virtual-rows.ts";
import { useFavourites } from "./favourites.ts";
import { stepFrom } from "./list-keys.ts";
import shared from "../../ui/shared.module.css";
import classes from "./site-list.module.css";
import { mayBeMovingLook, mayBeMovingText, siteStatusLook } from "./site-looks.ts";

/** It shows what the live stream brings, after the robot cards. */
const SiteRowMore = lazyPart(
  async () => {
    await firstContentShown();
    return (await import("./site-row-more.tsx")).SiteRowMore;
  },
  { failed: () => null },
);

export const SITE_GAP_PX = 4;
/** Room for the longest names of sites. */
const MIN_COLUMN_PX = 300;

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
  const favourites = useFavourites();
  const [focusedIndex, setFocusedIndex] = useState<number | null>(null);
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

  const tabbable = Math.min(focusedIndex ?? Math.max(0, selectedIndex), sites.length - 1);
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
          <div
            key={site.id}
            className={classes["row"]}
            style={{
              top: row.start,
              height: rowPx - SITE_GAP_PX,
              left: `calc(${column} * (100% + ${SITE_GAP_PX}px) / ${columns})`,
              width: `calc((100% + ${SITE_GAP_PX}px) / ${columns} - ${SITE_GAP_PX}px)`,
            }}
          >
            <UnstyledButton
              className={`${shared["choice"]} ${shared["inset"]} ${classes["site"]}`}
              data-index={index}
              aria-current={site.id === selectedId}
              aria-describedby={`site-${site.id}-more`}
              tabIndex={index === tabbable ? 0 : -1}
              onClick={() => onSelect(site.id)}
              onKeyDown={onKeyDown}
              onFocus={() => setFocusedIndex(index)}
            >
              <SiteLine site={site} nameClass={classes["name"]} countClass={classes["count"]}>
                <span id={`site-${site.id}-more`} className={classes["more"]} aria-hidden>
                  <SiteRowMore siteId={site.id} />
                </span>
              </SiteLine>
            </UnstyledButton>
            <Star
              site={site}
              isOn={favourites.ids.has(site.id)}
              isTabbable={index === tabbable}
              onToggle={favourites.toggle}
            />
          </div>
        ))}
      </div>
    </div>
  );
}

interface StarProps {
  readonly site: Site;
  readonly isOn: boolean;
  readonly isTabbable: boolean;
  readonly onToggle: (siteId: number) => void;
}

function Star({ site, isOn, isTabbable, onToggle }: StarProps) {
  const Icon = isOn ? IconStarFilled : IconStar;
  return (
    <UnstyledButton
      role="checkbox"
      aria-checked={isOn}
      aria-label={`Favourite: ${site.name}`}
      title={isOn ? "Favourite: listed first" : "List first"}
      className={`${shared["inset"]} ${classes["star"]}`}
      tabIndex={isTabbable ? 0 : -1}
      onClick={() => onToggle(site.id)}
    >
      <Icon size={15} aria-hidden />
    </UnstyledButton>
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
  /** Shown before the count. */
  readonly children?: ReactNode;
}

/** A site in a list: its status dot, name and robots online of all; the list styles name and count. */
export function SiteLine({ site, nameClass, countClass, children }: SiteLineProps) {
  const look = siteStatusLook[site.status];
  return (
    <>
      <StatusIcon look={look} size={16} />
      <span className={nameClass}>{site.name}</span>
      <VisuallyHidden>
        , {look.label}, {site.online_robots.toLocaleString("en-GB")} of {site.robot_count.toLocaleString("en-GB")}{" "}
        robots online
        {site.may_be_moving_robots > 0 && `, ${mayBeMovingText(site.may_be_moving_robots)}`}
      </VisuallyHidden>
      {children}
      <span className={classes["end"]} aria-hidden>
        {site.may_be_moving_robots > 0 && (
          <span className={classes["lost"]} title={mayBeMovingText(site.may_be_moving_robots)}>
            <StatusIcon look={mayBeMovingLook} size={14} />
            {site.may_be_moving_robots}
          </span>
        )}
        <span className={countClass} title="Robots online / total">
          {site.online_robots.toLocaleString("en-GB")}/{site.robot_count.toLocaleString("en-GB")}
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

interface WorstFirstButtonProps {
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

/** Lists sites that need somebody before the others; otherwise they are as the server lists them. */
export function WorstFirstButton({ isOn, onChange }: WorstFirstButtonProps) {
  return (
    <ToolButton
      icon={IconSortDescending}
      variant={isOn ? "light" : "default"}
      aria-pressed={isOn}
      onClick={() => onChange(!isOn)}
    >
      Worst first
    </ToolButton>
  );
}
