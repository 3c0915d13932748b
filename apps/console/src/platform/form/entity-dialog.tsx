import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { Dialog, type DialogProps } from "../../ui/dialog.tsx";
import { DisabledReason } from "../../ui/disabled-reason.tsx";
import { DeletedNotice, EditConflict } from "../../ui/edit-conflict.tsx";
import { RefusalBox } from "../../ui/refusal-box.tsx";
import { useGuardedClose } from "../confirm/use-guarded-close.ts";
import classes from "./entity-dialog.module.css";
import type { EntityForm } from "./entity-form.ts";

export interface EntityDialogProps<Form, Field extends string> extends Omit<DialogProps, "onSubmit" | "form"> {
  readonly state: EntityForm<Form, Field>;
  readonly submitLabel: string;
  /** The URL parameters without which the dialog closes; others may change behind it. */
  readonly shownBy?: readonly string[];
  /** Shown beside Cancel and Save. */
  readonly footer?: ReactNode;
  /** The fields. */
  readonly children: ReactNode;
}

/**
 * The dialog around an entity form: other people's changes, the fields, Cancel and Save. Closing asks before input is
 * lost.
 */
export function EntityDialog<Form, Field extends string>(props: EntityDialogProps<Form, Field>) {
  const { state, submitLabel, shownBy, footer, children, onClose, ...dialog } = props;
  const { what, deleted, concurrentEdit, isConflictUnknown, blockedReason, isSaving, showProblems, submit, element } =
    state;
  const close = useGuardedClose({ ...state, ...(shownBy && { shownBy }) }, onClose);
  return (
    <Dialog {...dialog} onClose={close}>
      <form ref={element} className={classes["form"]} noValidate onSubmit={submit}>
        {deleted !== null ? (
          <DeletedNotice what={what} reason={deleted} />
        ) : concurrentEdit !== null ? (
          <EditConflict what={what} concurrentEdit={concurrentEdit} />
        ) : (
          isConflictUnknown && (
            <RefusalBox title={`Somebody else changed this ${what} while you were editing`}>
              What they saved could not be loaded, so nothing of yours is saved yet. Save again in a moment.
            </RefusalBox>
          )
        )}
        {children}
        <div className={classes["foot"]}>
          {footer}
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          {/* Browsers make Enter in a field press it as well: a disabled one then shows what is wrong. */}
          <DisabledReason reason={blockedReason} onRefused={showProblems}>
            <Button type="submit" loading={isSaving}>
              {submitLabel}
            </Button>
          </DisabledReason>
        </div>
      </form>
    </Dialog>
  );
}
