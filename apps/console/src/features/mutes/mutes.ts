import { createMute, endMute, type Mute, muteList } from "@suncrew/contract/notifications/mutes.ts";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../platform/api/call.ts";
import { change, type Changed } from "../../platform/api/change.ts";
import { queryKeyOf, routeQuery } from "../../platform/api/route-query.ts";
import { noteStale, onLiveEvents } from "../../platform/live/live.ts";
import { useNow } from "../../ui/use-now.ts";

/** A robot, or a whole site if `robotId` is null. */
export interface MuteTarget {
  readonly siteId: number;
  readonly robotId: number | null;
  /** A robot's serial number, or a site's name. */
  readonly name: string;
  readonly timezone: string;
}

// The stream only names the sites where something was muted or is no longer; a snapshot may have missed some.
onLiveEvents((events) => {
  const isNews = events.some(
    (event) => event.type === "snapshot" || (event.type === "update" && (event.mutes_changed ?? []).length > 0),
  );
  if (isNews) noteStale(queryKeyOf(muteList));
});

/** What is muted, as far as the viewer sees it. A mute leaves at its end, which nobody announces. */
export function useMutes<T>(select: (mutes: readonly Mute[]) => T) {
  const now = useNow();
  return useQuery({
    ...routeQuery(muteList, { query: {} }),
    select: (mutes) => select(mutes.filter(({ until }) => Date.parse(until) > now.getTime())),
  });
}

/** The mute that holds for a robot, its own before its site's, or for a site; null while none does, or none is known. */
export function useMute(siteId: number, robotId: number | null): Mute | null {
  const query = useMutes((mutes) => {
    const here = mutes.filter((mute) => mute.site_id === siteId);
    return here.find((mute) => mute.robot_id === robotId) ?? here.find((mute) => mute.robot_id === null) ?? null;
  });
  return query.data ?? null;
}

export function mutedName({ serial_number, robot_name, site_name }: Mute): string {
  return serial_number ?? robot_name ?? site_name;
}

export function mute({ siteId, robotId, name }: MuteTarget, until: Date, reason: string): Promise<Changed<unknown>> {
  const body = { site_id: siteId, until: until.toISOString(), reason, ...(robotId !== null && { robot_id: robotId }) };
  return change({
    send: () => call(createMute, { body }),
    invalidates: [queryKeyOf(muteList)],
    success: { title: "Muted", message: `Nobody is sent messages about alerts of ${name}.` },
    failure: { title: "Not Muted", message: `${name} was not muted. Please try again.` },
  });
}

/** False if it failed, which has been said. */
export async function unmute(ended: Mute): Promise<boolean> {
  const name = mutedName(ended);
  const answer = await change({
    send: () => call(endMute, { params: { muteId: ended.id } }),
    invalidates: [queryKeyOf(muteList)],
    success: { title: "Mute Ended", message: `Alerts of ${name} are told again.` },
    failure: { title: "Mute Not Ended", message: `${name} is still muted. Please try again.` },
  });
  return answer.kind === "done";
}
