import { fleetStop, ROBOTS_PER_FLEET_STOP_MAX, type SiteStopResult } from "@suncrew/contract/groups/groups.ts";
import type { SentBodyOf } from "@suncrew/contract/http/route.ts";
import type { RobotLive } from "@suncrew/contract/robots/robots.ts";
import { sharesOf } from "@suncrew/domain/commands/shares.ts";
import { robotCountText } from "@suncrew/domain/groups/groups.ts";
import { knownMotionOf, mayMove } from "@suncrew/domain/robots/lost-while-moving.ts";
import { useSyncExternalStore } from "react";
import { callSlots } from "../../platform/api/call-slots.ts";
import { call } from "../../platform/api/call.ts";
import { TokenExpiredError } from "../../platform/api/errors.ts";
import { liveStore } from "../../platform/live/live.ts";
import { onSessionChange } from "../../platform/session/session.ts";
import { newPressHeaders, reasonOf } from "./robot-command.ts";

/** A whole fleet's rows are stored one share after another. */
const FLEET_STOP_TIMEOUT_MS = 30_000;

/** What a Stop is for: the whole fleet, a state, a partner or a list of robots. */
export interface FleetPart {
  readonly title: string;
  readonly body: SentBodyOf<typeof fleetStop>;
  /** The same for what this browser knows. */
  readonly includes: (robot: RobotLive) => boolean;
}

const WHOLE_FLEET: FleetPart = { title: "Stop fleet", body: {}, includes: () => true };

/** This browser's latest fleet stop, until its result is closed. */
export interface FleetStopPress {
  readonly part: FleetPart;
  /** Robots that moved, or may have, when it was pressed, by site. */
  readonly moving: ReadonlyMap<number, readonly number[]>;
  /** Null until the answer has arrived. */
  readonly outcome: { readonly sites: readonly SiteStopResult[]; readonly failure: string | null } | null;
}

let latest: FleetStopPress | null = null;
const listeners = new Set<() => void>();

function show(press: FleetStopPress | null): void {
  latest = press;
  for (const listener of listeners) listener();
}

// Another user must not see what this one did.
onSessionChange(() => show(null));

export function closeFleetStop(): void {
  show(null);
}

export function useFleetStop(): FleetStopPress | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => latest,
  );
}

/** Cleaning, or lost while it was. */
export function mayMoveNow(robot: RobotLive): boolean {
  return mayMove(knownMotionOf(robot.motion, robot.lost_while_moving));
}

/** Stops these robots, at whatever sites, and shows the result in the shell's dialog; never throws. */
export function stopRobots(
  robotIds: readonly number[],
  title = `Stop ${robotCountText(robotIds.length)}`,
): Promise<void> {
  const ids = new Set(robotIds);
  return stopFleet({ title, body: { robotObjectIds: [...ids] }, includes: (robot) => ids.has(robot.robot_id) });
}

/** Sends the Stop at once, by calls that are never queued; never throws. */
export async function stopFleet(part: FleetPart = WHOLE_FLEET): Promise<void> {
  const robots = [...liveStore.robots()].filter(part.includes);
  const moving = Map.groupBy(robots.filter(mayMoveNow), ({ site_id }) => site_id);
  const idsBySite = [...moving].map(([siteId, of]) => [siteId, of.map(({ robot_id }) => robot_id)] as const);
  const own: FleetStopPress = { part, moving: new Map(idsBySite), outcome: null };
  show(own);
  const end = (press: FleetStopPress | null) => {
    // A later press owns the dialog.
    if (latest === own) show(press);
  };
  const robotIds = robots.map(({ robot_id }) => robot_id);
  const { sites, error } = await sendFleetStop(part.body, robotIds);
  if (error instanceof TokenExpiredError) return end(null);
  const failure = error === undefined ? null : (reasonOf(error) ?? "The server gave no reason.");
  end({ ...own, outcome: { sites, failure } });
}

/**
 * Sends the Stop by calls that are never queued, ahead of what is for these robots: the sites of those that were
 * answered, and the error of the first that was not. Never throws.
 */
export async function sendFleetStop(
  body: FleetPart["body"],
  robotIds: readonly number[],
): Promise<{ readonly sites: readonly SiteStopResult[]; readonly error: unknown }> {
  callSlots.preemptForStop({ robotIds });
  const outcomes = await Promise.allSettled(
    bodiesOf(body).map((each) =>
      call(fleetStop, { body: each }, { headers: newPressHeaders()(), timeoutMs: FLEET_STOP_TIMEOUT_MS }),
    ),
  );
  return {
    sites: outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? outcome.value.sites : [])),
    error: outcomes.find((outcome) => outcome.status === "rejected")?.reason,
  };
}

/** A call takes a limited number of named robots. */
function bodiesOf(body: FleetPart["body"]): FleetPart["body"][] {
  const { robotObjectIds: ids = [] } = body;
  if (ids.length <= ROBOTS_PER_FLEET_STOP_MAX) return [body];
  return sharesOf(ids, ROBOTS_PER_FLEET_STOP_MAX).map((share) => ({ ...body, robotObjectIds: share }));
}
