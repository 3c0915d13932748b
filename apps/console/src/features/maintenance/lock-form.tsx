import { Alert, Button, Group as Row, Textarea } from "@mantine/core";
import { stripInvisible } from "@suncrew/contract/http/text.ts";
import { MAINTENANCE_REASON_MAX } from "@suncrew/contract/maintenance/maintenance.ts";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useRef, useState } from "react";
import type { ReactNode } from "react";
import { NO_ISOLATION } from "./maintenance-meaning.ts";
import classes from "./maintenance.module.css";

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
