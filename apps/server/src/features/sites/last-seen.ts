import type { LostRobot } from "@suncrew/contract/robots/robots.ts";
import { LINK_LOSS_STOP_MS, MANUAL_RUN_MAX_MINUTES } from "@suncrew/domain/devices/protocol-times.ts";
import {
  type LostWhileMoving,
  lostWhileMovingOf,
  type MotionLimits,
} from "@suncrew/domain/robots/lost-while-moving.ts";
import { sql } from "kysely";
import type { Dependencies } from "../../platform/dependencies.ts";

/** The server's context for judging what silent robots may be doing. */
export interface SeenAt {
  readonly now: Date;
  /** Whether it is connected to the broker: otherwise it would not hear that a robot has returned. */
  readonly brokerConnected: boolean;
  /** How long a run may last that a person starts without naming a duration. */
  readonly manualRunMs: number;
  readonly limits: MotionLimits;
}

export function seenAt({ clock, broker, settings }: Pick<Dependencies, "clock" | "broker" | "settings">): SeenAt {
  // A schedule may let a robot move for as long as the default of a manual run.
  const longestMinutes = Math.max(settings.manualRunMaxMinutes, MANUAL_RUN_MAX_MINUTES);
  const { linkLossStopSeconds } = settings;
  return {
    now: clock.now(),
    brokerConnected: broker.connected,
    manualRunMs: settings.manualRunMaxMinutes * 60_000,
    limits: {
      longestRunMs: longestMinutes * 60_000,
      withoutBrokerMs: linkLossStopSeconds === undefined ? LINK_LOSS_STOP_MS : linkLossStopSeconds * 1_000,
    },
  };
}

/**
 * When the run in which a robot was last seen moving ends by itself, of its state `s`; null if unknown. By the run id
 * that the robot reported: the run may have been closed since, or its START never been confirmed.
 */
export const seenRunEndsAt = sql<Date | null>`coalesce(
  (select coalesce(seen_run.planned_end_at, seen_run.stop_due_at) from runs seen_run
    where seen_run.id = s.run_id and seen_run.robot_id = s.robot_id),
  (select max(c.expires_at + c.max_duration_s * interval '1 second') from commands c
    where c.run_id = s.run_id and c.robot_id = s.robot_id and c.verb = 'START'),
  (select seen_run.planned_end_at from runs seen_run
    where s.run_id is null and seen_run.robot_id = s.robot_id and seen_run.ended_at is null
      and seen_run.began_at is not null)
)`;

/** When the server last received anything from a robot, of its state `s`; null if it never did. */
export const lastHeardAt = sql<Date | null>`greatest(s.live_at, s.received_at, s.connection_at)`;

/** SQL over robot state `s`: when the broker reported the robot lost; null if it reports it connected. */
export const connectionLostAt = sql<Date | null>`case when s.connection in ('OFFLINE', 'CONNECTION_BROKEN')
  then s.connection_at end`;

/** Robots, by their state `s`, that were last seen moving and are no longer heard (protocol rule 13). */
export const isLostWhileMoving = sql<boolean>`(s.motion = 'MOVING' and not s.online)`;

/** As returned in JSON. */
export interface LastSeenMoving {
  readonly runEndsAt: string | null;
  readonly lastHeardAt: string;
  readonly connectionLostAt: string | null;
  readonly deviceRetired: boolean;
}

/** The input of `lostOf` from robot state `s`; null for a robot that is online or was last seen stopped. */
export const lastSeenMoving = sql<LastSeenMoving | null>`case when ${isLostWhileMoving} then jsonb_build_object(
  'runEndsAt', ${seenRunEndsAt}, 'lastHeardAt', ${lastHeardAt}, 'connectionLostAt', ${connectionLostAt},
  'deviceRetired', exists (
    select from robots cut_off join devices d on d.serial = cut_off.serial_number
    where cut_off.id = s.robot_id and d.retired_at is not null)) end`;

/** Protocol rule 13; null for a robot that is online, was last seen stopped, or will never be seen again. */
export function lostOf(seen: LastSeenMoving | null, { now, brokerConnected, limits }: SeenAt): LostWhileMoving | null {
  if (seen === null) return null;
  const dateOf = (text: string | null) => (text === null ? null : new Date(text));
  const motion = {
    runEndsAt: dateOf(seen.runEndsAt),
    lastHeardAt: new Date(seen.lastHeardAt),
    connectionLostAt: brokerConnected ? dateOf(seen.connectionLostAt) : null,
  };
  const lost = lostWhileMovingOf(motion, limits, now);
  return seen.deviceRetired && lost.state === "MUST_HAVE_STOPPED" ? null : lost;
}

/** The same, as sent on the wire. */
export function lostRobotOf(seen: LastSeenMoving | null, at: SeenAt): LostRobot | null {
  const lost = lostOf(seen, at);
  return lost && { state: lost.state, lost_at: lost.lostAt.toISOString(), stops_by: lost.stopsBy.toISOString() };
}
