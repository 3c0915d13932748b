import { siteStop } from "@suncrew/contract/groups/groups.ts";
import type { RobotResult } from "@suncrew/contract/groups/groups.ts";
import type { RobotLive } from "@suncrew/contract/robots/robots.ts";
import { callSlots } from "../../platform/api/call-slots.ts";
import { call } from "../../platform/api/call.ts";
import { TokenExpiredError } from "../../platform/api/errors.ts";
import { liveStore } from "../../platform/live/live.ts";
import { confirmedIn, newPress, reasonOf } from "../commands/public.ts";
import { noteCommandsDone } from "../robots/public.ts";

/** What came of Stop all robots: a result for each robot, or why the call itself failed. */
export interface SiteStopped {
  readonly results: readonly RobotResult[];
  readonly failure: string | null;
}

/** Stops every robot of a site by one call, which waits behind nothing; never throws. Null where the session is over. */
export async function stopSite(siteId: number): Promise<SiteStopped | null> {
  const before = robotsOf(siteId);
  const byId = new Map(before.map((robot) => [robot.robot_id, robot]));
  callSlots.preemptForStop({ robotIds: before.map((robot) => robot.robot_id), siteId });
  try {
    const { results } = await call(siteStop, { body: { siteId } }, { headers: newPress()() });
    noteCommandsDone(confirmedIn(results), "STOP", (id) => byId.get(id) ?? null);
    return { results, failure: null };
  } catch (error) {
    if (error instanceof TokenExpiredError) return null;
    return { results: [], failure: reasonOf(error) ?? "The server gave no reason." };
  }
}

function robotsOf(siteId: number): RobotLive[] {
  return [...liveStore.robots()].filter((robot) => robot.site_id === siteId);
}
