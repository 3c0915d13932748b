import { useState } from "react";
import { useGuardedClose } from "../../platform/confirm/use-guarded-close.ts";
import { LockForm } from "./lock-form.tsx";
import type { MaintainedRobot } from "./maintained-robot.ts";
import { lockRobot } from "./maintenance-calls.ts";
import { Dialog } from "../../ui/dialog.tsx";

export interface RobotDialogProps {
  readonly robot: MaintainedRobot;
  readonly onClose: () => void;
}

/** Asks why before a robot is locked, and says what the lock does and does not. */
export function LockDialog({ robot, onClose }: RobotDialogProps) {
  const [isBusy, setBusy] = useState(false);
  const [isChanged, setChanged] = useState(false);
  const close = useGuardedClose({ isChanged, isSaving: isBusy, shownBy: ["site", "tab"] }, onClose);
  const lock = async (reason: string) => {
    setBusy(true);
    const isDone = await lockRobot(robot, reason);
    setBusy(false);
    if (isDone) onClose();
  };
  return (
    <Dialog onClose={close} title={`Maintenance: ${robot.serialNumber}`}>
      <LockForm
        whom={`robot ${robot.serialNumber}`}
        movingCount={robot.motion === "MOVING" ? 1 : 0}
        mayBeMovingCount={robot.motion === "MAY_BE_MOVING" ? 1 : 0}
        isBusy={isBusy}
        submitLabel="Put in Maintenance"
        onCancel={close}
        onChanged={setChanged}
        onLock={(reason) => void lock(reason)}
      />
    </Dialog>
  );
}
