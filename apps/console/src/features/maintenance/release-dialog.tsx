import { Button } from "@mantine/core";
import { useState } from "react";
import type { RobotDialogProps } from "./lock-dialog.tsx";
import { releaseRobot } from "./maintenance-calls.ts";
import type { ReleaseAnswer } from "./maintenance-calls.ts";
import { MaintenanceNote } from "./maintenance-note.tsx";
import classes from "./maintenance.module.css";
import { ReleaseChoices } from "./release-choices.tsx";
import { Dialog } from "../../ui/dialog.tsx";

/** §4 Commands, back from maintenance: says that the robot will move if started, and offers not to (decisions, stubs). */
export function ReleaseDialog({ robot, onClose }: RobotDialogProps) {
  const [busy, setBusy] = useState<"start" | "release" | null>(null);
  const [answer, setAnswer] = useState<ReleaseAnswer | null>(null);
  const release = async (startAfter: boolean) => {
    setBusy(startAfter ? "start" : "release");
    const given = await releaseRobot(robot, startAfter);
    setBusy(null);
    // Released and not started is told here too, until it has been read.
    if (given?.start?.success === false) setAnswer(given);
    else if (given !== null) onClose();
  };
  return (
    <Dialog size={500} onClose={onClose} title={`Exit maintenance: ${robot.serialNumber}`}>
      {answer === null ? (
        <div className={classes["form"]}>
          <MaintenanceNote robot={robot} />
          <p className={classes["text"]}>
            If you start it, robot {robot.serialNumber} will move as soon as it has confirmed the release. Make sure
            that nobody is near it.
          </p>
          <ReleaseChoices busy={busy} onCancel={onClose} onRelease={(startAfter) => void release(startAfter)} />
        </div>
      ) : (
        <div className={classes["form"]} role="status">
          <p className={classes["text"]}>
            <strong>Robot {robot.serialNumber} was released. Its start did not succeed.</strong>
          </p>
          <p className={classes["text"]}>{answer.start?.message}</p>
          <Button variant="default" ml="auto" onClick={onClose} data-autofocus>
            Close
          </Button>
        </div>
      )}
    </Dialog>
  );
}
