import { Box, Group } from "@mantine/core";
import { type Icon, IconPlus } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactNode, useDeferredValue, useState } from "react";
import { DisabledReason } from "../../ui/disabled-reason.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { matchesEveryWord } from "../../ui/matches-search.ts";
import { SearchBox } from "../../ui/search-box.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { ToolButton } from "../../ui/tool-button.tsx";
import shared from "../../ui/shared.module.css";
import { QueryState } from "../query-state.tsx";
import { type OpenRow, RowDialogs, type RowDialogsProps, rowDialogTitle, useOpenRow } from "./row-dialogs.tsx";

interface RowListProps<Row extends { readonly id: number }> extends Pick<
  RowDialogsProps<Row>,
  "what" | "renderEdit" | "renderDelete" | "onDelete"
> {
  readonly query: UseQueryResult<Row[]>;
  /** Above the rows, beside the button that adds one: what they are, or how to find one. */
  readonly header: ReactNode;
  /** While there is none: what to do. */
  readonly empty: { readonly icon: Icon; readonly title: string; readonly message: string };
  /** With many rows a search takes the header's place. */
  readonly search?: {
    readonly placeholder: string;
    /** What a row is found by. */
    readonly wordsOf: (row: Row) => readonly string[];
  };
  /** The height of a row, about. */
  readonly rowPx: number;
  /** It stands within a card that has a heading of its own. */
  readonly isWithin?: boolean;
  /** Why no more can be added; null if one can. */
  readonly fullReason?: string | null;
  /** Those that are shown: at least one. */
  readonly children: (rows: readonly Row[], onOpen: (open: OpenRow<Row>) => void) => ReactNode;
}

/** With more than this a search helps. */
const SEARCHED_FROM = 8;

/** Rows that people add, edit and delete, each in a dialog. */
export function RowList<Row extends { readonly id: number }>(props: RowListProps<Row>) {
  const {
    what,
    query,
    header,
    empty,
    search,
    rowPx,
    isWithin = false,
    fullReason = null,
    children,
    ...dialogs
  } = props;
  const { open, onOpen, onClose } = useOpenRow<Row>();
  const [typed, setTyped] = useState("");
  const words = useDeferredValue(typed);
  const count = query.data?.length ?? 0;
  const searched = count > SEARCHED_FROM ? search : undefined;
  const { icon: EmptyIcon, ...told } = empty;
  const add = (
    <DisabledReason reason={fullReason}>
      <ToolButton icon={IconPlus} variant="filled" aria-haspopup="dialog" onClick={() => onOpen({ kind: "add" })}>
        {rowDialogTitle(what, true)}
      </ToolButton>
    </DisabledReason>
  );
  return (
    <>
      <Group gap={8} justify="space-between" mb={10} mih={30}>
        <Box flex="1 1 160px" miw={0} fz={13} lh="18px" c="dimmed">
          {searched === undefined ? (
            header
          ) : (
            <Box maw={380}>
              <SearchBox
                label={`Search ${what}s`}
                placeholder={searched.placeholder}
                value={typed}
                onChange={setTyped}
              />
            </Box>
          )}
        </Box>
        {count > 0 && add}
      </Group>
      <QueryState
        query={query}
        loading={<SkeletonLines label={`Loading ${what}s`} lines={3} lineHeightPx={rowPx} />}
        failed={`The ${what}s could not be loaded.`}
      >
        {(rows) => {
          const found =
            searched === undefined ? rows : rows.filter((row) => matchesEveryWord(words, searched.wordsOf(row)));
          if (found.length > 0) return children(found, onOpen);
          return (
            <div className={isWithin ? undefined : shared["card"]}>
              {rows.length === 0 ? (
                <EmptyState {...told} icon={<EmptyIcon size={32} stroke={1.5} />} action={add} />
              ) : (
                <EmptyState title={`No ${what}s match your search.`} />
              )}
            </div>
          );
        }}
      </QueryState>
      <RowDialogs what={what} open={open} onClose={onClose} rows={query.data} {...dialogs} />
    </>
  );
}
