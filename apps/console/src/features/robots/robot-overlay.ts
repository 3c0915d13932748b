import type { CleaningDirection, Motion, RobotLive, RobotStatus } from "@suncrew/contract/robots/robots.ts";
import type { MockReading } from "./mock-reading.ts";

/** What this browser learnt of a robot by its own calls; it yields as soon as the stream knows better. */
export type RobotOverlay =
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
  readonly isRefreshing: boolean;
}

export const NO_CALLS: CallState = { sending: null, isRefreshing: false };

/**
 * True while the overlay still holds. An answer yields to any later word of the stream; "unreached" ends when the
 * stream shows a live report newer than the failure.
 */
export function overlayHolds(overlay: RobotOverlay, live: RobotLive | null): boolean {
  if (overlay.kind === "answered") return overlay.seen === live;
  if (live === null || !live.online || live.last_updated_at === null) return true;
  return overlay.lastReportAt !== null && Date.parse(live.last_updated_at) <= Date.parse(overlay.lastReportAt);
}
