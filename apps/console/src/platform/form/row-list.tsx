import { Box, Group } from "@mantine/core";
import { type Icon, IconPlus } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { DisabledReason } from "../../ui/disabled-reason.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
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
  /** The height of a row, about. */
  readonly rowPx: number;
  /** It stands within a card that has a heading of its own. */
  readonly isWithin?: boolean;
  /** Why no more can be added; null if one can. */
  readonly fullReason?: string | null;
  /** The rows, of which there is at least one. */
  readonly children: (rows: readonly Row[], onOpen: (open: OpenRow<Row>) => void) => ReactNode;
}

/** Rows that people add, edit and delete, each in a dialog. */
export function RowList<Row extends { readonly id: number }>(props: RowListProps<Row>) {
  const { what, query, header, empty, rowPx, isWithin = false, fullReason = null, children, ...dialogs } = props;
  const { open, onOpen, onClose } = useOpenRow<Row>();
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
          {header}
        </Box>
        {query.data !== undefined && query.data.length > 0 && add}
      </Group>
      <QueryState
        query={query}
        loading={<SkeletonLines label={`Loading ${what}s`} lines={3} lineHeightPx={rowPx} />}
        failed={`The ${what}s could not be loaded.`}
      >
        {(rows) =>
          rows.length === 0 ? (
            <div className={isWithin ? undefined : shared["card"]}>
              <EmptyState {...told} icon={<EmptyIcon size={32} stroke={1.5} />} action={add} />
            </div>
          ) : (
            children(rows, onOpen)
          )
        }
      </QueryState>
      <RowDialogs what={what} open={open} onClose={onClose} rows={query.data} {...dialogs} />
    </>
  );
}
