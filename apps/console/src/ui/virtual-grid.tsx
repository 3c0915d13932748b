import { useElementSize } from "@mantine/hooks";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useLayoutEffect, useRef, useState, type Key, type ReactNode } from "react";

const GAP_PX = 12;

export interface VirtualGridProps<T> {
  readonly items: readonly T[];
  readonly keyOf: (item: T) => Key;
  readonly children: (item: T) => ReactNode;
  /** A column is never narrower than this, in pixels, unless the page is. */
  readonly minColumnPx: number;
  /** A row's assumed height before it is measured, in pixels. */
  readonly estimatedRowPx: number;
}

/**
 * Equal cards in as many columns as fit, scrolled with the page; of thousands only those near the window are rendered.
 */
export function VirtualGrid<T>({ items, keyOf, children, minColumnPx, estimatedRowPx }: VirtualGridProps<T>) {
  const { ref: sizeRef, width } = useElementSize();
  const place = useRef<HTMLDivElement>(null);
  const [offsetPx, setOffsetPx] = useState(0);
  const columns = Math.max(1, Math.floor((width + GAP_PX) / (minColumnPx + GAP_PX)));
  const rowCount = Math.ceil(items.length / columns);

  // What is above the grid may grow or shrink: then the page changes its height.
  useLayoutEffect(() => {
    const measure = () => {
      if (place.current !== null) setOffsetPx(Math.round(place.current.getBoundingClientRect().top + scrollY));
    };
    const page = new ResizeObserver(measure);
    page.observe(document.body);
    measure();
    return () => page.disconnect();
  }, []);

  // oxlint-disable-next-line react/incompatible-library -- the console is not built with the compiler
  const virtualizer = useWindowVirtualizer({
    count: rowCount,
    estimateSize: () => estimatedRowPx,
    overscan: 3,
    gap: GAP_PX,
    scrollMargin: offsetPx,
  });

  return (
    <div ref={place}>
      <div ref={sizeRef} style={{ position: "relative", height: virtualizer.getTotalSize() }}>
        {width > 0 &&
          virtualizer.getVirtualItems().map((row) => (
            <div
              key={row.key}
              ref={virtualizer.measureElement}
              data-index={row.index}
              style={{
                position: "absolute",
                insetInline: 0,
                top: 0,
                transform: `translateY(${row.start - offsetPx}px)`,
                display: "grid",
                gap: GAP_PX,
                gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
              }}
            >
              {items.slice(row.index * columns, (row.index + 1) * columns).map((item) => (
                <div key={keyOf(item)} style={{ display: "grid" }}>
                  {children(item)}
                </div>
              ))}
            </div>
          ))}
      </div>
    </div>
  );
}
