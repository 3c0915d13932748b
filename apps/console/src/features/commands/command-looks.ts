import type { CommandVerb } from "@suncrew/contract/devices/messages.ts";
import type { RobotOutcome } from "@suncrew/contract/groups/groups.ts";
import type { RobotLive } from "@suncrew/contract/robots/robots.ts";
import type { GroupOutcome } from "@suncrew/domain/groups/groups.ts";
import { IconAlertOctagon, IconCircleCheck, IconClockPause, IconPlayerSkipForward } from "@tabler/icons-react";
import type { Look } from "../../ui/look.ts";

export type OpenVerb = NonNullable<RobotLive["open_command"]>["verb"];
export type SentVerb = Extract<CommandVerb, "START" | "STOP">;

interface OpenCommandTexts {
  /** Until the robot has confirmed it. */
  readonly inProgress: string;
  /** Once it has timed out and is resent until the robot confirms it (protocol rule 3). */
  readonly pending: string;
}

export const openCommandTexts: Record<OpenVerb, OpenCommandTexts> = {
  START: { inProgress: "Starting... waiting for the robot", pending: "START is not confirmed by the robot" },
  STOP: {
    inProgress: "Stopping... waiting for the robot",
    pending: "STOP pending: sent again until the robot confirms it",
  },
  SET: { inProgress: "Changing settings... waiting for the robot", pending: "Settings are not confirmed by the robot" },
  MAINTENANCE_ON: {
    inProgress: "Entering maintenance... waiting for the robot",
    pending: "Maintenance lock not confirmed by the robot",
  },
  MAINTENANCE_OFF: {
    inProgress: "Leaving maintenance... waiting for the robot",
    pending: "Release from maintenance not confirmed by the robot",
  },
};

/** Only what is pending needs a warning's colour: somebody may have to walk to the robot. */
export function openCommandText(open: { readonly verb: OpenVerb; readonly pending: boolean }): string {
  const texts = openCommandTexts[open.verb];
  return open.pending ? texts.pending : texts.inProgress;
}

/** The outcome for one robot of a group or site command. */
export const robotOutcomeLook: Record<RobotOutcome, Look> = {
  SUCCESS: { label: "Done", tone: "good", icon: IconCircleCheck },
  FAILED: { label: "Failed", tone: "poor", icon: IconAlertOctagon },
  SKIPPED: { label: "Skipped", tone: "off", icon: IconPlayerSkipForward },
};

/** A Stop or lock that is stored and resent until the robot confirms it. */
export const pendingLook: Look = { label: "Pending", tone: "fair", icon: IconClockPause };

/** The robot has not responded yet. */
export const waitingLook: Look = { label: "Waiting", tone: "plain" };

/** §4 Group action outcome: the titles of its toasts. */
export const groupOutcomeTitle: Record<GroupOutcome, string> = {
  all: "Group Action Successful",
  some: "Group Action Partial Success",
  none: "Group Action Failed",
};
