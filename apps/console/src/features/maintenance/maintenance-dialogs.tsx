import { robotCountText } from "@suncrew/domain/groups/groups.ts";
import { Alert, Box, Button, Group as Row, SegmentedControl, Textarea } from "@mantine/core";
import type { Group, ManyRobotsResponse, RobotResult } from "@suncrew/contract/groups/groups.ts";
import { stripInvisible } from "@suncrew/contract/http/text.ts";
import { MAINTENANCE_REASON_MAX } from "@suncrew/contract/maintenance/maintenance.ts";
import { IconAlertTriangle } from "@tabler/icons-react";
import { type ReactNode, useRef, useState } from "react";
import { useGuardedClose } from "../../platform/confirm/use-guarded-close.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { RobotResultList } from "../commands/public.ts";
import { isLocked, type MaintainedRobot } from "./maintained-robot.ts";
import {
  changeGroupMaintenance,
  changeRobotsMaintenance,
  lockRobot,
  type ReleaseAnswer,
  releaseRobot,
} from "./maintenance-calls.ts";
import { MaintenanceNote } from "./maintenance-note.tsx";
import { useBusy } from "../../ui/use-busy.ts";
import classes from "./maintenance.module.css";

export interface RobotDialogProps {
  readonly robot: MaintainedRobot;
  readonly onClose: () => void;
}

/** Asks for a reason before a robot is locked, and says what the lock does and does not do. */
export function LockDialog({ robot, onClose }: RobotDialogProps) {
  const [isBusy, run] = useBusy();
  const [isChanged, setChanged] = useState(false);
  const close = useGuardedClose({ isChanged, isSaving: isBusy, shownBy: ["site", "tab"] }, onClose);
  const lock = async (reason: string) => {
    if ((await run(() => lockRobot(robot, reason))) === true) onClose();
  };
  return (
    <Dialog onClose={close} title={`Maintenance: ${robot.serialNumber}`}>
      <LockForm
        target={`robot ${robot.serialNumber}`}
        robots={[robot]}
        isBusy={isBusy}
        submitLabel="Put in Maintenance"
        onCancel={close}
        onChanged={setChanged}
        onLock={(reason) => void lock(reason)}
      />
    </Dialog>
  );
}

/**
 * §4 Commands, back from maintenance: says that the robot will move if started, and offers not to (decisions, stubs).
 */
export function ReleaseDialog({ robot, onClose }: RobotDialogProps) {
  const [busy, setBusy] = useState<"start" | "release" | null>(null);
  const [answer, setAnswer] = useState<ReleaseAnswer | null>(null);
  const release = async (startAfter: boolean) => {
    setBusy(startAfter ? "start" : "release");
    const released = await releaseRobot(robot, startAfter);
    setBusy(null);
    // Released but not started stays on screen until it has been read.
    if (released?.start?.success === false) setAnswer(released);
    else if (released !== null) onClose();
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

type MaintenanceChange = { readonly enabled: boolean; readonly reason?: string; readonly start_after?: boolean };

/** Of more locked robots, the list names this many, and how many there are besides. */
const MAX_NAMED = 200;

export interface RobotsMaintenanceDialogProps {
  readonly members: readonly MaintainedRobot[];
  readonly onClose: () => void;
}

/** For every robot of a group. */
export function GroupMaintenanceDialog({ group, ...props }: RobotsMaintenanceDialogProps & { readonly group: Group }) {
  return (
    <ManyMaintenanceDialog
      {...props}
      name={group.group_name}
      send={(change) => changeGroupMaintenance(group, change)}
    />
  );
}

/** For robots of any sites: a lock is for those that are not locked, a release for those that are. */
export function RobotsMaintenanceDialog({ members, onClose }: RobotsMaintenanceDialogProps) {
  const send = (change: MaintenanceChange, only?: readonly number[]) => {
    const open = members.filter((robot) => isLocked(robot) !== change.enabled);
    return changeRobotsMaintenance(only ?? open.map(({ id }) => id), change);
  };
  return (
    <ManyMaintenanceDialog
      members={members}
      name={robotCountText(members.length)}
      send={send}
      isStartOffered={false}
      onClose={onClose}
    />
  );
}

interface ManyMaintenanceDialogProps extends RobotsMaintenanceDialogProps {
  /** Such as the name of their group. */
  readonly name: string;
  /** Whether they can be started as soon as they are released. */
  readonly isStartOffered?: boolean;
  /** Null if the call itself failed. `only` names the robots of a retry. */
  readonly send: (change: MaintenanceChange, only?: readonly number[]) => Promise<ManyRobotsResponse | null>;
}

/** Locks many robots, or releases those that are locked, then shows the result for each. */
function ManyMaintenanceDialog(props: ManyMaintenanceDialogProps) {
  const { name, members, isStartOffered = true, send: sendChange, onClose } = props;
  const locked = members.filter((robot) => isLocked(robot));
  const [mode, setMode] = useState<"lock" | "release">(locked.length === members.length ? "release" : "lock");
  const [busy, setBusy] = useState<"lock" | "start" | "release" | null>(null);
  const [result, setResult] = useState<{
    readonly change: MaintenanceChange;
    readonly answer: ManyRobotsResponse;
  } | null>(null);

  const [isTyped, setTyped] = useState(false);
  const isChanged = isTyped && result === null;
  const close = useGuardedClose({ isChanged, isSaving: busy !== null, shownBy: ["site", "tab"] }, onClose);

  const send = async (change: MaintenanceChange, only?: readonly number[]) => {
    setBusy(change.enabled ? "lock" : change.start_after === true ? "start" : "release");
    const answer = await sendChange(change, only);
    setBusy(null);
    if (answer === null) return;
    const isPlain = answer.results.every(({ outcome, pending }) => outcome === "SUCCESS" && !pending);
    if (isPlain) onClose();
    else setResult({ change, answer });
  };

  const chooser = locked.length > 0 && locked.length < members.length && (
    <SegmentedControl
      fullWidth
      aria-label="What to do"
      data={[
        { value: "lock", label: `Lock ${robotCountText(members.length - locked.length)}` },
        { value: "release", label: `Release ${robotCountText(locked.length)}` },
      ]}
      value={mode}
      onChange={(chosen) => {
        setMode(chosen);
        // The form is removed with what was typed.
        setTyped(false);
      }}
    />
  );
  return (
    <Dialog size={500} onClose={close} title={`Maintenance: ${name}`}>
      {result !== null ? (
        <RobotResults
          answer={result.answer}
          isBusy={busy !== null}
          canRetry={result.answer.results.some(
            ({ outcome, robotObjectId }) =>
              outcome === "FAILED" &&
              members.some((robot) => robot.id === robotObjectId && isLocked(robot) !== result.change.enabled),
          )}
          onAgain={() => void send(result.change, failedIdsOf(result.answer))}
          onClose={onClose}
        />
      ) : mode === "lock" ? (
        <LockForm
          target={robotCountText(members.length - locked.length)}
          robots={members}
          isBusy={busy === "lock"}
          submitLabel={`Put ${robotCountText(members.length - locked.length)} in Maintenance`}
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
            {locked.slice(0, MAX_NAMED).map((robot) => (
              <li key={robot.id}>
                <strong>{robot.serialNumber}</strong>
                <MaintenanceNote robot={robot} />
              </li>
            ))}
            {locked.length > MAX_NAMED && <li>and {(locked.length - MAX_NAMED).toLocaleString("en-GB")} more</li>}
          </ul>
          {isStartOffered && (
            <p className={classes["text"]}>
              If you start {locked.length === 1 ? "it" : "them"}, {robotCountText(locked.length)} will move as soon as{" "}
              {locked.length === 1 ? "it has" : "each has"} confirmed the release. Make sure that nobody is near.
            </p>
          )}
          <ReleaseChoices
            busy={busy === "lock" ? null : busy}
            isStartOffered={isStartOffered}
            onCancel={onClose}
            onRelease={(startAfter) => void send({ enabled: false, start_after: startAfter })}
          />
        </div>
      )}
    </Dialog>
  );
}

function failedIdsOf({ results }: ManyRobotsResponse): readonly number[] {
  return results.flatMap(({ outcome, robotObjectId }) => (outcome === "FAILED" ? [robotObjectId] : []));
}

export interface LockFormProps {
  /** "robot SCR-1001", or "2 robots". */
  readonly target: string;
  readonly robots: readonly MaintainedRobot[];
  readonly isBusy: boolean;
  readonly submitLabel: string;
  readonly onCancel: () => void;
  /** Whether a reason is typed, which must not be discarded without asking. */
  readonly onChanged: (isChanged: boolean) => void;
  readonly onLock: (reason: string) => void;
  /** Above the form. */
  readonly children?: ReactNode;
}

/** Says what a lock does, and asks for its reason. */
export function LockForm({
  target,
  robots,
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
  const movingCount = robots.filter((robot) => robot.motion === "MOVING").length;
  const mayBeMovingCount = robots.filter((robot) => robot.motion === "MAY_BE_MOVING").length;
  const submit = () => {
    // Invisible characters come from pasting and must not delay a lock.
    const text = stripInvisible(reason, "several lines").trim();
    setMissing(text === "");
    if (text === "") input.current?.focus();
    else onLock(text);
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
      <Box component="ul" display="grid" pl={18} fz={14} style={{ listStyle: "disc", gap: 4 }}>
        <li>Locks {target}: every Start, by hand, group or schedule, is refused until it is released.</li>
        <li>{stopsText(movingCount)}</li>
        {mayBeMovingCount > 0 && <li>{lostSentence(mayBeMovingCount)}</li>}
        <li>If a robot is offline, the lock is stored and sent again until the robot confirms it.</li>
      </Box>
      <Alert
        color="yellow"
        variant="light"
        p="xs"
        icon={<IconAlertTriangle size={18} aria-hidden />}
        bd="1px solid var(--sc-status-fair-dot)"
        c="var(--sc-status-fair-fg)"
        bg="var(--sc-status-fair-soft)"
      >
        This lock does not replace isolating the machine. Isolate it before anybody works on it.
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
        error={isMissing && "Please enter a reason."}
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

function stopsText(movingCount: number): string {
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
  /** Which of the two is in progress. */
  readonly busy: "start" | "release" | null;
  readonly isStartOffered?: boolean;
  readonly onCancel: () => void;
  readonly onRelease: (startAfter: boolean) => void;
}

/** The focus is on the choice that moves nothing. */
export function ReleaseChoices({ busy, isStartOffered = true, onCancel, onRelease }: ReleaseChoicesProps) {
  return (
    <div className={classes["choices"]}>
      <Button variant="default" onClick={onCancel} data-autofocus>
        Cancel
      </Button>
      <Button variant="light" loading={busy === "release"} disabled={busy === "start"} onClick={() => onRelease(false)}>
        {isStartOffered ? "Release Without Starting" : "Release"}
      </Button>
      {isStartOffered && (
        <Button color="red" loading={busy === "start"} disabled={busy === "release"} onClick={() => onRelease(true)}>
          Release and Start
        </Button>
      )}
    </div>
  );
}

export interface RobotResultsProps {
  readonly answer: ManyRobotsResponse;
  readonly isBusy: boolean;
  /** Some robot failed that a retry may change; the server skips those that are done. */
  readonly canRetry: boolean;
  readonly onAgain: () => void;
  readonly onClose: () => void;
}

/** The result for each robot with its reason. */
export function RobotResults({ answer, isBusy, canRetry, onAgain, onClose }: RobotResultsProps) {
  return (
    <div className={classes["form"]}>
      <p className={classes["text"]} role="status">
        {answer.message}
      </p>
      {/* A long list scrolls, so the keyboard must be able to enter it. */}
      <div className={classes["results"]} role="group" aria-label="Result for each robot" tabIndex={0}>
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

/** Unconfirmed ones first; the order stays when they are confirmed later. */
function openFirst(results: readonly RobotResult[]): readonly RobotResult[] {
  const isOpen = ({ outcome, pending }: RobotResult) => outcome !== "SUCCESS" || pending;
  return results.toSorted((a, b) => Number(isOpen(b)) - Number(isOpen(a)));
}
