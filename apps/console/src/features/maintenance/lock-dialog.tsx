import { Modal } from "@mantine/core";
import { useState } from "react";
import { useFocusBack } from "../../ui/use-focus-back.ts";
import { LockForm } from "./lock-form.tsx";
import type { MaintainedRobot } from "./maintained-robot.ts";
import { lockRobot } from "./maintenance-calls.ts";

export interface RobotDialogProps {
  readonly robot: MaintainedRobot;
  readonly onClose: () => void;
}

/** Asks why before a robot is locked, and says what the lock does and does not. */
export function LockDialog({ robot, onClose }: RobotDialogProps) {
  useFocusBack();
  const [isBusy, setBusy] = useState(false);
  const lock = async (reason: string) => {
    setBusy(true);
    const isDone = await lockRobot(robot, reason);
    setBusy(false);
    if (isDone) onClose();
  };
  return (
    <Modal opened onClose={onClose} title={`Maintenance: ${robot.serialNumber}`}>
      <LockForm
        whom={`robot ${robot.serialNumber}`}
        movingCount={robot.motion === "MOVING" ? 1 : 0}
        isBusy={isBusy}
        submitLabel="Put in Maintenance"
        onCancel={onClose}
        onLock={(reason) => void lock(reason)}
      />
    </Modal>
  );
}
