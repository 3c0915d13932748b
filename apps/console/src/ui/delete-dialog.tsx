import { Button, Group as Row } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { DisabledReason } from "./disabled-reason.tsx";
import { RefusalBox } from "./refusal-box.tsx";
import { Dialog } from "./dialog.tsx";
import { useBusy } from "./use-busy.ts";

/** Why it was not deleted, and whether the same try may end otherwise. */
interface Refusal {
  readonly reason: string;
  readonly mayRetry: boolean;
}

export interface DeleteDialogProps {
  /** Such as "Delete Robot": also the words of its button. */
  readonly title: string;
  /** What stands against it and is known before it is tried; null where nothing is. */
  readonly blockedReason: string | null;
  /** Why it is not known yet whether it can be deleted; null where it is. */
  readonly unknown?: string | null;
  /** Null where it is gone; closing is the caller's then. */
  readonly onDelete: () => Promise<Refusal | null>;
  readonly onClose: () => void;
  /** What is deleted, and what goes with it. */
  readonly children: ReactNode;
}

/** Asks before something is deleted; where it cannot be, the dialog stays and says why. */
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
      <Row justify="flex-end" mt="lg" gap="xs">
        <Button variant="default" onClick={onClose} data-autofocus>
          Cancel
        </Button>
        <DisabledReason reason={unknown ?? blockedReason}>
          <Button color="red" loading={isDeleting} onClick={() => void remove()}>
            {refusal?.mayRetry === true && blockedReason === null ? "Try again" : title}
          </Button>
        </DisabledReason>
      </Row>
    </Dialog>
  );
}
