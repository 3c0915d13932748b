import { UnstyledButton } from "@mantine/core";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";
import type { KeyboardEvent } from "react";
import { rowStepFrom } from "../list-keys.ts";
import { SiteLine } from "../site-line.tsx";
import classes from "./all-sites-card.module.css";
import { SiteRowButtons } from "./site-row-buttons.tsx";
import type { SiteDeeds } from "./site-row-buttons.tsx";

const ROW_PX = 40;
/** Fingers need more than a mouse. */
const TOUCH_ROW_PX = 48;
const GAP_PX = 4;

export interface ManagedSiteListProps extends SiteDeeds {
  readonly sites: readonly Site[];
  readonly selectedId: number | null;
  readonly onSelect: (siteId: number) => void;
  /** The most rows seen at once, also a part of one; without it the list fills its place. */
  readonly maxRows?: number;
}

/**
 * §2: the compact rows, of which only those in sight exist. Tab leads to one row and its buttons; up and down lead to
 * the next row, left and right to the buttons of a row.
 */
export function ManagedSiteList({ sites, selectedId, onSelect, maxRows, ...deeds }: ManagedSiteListProps) {
  const scroll = useRef<HTMLDivElement>(null);
  const [focusedId, setFocusedId] = useState<number | null>(null);
  const rowPx = (isTouch() ? TOUCH_ROW_PX : ROW_PX) + GAP_PX;
  const indexOf = (id: number | null) => (id === null ? -1 : sites.findIndex((site) => site.id === id));
  const selectedIndex = indexOf(selectedId);
  const focusedIndex = indexOf(focusedId);
  /** The row that Tab leads to; it exists also where it is out of sight. */
  const active = focusedIndex >= 0 ? focusedIndex : Math.max(0, selectedIndex);
  // oxlint-disable-next-line react/incompatible-library -- the console is not built with the compiler
  const virtualizer = useVirtualizer({
    count: sites.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowPx,
    overscan: 6,
    initialRect: { width: 300, height: 400 },
    rangeExtractor: (range) => {
      const shown = defaultRangeExtractor(range);
      return shown.includes(active) || active >= sites.length ? shown : [...shown, active].toSorted((a, b) => a - b);
    },
  });

  useEffect(() => virtualizer.measure(), [virtualizer, rowPx]);
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
    // The row may have to come into being first.
    requestAnimationFrame(() => focusAt(to.row, to.part));
  };

  return (
    <div
      ref={scroll}
      className={classes["scroll"]}
      style={maxRows === undefined ? { flex: 1 } : { height: Math.min(sites.length, maxRows) * rowPx, flex: "none" }}
    >
      <ul className={classes["compact"]} aria-label="All Sites" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start }) => {
          const site = sites[index];
          if (site === undefined) return null;
          const tabIndex = index === active ? 0 : -1;
          return (
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys of its buttons
            <li
              key={site.id}
              className={classes["line"]}
              aria-label={site.name}
              aria-setsize={sites.length}
              aria-posinset={index + 1}
              data-index={index}
              data-selected={site.id === selectedId || undefined}
              style={{ top: start, height: rowPx - GAP_PX }}
              onKeyDown={onKeyDown}
              onFocus={() => setFocusedId(site.id)}
            >
              <UnstyledButton
                className={classes["lineSite"]}
                aria-current={site.id === selectedId}
                tabIndex={tabIndex}
                onClick={() => onSelect(site.id)}
              >
                <SiteLine site={site} nameClass={classes["lineName"]} countClass={classes["count"]} />
              </UnstyledButton>
              <SiteRowButtons site={site} tabIndex={tabIndex} {...deeds} />
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function isTouch(): boolean {
  return matchMedia("(pointer: coarse), (max-width: 48em)").matches;
}
