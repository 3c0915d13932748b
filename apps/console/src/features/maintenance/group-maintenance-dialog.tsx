import { SegmentedControl } from "@mantine/core";
import type { Group, ManyRobotsResponse } from "@suncrew/contract/groups/groups.ts";
import { useState } from "react";
import { useGuardedClose } from "../../platform/confirm/use-guarded-close.ts";
import { LockForm } from "./lock-form.tsx";
import { isLocked } from "./maintained-robot.ts";
import type { MaintainedRobot } from "./maintained-robot.ts";
import { changeGroup } from "./maintenance-calls.ts";
import classes from "./maintenance.module.css";
import { MaintenanceNote } from "./maintenance-note.tsx";
import { ReleaseChoices } from "./release-choices.tsx";
import { RobotResults } from "./robot-results.tsx";
import { Dialog } from "../../ui/dialog.tsx";

type Change = { readonly enabled: boolean; readonly reason?: string; readonly start_after?: boolean };

export interface GroupMaintenanceDialogProps {
  readonly group: Group;
  readonly members: readonly MaintainedRobot[];
  readonly onClose: () => void;
}

/** Locks every robot of a group, or releases those that are locked; then what came of each. */
export function GroupMaintenanceDialog({ group, members, onClose }: GroupMaintenanceDialogProps) {
  const locked = members.filter((robot) => isLocked(robot));
  const [way, setWay] = useState<"lock" | "release">(locked.length === members.length ? "release" : "lock");
  const [busy, setBusy] = useState<"lock" | "start" | "release" | null>(null);
  const [told, setTold] = useState<{ readonly change: Change; readonly answer: ManyRobotsResponse } | null>(null);

  const [isTyped, setTyped] = useState(false);
  const isChanged = isTyped && told === null;
  const close = useGuardedClose({ isChanged, isSaving: busy !== null, shownBy: ["site", "tab"] }, onClose);

  const send = async (change: Change) => {
    setBusy(change.enabled ? "lock" : change.start_after === true ? "start" : "release");
    const answer = await changeGroup(group, change);
    setBusy(null);
    if (answer === null) return;
    const isPlain = answer.results.every(({ outcome, pending }) => outcome === "SUCCESS" && !pending);
    if (isPlain) onClose();
    else setTold({ change, answer });
  };

  const chooser = locked.length > 0 && locked.length < members.length && (
    <SegmentedControl
      fullWidth
      aria-label="What to do"
      data={[
        { value: "lock", label: `Lock ${robotCount(members.length - locked.length)}` },
        { value: "release", label: `Release ${robotCount(locked.length)}` },
      ]}
      value={way}
      onChange={(chosen) => {
        setWay(chosen);
        // The form goes, and with it what is typed.
        setTyped(false);
      }}
    />
  );
  return (
    <Dialog size={500} onClose={close} title={`Maintenance: ${group.group_name}`}>
      {told !== null ? (
        <RobotResults
          answer={told.answer}
          isBusy={busy !== null}
          canRetry={told.answer.results.some(
            ({ outcome, robotObjectId }) =>
              outcome === "FAILED" &&
              members.some((robot) => robot.id === robotObjectId && isLocked(robot) !== told.change.enabled),
          )}
          onAgain={() => void send(told.change)}
          onClose={onClose}
        />
      ) : way === "lock" ? (
        <LockForm
          whom={robotCount(members.length - locked.length)}
          movingCount={members.filter((robot) => robot.motion === "MOVING").length}
          mayBeMovingCount={members.filter((robot) => robot.motion === "MAY_BE_MOVING").length}
          isBusy={busy === "lock"}
          submitLabel={`Put ${robotCount(members.length - locked.length)} in Maintenance`}
          onCancel={close}
          onChanged={setTyped}
          onLock={(reason) => void send({ enabled: true, reason })}
        >
          {chooser}
        </LockForm>
      ) : (
        <div className={classes["form"]}>
          {chooser}
          <ul className={classes["locks"]}>
            {locked.map((robot) => (
              <li key={robot.id}>
                <strong>{robot.serialNumber}</strong>
                <MaintenanceNote robot={robot} />
              </li>
            ))}
          </ul>
          <p className={classes["text"]}>
            If you start {locked.length === 1 ? "it" : "them"}, {robotCount(locked.length)} will move as soon as{" "}
            {locked.length === 1 ? "it has" : "each has"} confirmed the release. Make sure that nobody is near.
          </p>
          <ReleaseChoices
            busy={busy === "lock" ? null : busy}
            onCancel={onClose}
            onRelease={(startAfter) => void send({ enabled: false, start_after: startAfter })}
          />
        </div>
      )}
    </Dialog>
  );
}

function robotCount(count: number): string {
  return count === 1 ? "1 robot" : `${count} robots`;
}
