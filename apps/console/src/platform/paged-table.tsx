import { Box, Group } from "@mantine/core";
import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useIsNarrow } from "../ui/dialog.tsx";
import { SkeletonLines } from "../ui/skeletons.tsx";
import { VirtualTable, type VirtualTableProps } from "../ui/virtual-table.tsx";
import shared from "../ui/shared.module.css";
import { OlderButton } from "./paged-list.tsx";
import { QueryState } from "./query-state.tsx";

const ROW_PX = 52;
const NARROW_ROW_PX = 104;

interface Counted {
  readonly total: number;
  readonly total_exact: boolean;
}

interface PagedTableProps<T, Page> extends Omit<VirtualTableProps<T>, "rows" | "rowPx" | "isNarrow"> {
  readonly list: UseInfiniteQueryResult<InfiniteData<Page>>;
  readonly rowsOf: (page: Page) => readonly T[];
  /** What is listed, such as ["message", "messages"]. */
  readonly names: readonly [one: string, many: string];
  /** Shown instead of a table without rows. */
  readonly none: ReactNode;
  readonly narrowRowPx?: number;
}

const number = new Intl.NumberFormat("en-GB");

/** A long list that is loaded page by page, as a table of rows of two lines, three on a phone, with its count. */
export function PagedTable<T, Page extends Counted>(props: PagedTableProps<T, Page>) {
  const { list, rowsOf, names, none, narrowRowPx = NARROW_ROW_PX, ...table } = props;
  const [one, many] = names;
  const isNarrow = useIsNarrow();
  return (
    <QueryState
      query={list}
      loading={
        <Box mt={12}>
          <SkeletonLines label={`Loading ${many}`} lines={6} lineHeightPx={ROW_PX} />
        </Box>
      }
      failed={`The ${many} could not be loaded.`}
    >
      {({ pages }) => {
        const rows = pages.flatMap(rowsOf);
        if (rows.length === 0) return none;
        const { total = rows.length, total_exact: isExact = true } = pages[0] ?? {};
        const rowPx = isNarrow ? narrowRowPx : ROW_PX;
        // Still the rows of the previous filters.
        const isOld = list.isPlaceholderData;
        return (
          <>
            <div style={isOld ? { opacity: 0.6 } : undefined} aria-busy={isOld}>
              <VirtualTable {...table} rows={rows} rowPx={rowPx} isNarrow={isNarrow} />
            </div>
            <Group gap="4px 10px" mt={10} fz={13} c="dimmed">
              <span role="status">
                Showing {number.format(rows.length)} of {number.format(total)}
                {isExact ? "" : "+"} {total === 1 ? one : many}
              </span>
              {list.isFetchNextPageError && <span role="alert">Older {many} could not be loaded.</span>}
              <OlderButton list={list} size="compact-sm" className={shared["touch"]} />
            </Group>
          </>
        );
      }}
    </QueryState>
  );
}
