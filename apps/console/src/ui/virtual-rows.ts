import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";

export interface VirtualRowsOptions {
  readonly count: number;
  /** A row's height in pixels; if rows are measured, until then. */
  readonly rowPx: number;
  /** Rows may be taller than `rowPx`: each is measured by `measureElement`. */
  readonly measured?: boolean;
  /** A measured height belongs to a row's key; without this, to its index. */
  readonly keyAt?: (index: number) => number | string;
  /** Assumed until the region itself is measured. */
  readonly initialHeightPx: number;
  /** Rows rendered beyond either edge. */
  readonly overscan?: number;
  /** Height of a heading that sticks to the top of the region. */
  readonly headPx?: number;
  /** This row is rendered even if it is out of sight. */
  readonly pinnedIndex?: number;
}

/** The visible rows of a region with its own scrolling: for thousands of rows, of which only those are rendered. */
export function useVirtualRows(options: VirtualRowsOptions) {
  const {
    count,
    rowPx,
    measured = false,
    initialHeightPx,
    overscan = 8,
    headPx = 0,
    pinnedIndex = -1,
    keyAt,
  } = options;
  const scroll = useRef<HTMLDivElement>(null);
  // oxlint-disable-next-line react/incompatible-library -- the console is not built with the compiler
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowPx,
    overscan,
    paddingStart: headPx,
    scrollPaddingStart: headPx,
    ...(keyAt !== undefined && { getItemKey: keyAt }),
    initialRect: { width: 600, height: initialHeightPx },
    rangeExtractor: (range) => {
      const shown = defaultRangeExtractor(range);
      const isAdded = pinnedIndex >= 0 && pinnedIndex < count && !shown.includes(pinnedIndex);
      return isAdded ? [...shown, pinnedIndex].toSorted((one, other) => one - other) : shown;
    },
  });
  useEffect(() => {
    if (!measured) virtualizer.measure();
  }, [virtualizer, measured, rowPx]);
  return {
    /** Props of the region. */
    scroll,
    rows: virtualizer.getVirtualItems(),
    /** Props of the element that contains the rows, with their total height. */
    totalPx: virtualizer.getTotalSize(),
    measureElement: virtualizer.measureElement,
    virtualizer,
  };
}
