import { createMute, endMute, type Mute, muteList } from "@suncrew/contract/notifications/mutes.ts";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../platform/api/call.ts";
import { change } from "../../platform/api/change.ts";
import { queryKeyOf, routeQuery } from "../../platform/api/route-query.ts";

/** A robot, or a whole site if `robotId` is null. */
export interface MuteTarget {
  readonly siteId: number;
  readonly robotId: number | null;
  /** A robot's serial number, or a site's name. */
  readonly name: string;
  readonly timezone: string;
}

/** What others mute is noticed within half a minute, and that a mute is over. */
export const mutesQuery = () => ({ ...routeQuery(muteList, { query: {} }), refetchInterval: 30_000 });

/** The mute that holds for a robot, its own before its site's, or for a site; null while none does, or none is known. */
export function useMute(siteId: number, robotId: number | null): Mute | null {
  const query = useQuery({
    ...mutesQuery(),
    select: (mutes) => {
      const here = mutes.filter((mute) => mute.site_id === siteId);
      return here.find((mute) => mute.robot_id === robotId) ?? here.find((mute) => mute.robot_id === null) ?? null;
    },
  });
  return query.data ?? null;
}

export function mutedName({ serial_number, robot_name, site_name }: Mute): string {
  return serial_number ?? robot_name ?? site_name;
}

/** False if it failed, which has been said. */
export async function mute(target: MuteTarget, until: Date, reason: string): Promise<boolean> {
  const { siteId, robotId, name } = target;
  const body = { site_id: siteId, until: until.toISOString(), reason, ...(robotId !== null && { robot_id: robotId }) };
  const answer = await change({
    send: () => call(createMute, { body }),
    invalidates: [queryKeyOf(muteList)],
    success: { title: "Muted", message: `Nobody is sent messages about alerts of ${name}.` },
    failure: { title: "Not Muted", message: `${name} was not muted. Please try again.` },
  });
  return answer.kind === "done";
}

export async function unmute(ended: Mute): Promise<void> {
  const name = mutedName(ended);
  await change({
    send: () => call(endMute, { params: { muteId: ended.id } }),
    invalidates: [queryKeyOf(muteList)],
    success: { title: "Mute Ended", message: `Alerts of ${name} are told again.` },
    failure: { title: "Mute Not Ended", message: `${name} is still muted. Please try again.` },
  });
}
