import type { CleaningDirection, Motion, RobotLive, RobotStatus } from "@suncrew/contract/robots/robots.ts";
import type { MockReading } from "./mock-reading.ts";

/** A START or STOP that was answered: the robot showed it to the server, and the stream tells so a moment later. */
export interface CommandedOverlay {
  readonly kind: "commanded";
  readonly verb: "START" | "STOP";
  /** When the answer came. */
  readonly at: Date;
  /** The robot as the stream had told it when the button was pressed, and when the answer came. */
  readonly before: RobotLive | null;
  readonly seen: RobotLive | null;
}

/** What this browser learnt of a robot by its own calls; it yields as soon as the stream knows better. */
export type RobotOverlay =
  | CommandedOverlay
  | {
      readonly kind: "answered";
      readonly status: RobotStatus;
      readonly motion: Motion | null;
      /** Null where the answer did not tell (the answer to a command). */
      readonly batteryPercent: number | null;
      readonly direction: CleaningDirection | null;
      readonly at: Date;
      /** The robot as the stream told it when the call was made. */
      readonly seen: RobotLive | null;
    }
  | {
      readonly kind: "unreached";
      /** A status call failed, not merely a command. */
      readonly byStatusCall: boolean;
      /** Demo mode after a failed status call; else null. */
      readonly mock: MockReading | null;
      /** The last live report at the time of the failure, ISO 8601. */
      readonly lastReportAt: string | null;
    };

/** This browser's calls that are under way for a robot. */
export interface CallState {
  readonly sending: "START" | "STOP" | null;
  /** A status call, by itself or because a person pressed Refresh. */
  readonly refresh: "polled" | "pressed" | null;
}

export const NO_CALLS: CallState = { sending: null, refresh: null };

/** §4 Commands: Start success sets status normal, Stop success idle. */
export const commandedLook = {
  START: { status: "normal", motion: "MOVING" },
  STOP: { status: "idle", motion: "STOPPED" },
} as const satisfies Record<CommandedOverlay["verb"], { readonly status: RobotStatus; readonly motion: Motion }>;

/** The stream tells within this time what a robot showed to the server, in milliseconds. */
const TOLD_WITHIN_MS = 5_000;

/**
 * True while the overlay still holds. A status answer yields to any later word of the stream, a command's to one that
 * is as late as its confirmation; "unreached" ends when the stream shows a live report newer than the failure.
 */
export function overlayHolds(overlay: RobotOverlay, live: RobotLive | null, now: Date): boolean {
  if (overlay.kind === "commanded") return commandHolds(overlay, live, now);
  if (overlay.kind === "answered") return overlay.seen === live;
  if (live === null || !live.online || live.last_updated_at === null) return true;
  return overlay.lastReportAt !== null && Date.parse(live.last_updated_at) <= Date.parse(overlay.lastReportAt);
}

/**
 * The stream may still be telling what was before the confirmation: that the command is under way, or another battery
 * level. It is later once it shows what was commanded, a run that has ended since the press, or another condition than
 * when the answer came. Any later word counts once it had the time to tell.
 */
function commandHolds({ verb, at, before, seen }: CommandedOverlay, live: RobotLive | null, now: Date): boolean {
  if (live === null) return true;
  if (live.motion === commandedLook[verb].motion) return false;
  if (live.last_run?.run_id !== before?.last_run?.run_id) return false;
  if (live === seen) return true;
  return !isOtherCondition(live, seen) && now.getTime() - at.getTime() < TOLD_WITHIN_MS;
}

function isOtherCondition(live: RobotLive, seen: RobotLive | null): boolean {
  return (
    live.status !== seen?.status ||
    live.motion !== seen.motion ||
    live.online !== seen.online ||
    live.operating_mode !== seen.operating_mode
  );
}
