import { Box } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { DeleteDialog } from "../../ui/delete-dialog.tsx";
import type { Refusal } from "../api/change.ts";

/** Which dialog of a list's rows is open. */
export type OpenRow<Row> = { readonly kind: "add" } | { readonly kind: "edit" | "delete"; readonly row: Row };

/** A dialog that adds or edits a row of a list. */
export interface RowDialogProps<Row> {
  /** The row to edit, as the list has it now; null adds one. */
  readonly row: Row | null;
  /** It is no longer in the list. */
  readonly isDeleted: boolean;
  readonly onClose: () => void;
}

/** "Contact Point" for a contact point: as titles name it. */
export const titleOf = (what: string) => what.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());

/** "Add Contact Point" or "Edit Contact Point". */
export const rowDialogTitle = (what: string, isNew: boolean) => `${isNew ? "Add" : "Edit"} ${titleOf(what)}`;

export function useOpenRow<Row>() {
  const [open, setOpen] = useState<OpenRow<Row> | null>(null);
  return { open, onOpen: setOpen, onClose: () => setOpen(null) };
}

export interface RowDialogsProps<Row extends { readonly id: number }> extends Pick<
  ReturnType<typeof useOpenRow<Row>>,
  "open" | "onClose"
> {
  /** Such as "contact point". */
  readonly what: string;
  /** As the list is now; undefined while it is not known. */
  readonly rows: readonly Row[] | undefined;
  readonly renderEdit: (props: RowDialogProps<Row>) => ReactNode;
  /** What is asked before a row is deleted. */
  readonly renderDelete: (row: Row) => ReactNode;
  /** Returns why it was refused, or null once it is deleted. */
  readonly onDelete: (row: Row) => Promise<Refusal | null>;
}

/** The open dialog of a list: the one that adds or edits a row, or the one that asks before a row is deleted. */
export function RowDialogs<Row extends { readonly id: number }>(props: RowDialogsProps<Row>) {
  const { open, onClose, what, rows, renderEdit, renderDelete, onDelete } = props;
  if (open === null) return null;
  if (open.kind === "add") return renderEdit({ row: null, isDeleted: false, onClose });
  const { row } = open;
  if (open.kind === "edit") {
    const now = rows?.find(({ id }) => id === row.id);
    return renderEdit({ row: now ?? row, isDeleted: rows !== undefined && now === undefined, onClose });
  }
  return (
    <DeleteDialog
      title={`Delete ${titleOf(what)}`}
      blockedReason={null}
      onDelete={async () => {
        const refusal = await onDelete(row);
        if (refusal === null) onClose();
        return refusal;
      }}
      onClose={onClose}
    >
      <Box component="p" fz={14} lh="20px" style={{ overflowWrap: "anywhere" }}>
        {renderDelete(row)}
      </Box>
    </DeleteDialog>
  );
}
