import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { EntityDialog } from "../../../platform/form/entity-dialog.tsx";
import { ForgetStateButton } from "./forget-state-button.tsx";
import classes from "./robot-dialog.module.css";
import { RobotFields } from "./robot-fields.tsx";
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
  const state = useRobotForm(siteId, robot, onClose);
  return (
    <EntityDialog
      state={state}
      title={robot === null ? "Add New Robot" : "Edit Robot"}
      submitLabel={robot === null ? "Add Robot" : "Save"}
      shownBy={["site", "tab"]}
      size={520}
      fullScreenBelow="30em"
      footer={robot !== null && <ForgetStateButton robot={robot} className={classes["forget"]} />}
      onClose={onClose}
    >
      <RobotFields state={state} isNew={robot === null} />
    </EntityDialog>
  );
}
