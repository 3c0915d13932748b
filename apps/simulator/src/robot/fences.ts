import type { RejectCode } from "@suncrew/contract/devices/messages.ts";
import { isClockSet } from "./moment.ts";

export interface FencedCommand {
  readonly session: number;
  readonly seq: number;
  readonly expiresAt: string;
}

export interface FencingRobot {
  readonly session: number;
  readonly lastSeq: number;
}

/**
 * Protocol rule 1: why a START, SET or MAINTENANCE_OFF is an old order, or null where it is not. Rule 12: a robot
 * whose clock is not set cannot judge the age of an order, so it takes none of these.
 */
export function fenceOf(command: FencedCommand, robot: FencingRobot, wallMs: number): RejectCode | null {
  if (command.session !== robot.session) return "OLD_SESSION";
  if (!isClockSet(wallMs)) return "CLOCK_NOT_SET";
  if (wallMs >= Date.parse(command.expiresAt)) return "EXPIRED";
  return command.seq > robot.lastSeq ? null : "OLD_SEQ";
}
