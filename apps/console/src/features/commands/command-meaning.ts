import type { CommandVerb } from "@suncrew/contract/devices/messages.ts";
import type { RobotOutcome } from "@suncrew/contract/groups/groups.ts";
import type { RobotLive } from "@suncrew/contract/robots/robots.ts";
import { IconAlertOctagon, IconCircleCheck, IconClockPause, IconPlayerSkipForward } from "@tabler/icons-react";
import type { Look } from "../../ui/look.ts";

export type OpenVerb = NonNullable<RobotLive["open_command"]>["verb"];
export type SentVerb = Extract<CommandVerb, "START" | "STOP">;

interface CommandWords {
  /** While the robot has not shown it yet. */
  readonly underWay: string;
  /** Where it outlived its answer and is sent again until the robot shows it (protocol rule 3). */
  readonly pending: string;
}

export const commandWords: Record<OpenVerb, CommandWords> = {
  START: { underWay: "Starting... waiting for the robot", pending: "START is not confirmed by the robot" },
  STOP: {
    underWay: "Stopping... waiting for the robot",
    pending: "STOP pending: sent again until the robot confirms it",
  },
  SET: { underWay: "Changing settings... waiting for the robot", pending: "Settings are not confirmed by the robot" },
  MAINTENANCE_ON: {
    underWay: "Entering maintenance... waiting for the robot",
    pending: "Maintenance lock not confirmed by the robot",
  },
  MAINTENANCE_OFF: {
    underWay: "Leaving maintenance... waiting for the robot",
    pending: "Release from maintenance not confirmed by the robot",
  },
};

/** Only what is pending needs a warning's colour: somebody may have to walk to the robot. */
export function wordsOfOpenCommand(open: { readonly verb: OpenVerb; readonly pending: boolean }): string {
  const words = commandWords[open.verb];
  return open.pending ? words.pending : words.underWay;
}

/** What came of one robot where many were commanded at once. */
export const robotOutcomeLook: Record<RobotOutcome, Look> = {
  SUCCESS: { label: "Done", tone: "good", icon: IconCircleCheck },
  FAILED: { label: "Failed", tone: "poor", icon: IconAlertOctagon },
  SKIPPED: { label: "Skipped", tone: "off", icon: IconPlayerSkipForward },
};

/** A Stop or lock that is kept and repeated until the robot confirms it. */
export const pendingLook: Look = { label: "Pending", tone: "fair", icon: IconClockPause };

/** The robot has still to answer. */
export const waitingLook: Look = { label: "Waiting", tone: "plain" };
