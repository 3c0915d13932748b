import type { CommandMessage, RejectCode } from "@suncrew/contract/devices/messages.ts";
import { type Conditions, START_BATTERY } from "./conditions.ts";
import { isClockSet } from "./moment.ts";

/** A numbered command, which has an effect. */
export type Order = Exclude<CommandMessage, { verb: "STATUS" | "RECEIVED" }>;

/** The part of a robot's state that decides whether it accepts an order. */
export interface CheckedRobot {
  readonly session: number;
  readonly lastSeq: number;
  /** Highest seq of a START accepted in the current session; negative if there was none. */
  readonly startSeq: number;
  readonly maintenance: boolean;
  readonly moving: boolean;
  /** It downloads or installs firmware. */
  readonly updating: boolean;
  readonly battery: number;
  readonly conditions: Conditions;
}

/** STOP and MAINTENANCE_ON, which neither session, seq nor age fences. */
export function isUnfenced(order: Order): boolean {
  return order.verb === "STOP" || order.verb === "MAINTENANCE_ON";
}

/** Why a robot rejects an order at this time of its own clock; null if it accepts it. */
export function refusalOf(order: Order, robot: CheckedRobot, wallMs: number): RejectCode | null {
  const { refuses } = robot.conditions;
  const refused = refuses?.verbs.includes(order.verb) ? refuses.code : null;
  switch (order.verb) {
    case "MAINTENANCE_ON":
      return refused;
    case "STOP":
      return isSuperseded(order, robot) ? "OLD_SEQ" : refused;
    case "MAINTENANCE_OFF":
      return fenceOf(order, robot, wallMs) ?? refused;
    case "SET":
      return fenceOf(order, robot, wallMs) ?? refused ?? (robot.maintenance ? "MAINTENANCE" : null);
    case "START":
      return fenceOf(order, robot, wallMs) ?? refused ?? startRefusalOf(robot);
  }
}

/**
 * Protocol rule 1: why a START, SET or MAINTENANCE_OFF is out of date; null if it is not. Rule 12: a robot whose
 * clock is not set cannot tell the age of an order, so it accepts none of these.
 */
function fenceOf(order: Order, robot: CheckedRobot, wallMs: number): RejectCode | null {
  if (order.session !== robot.session) return "OLD_SESSION";
  if (!isClockSet(wallMs)) return "CLOCK_NOT_SET";
  if (wallMs >= Date.parse(order.expiresAt)) return "EXPIRED";
  return order.seq > robot.lastSeq ? null : "OLD_SEQ";
}

/** Protocol rule 3: the only STOP that is refused is older than a START accepted in the same session. */
function isSuperseded(order: Order, robot: CheckedRobot): boolean {
  return order.session === robot.session && order.seq < robot.startSeq;
}

function startRefusalOf(robot: CheckedRobot): RejectCode | null {
  if (robot.maintenance) return "MAINTENANCE";
  if (robot.moving || robot.updating) return "BUSY";
  if (robot.conditions.jammed) return "FAULT";
  return robot.battery < START_BATTERY ? "BATTERY_LOW" : null;
}
