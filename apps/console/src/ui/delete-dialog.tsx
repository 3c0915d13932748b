import { Button } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { DisabledReason } from "./disabled-reason.tsx";
import { RefusalBox } from "./refusal-box.tsx";
import { Dialog, DialogFooter } from "./dialog.tsx";
import { useBusy } from "./use-busy.ts";

/** Why it was not deleted, and whether trying again may help. */
interface Refusal {
  readonly reason: string;
  readonly mayRetry: boolean;
}

export interface DeleteDialogProps {
  /** Such as "Delete Robot": also its button's label. */
  readonly title: string;
  /** A known objection, before anything is tried; null if there is none. */
  readonly blockedReason: string | null;
  /** Why it is not known yet whether it can be deleted; null if it is. */
  readonly unknown?: string | null;
  /** Null if it is deleted; then the caller closes the dialog. */
  readonly onDelete: () => Promise<Refusal | null>;
  readonly onClose: () => void;
  /** What is deleted, and what is deleted with it. */
  readonly children: ReactNode;
}

/** Asks before something is deleted; if it cannot be, the dialog stays and says why. */
export function DeleteDialog({ title, blockedReason, unknown = null, onDelete, onClose, children }: DeleteDialogProps) {
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [isDeleting, run] = useBusy();
  const remove = () => run(async () => setRefusal(await onDelete()));

  return (
    <Dialog onClose={onClose} title={title}>
      {children}
      {blockedReason !== null ? (
        <RefusalBox title="It cannot be deleted now">{blockedReason}</RefusalBox>
      ) : (
        refusal !== null && (
          <RefusalBox title={refusal.mayRetry ? "It was not deleted" : "It cannot be deleted now"}>
            {refusal.reason}
          </RefusalBox>
        )
      )}
      <DialogFooter isEqual>
        <Button variant="default" onClick={onClose} data-autofocus>
          Cancel
        </Button>
        <DisabledReason reason={unknown ?? blockedReason}>
          <Button color="red" loading={isDeleting} onClick={() => void remove()}>
            {refusal?.mayRetry === true && blockedReason === null ? "Try again" : title}
          </Button>
        </DisabledReason>
      </DialogFooter>
    </Dialog>
  );
}
