import { Button, Modal } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { useRef, useState } from "react";
import type { FormEvent } from "react";
import { useGuardedClose } from "../../../platform/confirm/use-guarded-close.ts";
import { DeletedNotice, EditConflict } from "../../../ui/edit-conflict.tsx";
import { DisabledReason } from "../../../ui/disabled-reason.tsx";
import { useReturnFocus } from "../../../ui/use-return-focus.ts";
import { ForgetStateButton } from "./forget-state-button.tsx";
import classes from "./robot-dialog.module.css";
import { RobotFields } from "./robot-fields.tsx";
import type { RobotField } from "./robot-form.ts";
import { useRobotForm } from "./use-robot-form.ts";

export interface RobotDialogProps {
  /** Where a new robot is put, and where the edited one is. */
  readonly siteId: number;
  /** The robot to edit; null adds one. */
  readonly robot: RobotWithSettings | null;
  readonly onClose: () => void;
}

/** §2 Add New Robot and Edit Robot, with the rules of §5. */
export function RobotDialog({ siteId, robot, onClose }: RobotDialogProps) {
  useReturnFocus();
  const isNarrow = useMediaQuery("(max-width: 30em)", undefined, { getInitialValueInEffect: false }) ?? false;
  const state = useRobotForm(siteId, robot, onClose);
  const close = useGuardedClose({ ...state, shownBy: ["site", "tab"] }, onClose);
  const [isPicking, setPicking] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const formElement = useRef<HTMLFormElement>(null);

  const focusOn = (field: RobotField | null) => {
    if (field === null) return;
    formElement.current?.querySelector<HTMLElement>(`[name="${field}"]`)?.focus();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    focusOn(await state.save());
  };

  return (
    <Modal
      opened
      onClose={close}
      title={robot === null ? "Add New Robot" : "Edit Robot"}
      size={520}
      fullScreen={isNarrow}
      // Escape in the picker or the question closes that alone.
      closeOnEscape={!isPicking && !isAsking}
    >
      <form ref={formElement} noValidate onSubmit={(event) => void submit(event)}>
        {state.gone !== null ? (
          <DeletedNotice what="robot" reason={state.gone} />
        ) : (
          state.meanwhile !== null && <EditConflict what="robot" meanwhile={state.meanwhile} />
        )}
        <RobotFields state={state} isNew={robot === null} isPicking={isPicking} onPicking={setPicking} />
        <div className={classes["foot"]}>
          {robot !== null && <ForgetStateButton robot={robot} className={classes["forget"]} onAsking={setAsking} />}
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          {/* Also Enter in a field presses it, as browsers have it: a disabled one then shows what is wrong. */}
          <DisabledReason reason={state.obstacle} onRefused={() => focusOn(state.tryFields())}>
            <Button type="submit" loading={state.isSaving}>
              {robot === null ? "Add Robot" : "Save"}
            </Button>
          </DisabledReason>
        </div>
      </form>
    </Modal>
  );
}
