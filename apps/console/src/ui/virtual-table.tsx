import { UnstyledButton } from "@mantine/core";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import type { Key, ReactNode } from "react";
import { useVirtualRows } from "./virtual-rows.ts";
import shared from "./shared.module.css";
import classes from "./virtual-table.module.css";

export interface TableSort {
  /** The title of the column. */
  readonly column: string;
  readonly isDescending: boolean;
  readonly onSort: (column: string) => void;
}

export interface VirtualTableProps<T> {
  readonly label: string;
  readonly columns: readonly string[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => Key;
  /** How tall each row is, in pixels. */
  readonly rowPx: number;
  /** Rows of several lines, as fit on a phone: the column titles are for screen readers only. */
  readonly isNarrow: boolean;
  /** For the table: sets `--columns`, a grid template, and `--height`, which its rows have at most. */
  readonly className: string | undefined;
  /** For each row: with `data-narrow` it places the cells. */
  readonly rowClassName: string | undefined;
  /** By what the rows are sorted, if the titles are to sort them: pressed again, the other way round. */
  readonly sort?: TableSort;
  /** The cells of a row. */
  readonly children: (row: T) => ReactNode;
}

declare module "react" {
  interface CSSProperties {
    readonly "--area"?: string;
    readonly "--rows"?: string;
  }
}

export interface CellProps {
  /** Its place in the row's grid template while the table is narrow. */
  readonly area: string;
  /** Overflow is cut off. */
  readonly isCut?: boolean;
  readonly className?: string | undefined;
  readonly title?: string | undefined;
  readonly children: ReactNode;
}

/** A cell of a virtual table. */
export function Cell({ area, isCut = false, ...span }: CellProps) {
  return <span role="cell" data-cut={isCut || undefined} style={{ "--area": area }} {...span} />;
}

const orderOf = ({ isDescending }: TableSort) => (isDescending ? "descending" : "ascending");

/** A table with its own scrolling; of thousands of rows only the visible ones are rendered. */
export function VirtualTable<T>(props: VirtualTableProps<T>) {
  const { label, columns, rows, keyOf, rowPx, isNarrow, className, rowClassName, sort, children } = props;
  const { scroll, rows: shown, totalPx } = useVirtualRows({ count: rows.length, rowPx, initialHeightPx: 500 });
  const narrow = isNarrow || undefined;
  return (
    <div
      className={`${shared["card"]} ${classes["table"]} ${className}`}
      data-narrow={narrow}
      style={{ "--rows": `${totalPx}px` }}
      role="table"
      aria-label={label}
      aria-rowcount={rows.length + 1}
    >
      {/* On a phone the names would say nothing: the parts tell what they are. */}
      <div
        className={isNarrow ? shared["visuallyHidden"] : `${shared["columnNames"]} ${classes["names"]}`}
        role="row"
        aria-rowindex={1}
      >
        {columns.map((name) => (
          <span key={name} role="columnheader" {...(sort?.column === name && { "aria-sort": orderOf(sort) })}>
            {sort === undefined || isNarrow ? (
              name
            ) : (
              <UnstyledButton className={classes["sort"]} onClick={() => sort.onSort(name)}>
                {name}
                {sort.column === name &&
                  (sort.isDescending ? <IconArrowDown size={13} aria-hidden /> : <IconArrowUp size={13} aria-hidden />)}
              </UnstyledButton>
            )}
          </span>
        ))}
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that the keyboard can scroll it */}
      <div ref={scroll} className={classes["scroll"]} role="rowgroup" tabIndex={0} aria-label={`${label}, scrollable`}>
        <div role="presentation" style={{ position: "relative", height: totalPx }}>
          {shown.map(({ index, start }) => {
            const row = rows[index];
            return (
              row !== undefined && (
                <div
                  key={keyOf(row)}
                  className={`${classes["row"]} ${rowClassName}`}
                  role="row"
                  aria-rowindex={index + 2}
                  data-narrow={narrow}
                  style={{ top: start, height: rowPx }}
                >
                  {children(row)}
                </div>
              )
            );
          })}
        </div>
      </div>
    </div>
  );
}
