import { Alert, Button, Group as Row, SegmentedControl, Textarea } from "@mantine/core";
import type { Group, ManyRobotsResponse, RobotResult } from "@suncrew/contract/groups/groups.ts";
import { stripInvisible } from "@suncrew/contract/http/text.ts";
import { MAINTENANCE_REASON_MAX } from "@suncrew/contract/maintenance/maintenance.ts";
import { IconAlertTriangle } from "@tabler/icons-react";
import { type ReactNode, useRef, useState } from "react";
import { useGuardedClose } from "../../platform/confirm/use-guarded-close.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { RobotResultList } from "../commands/public.ts";
import { isLocked, type MaintainedRobot } from "./maintained-robot.ts";
import { changeGroup, lockRobot, type ReleaseAnswer, releaseRobot } from "./maintenance-calls.ts";
import { MaintenanceNote, NO_ISOLATION } from "./maintenance-note.tsx";
import classes from "./maintenance.module.css";

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

export interface LockFormProps {
  /** "the robot", or "2 robots". */
  readonly whom: string;
  /** How many of them clean now, and will be stopped. */
  readonly movingCount: number;
  /** How many of them were lost while they moved, and may be moving. */
  readonly mayBeMovingCount: number;
  readonly isBusy: boolean;
  readonly submitLabel: string;
  readonly onCancel: () => void;
  /** Whether something is typed, which must not be lost unasked. */
  readonly onChanged: (isChanged: boolean) => void;
  readonly onLock: (reason: string) => void;
  /** Above the form. */
  readonly children?: ReactNode;
}

/** Says how a lock acts, and asks why it is set. */
export function LockForm({
  whom,
  movingCount,
  mayBeMovingCount,
  isBusy,
  submitLabel,
  onCancel,
  onChanged,
  onLock,
  children,
}: LockFormProps) {
  const [reason, setReason] = useState("");
  const [isMissing, setMissing] = useState(false);
  const input = useRef<HTMLTextAreaElement>(null);
  const submit = () => {
    // What nobody sees came in with a paste, and must not hold a lock up.
    const said = stripInvisible(reason, "several lines").trim();
    setMissing(said === "");
    if (said === "") input.current?.focus();
    else onLock(said);
  };
  return (
    <form
      className={classes["form"]}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {children}
      <ul className={classes["acts"]}>
        <li>Locks {whom}: every Start, by hand, group or schedule, is refused until the release.</li>
        <li>{stopsSentence(movingCount)}</li>
        {mayBeMovingCount > 0 && <li>{lostSentence(mayBeMovingCount)}</li>}
        <li>Where a robot is away, the lock is stored and sent again until the robot confirms it.</li>
      </ul>
      <Alert
        color="yellow"
        variant="light"
        p="xs"
        icon={<IconAlertTriangle size={18} aria-hidden />}
        className={classes["warning"]}
      >
        {NO_ISOLATION} Isolate it before anybody works on it.
      </Alert>
      <Textarea
        ref={input}
        label="Reason"
        placeholder="What is to be done, and by whom"
        required
        rows={2}
        maxLength={MAINTENANCE_REASON_MAX}
        data-autofocus
        value={reason}
        error={isMissing && "Please say why."}
        onChange={(event) => {
          setReason(event.currentTarget.value);
          onChanged(event.currentTarget.value !== "");
          setMissing(false);
        }}
      />
      <Row justify="flex-end" gap="xs">
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" loading={isBusy}>
          {submitLabel}
        </Button>
      </Row>
    </form>
  );
}

function stopsSentence(movingCount: number): string {
  if (movingCount === 0) return "A robot that is cleaning is stopped.";
  return movingCount === 1
    ? "One robot is cleaning now, and is stopped."
    : `${movingCount} robots are cleaning now, and are stopped.`;
}

function lostSentence(count: number): string {
  return count === 1
    ? "One robot is not connected and may be moving: the lock stops it only once it is back."
    : `${count} robots are not connected and may be moving: the lock stops each only once it is back.`;
}

export interface ReleaseChoicesProps {
  /** Which of the two is under way. */
  readonly busy: "start" | "release" | null;
  readonly onCancel: () => void;
  readonly onRelease: (startAfter: boolean) => void;
}

/** Three ways out of the question; the one that moves nothing has the focus. */
export function ReleaseChoices({ busy, onCancel, onRelease }: ReleaseChoicesProps) {
  return (
    <div className={classes["choices"]}>
      <Button variant="default" onClick={onCancel} data-autofocus>
        Cancel
      </Button>
      <Button variant="light" loading={busy === "release"} disabled={busy === "start"} onClick={() => onRelease(false)}>
        Release Without Starting
      </Button>
      <Button color="red" loading={busy === "start"} disabled={busy === "release"} onClick={() => onRelease(true)}>
        Release and Start
      </Button>
    </div>
  );
}

export interface RobotResultsProps {
  readonly answer: ManyRobotsResponse;
  readonly isBusy: boolean;
  /** Some robot failed for which the same can be asked again; the server passes over those that have it. */
  readonly canRetry: boolean;
  readonly onAgain: () => void;
  readonly onClose: () => void;
}

/** What came of each robot, by name and reason. */
export function RobotResults({ answer, isBusy, canRetry, onAgain, onClose }: RobotResultsProps) {
  return (
    <div className={classes["form"]}>
      <p className={classes["text"]} role="status">
        {answer.message}
      </p>
      {/* A long list scrolls, so the keyboard must be able to enter it. */}
      <div className={classes["results"]} role="group" aria-label="What came of each robot" tabIndex={0}>
        <RobotResultList label="Results" results={openFirst(answer.results)} />
      </div>
      <Row justify="flex-end" gap="xs">
        {canRetry && (
          <Button variant="light" loading={isBusy} onClick={onAgain}>
            Try Again
          </Button>
        )}
        <Button variant="default" onClick={onClose} data-autofocus>
          Close
        </Button>
      </Row>
    </div>
  );
}

/** Those without the robot's confirmation come first; the order stays when they are told as done later. */
function openFirst(results: readonly RobotResult[]): readonly RobotResult[] {
  const isOpen = ({ outcome, pending }: RobotResult) => outcome !== "SUCCESS" || pending;
  return results.toSorted((a, b) => Number(isOpen(b)) - Number(isOpen(a)));
}
