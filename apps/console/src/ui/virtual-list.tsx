import { type Key, type ReactNode, useEffect } from "react";
import classes from "./virtual-list.module.css";
import { useVirtualRows } from "./virtual-rows.ts";

export interface VirtualListProps<T> {
  /** Of the region that scrolls. */
  readonly label: string;
  readonly items: readonly T[];
  readonly keyOf: (item: T) => Key;
  readonly rowPx: number;
  /** Rows may be taller than `rowPx`: each is measured. */
  readonly measured?: boolean;
  /** The list is as high as its rows, up to this many of them; without it `className` sets the height. */
  readonly maxRows?: number;
  readonly className: string | undefined;
  readonly rowClassName: string | undefined;
  readonly isNarrow?: boolean;
  /** The rows are those of an earlier query: `data-old` on the list dims them. */
  readonly isOld?: boolean;
  /** Further rows are not loaded yet. */
  readonly hasMore?: boolean;
  /** Called with the index of the last row that is rendered. */
  readonly onLastIndex?: (index: number) => void;
  readonly children: (item: T) => ReactNode;
}

/** A list with its own scrolling that renders only the visible rows. */
export function VirtualList<T>(props: VirtualListProps<T>) {
  const { label, items, keyOf, rowPx, measured = false, maxRows, className, rowClassName, children } = props;
  const { isNarrow = false, isOld = false, hasMore = false, onLastIndex } = props;
  const initialHeightPx = maxRows === undefined ? 560 : rowPx * maxRows;
  const { scroll, rows, totalPx, measureElement } = useVirtualRows({
    count: items.length,
    rowPx,
    measured,
    initialHeightPx,
  });
  const lastIndex = rows.at(-1)?.index ?? 0;
  useEffect(() => onLastIndex?.(lastIndex), [onLastIndex, lastIndex]);
  return (
    // oxlint-disable jsx-a11y/no-noninteractive-tabindex -- so that the keyboard can scroll it
    <div
      ref={scroll}
      className={`${classes["scroll"]} ${className}`}
      tabIndex={0}
      role="region"
      aria-label={label}
      aria-busy={isOld || undefined}
      style={
        maxRows === undefined ? undefined : { height: Math.min(items.length, maxRows) * rowPx + 2, maxHeight: "44dvh" }
      }
    >
      {/* oxlint-enable jsx-a11y/no-noninteractive-tabindex */}
      <ul className={classes["list"]} data-old={isOld || undefined} style={{ height: totalPx }}>
        {rows.map(({ index, start }) => {
          const item = items[index];
          return (
            item !== undefined && (
              <li
                key={keyOf(item)}
                ref={measured ? measureElement : undefined}
                data-index={index}
                className={`${classes["row"]} ${rowClassName}`}
                data-narrow={isNarrow || undefined}
                aria-setsize={hasMore ? -1 : items.length}
                aria-posinset={index + 1}
                style={{ top: start, [measured ? "minHeight" : "height"]: rowPx }}
              >
                {children(item)}
              </li>
            )
          );
        })}
      </ul>
    </div>
  );
}
