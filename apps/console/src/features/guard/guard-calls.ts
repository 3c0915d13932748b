import { assignSensor, removeSensor, siteGuard, updateSiteGuard } from "@suncrew/contract/guard/site-guard.ts";
import type { BodyOf } from "@suncrew/contract/http/route.ts";
import { serialNumbers } from "@suncrew/contract/robots/robot-forms.ts";
import { siteDetails, type Site } from "@suncrew/contract/sites/sites.ts";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { call } from "../../platform/api/call.ts";
import { change } from "../../platform/api/change.ts";
import { queryKeyOf, routeQuery } from "../../platform/api/route-query.ts";
import { noteStale } from "../../platform/live/live.ts";

/** The forecast and the time of the newest judgement change without the stream naming them. */
const REFRESH_MS = 30_000;
/** As often as a sensor measures, where somebody looks at its readings. */
export const READING_REFRESH_MS = 10_000;

interface GuardQueryOptions {
  readonly isEnabled?: boolean;
  readonly refreshMs?: number;
}

/** The weather limits of a site with what is known of its weather; read again where the live stream says something else. */
export function useSiteGuard(
  { id, weather_guard: guard }: Pick<Site, "id" | "weather_guard">,
  { isEnabled = true, refreshMs = REFRESH_MS }: GuardQueryOptions = {},
) {
  const query = useQuery({
    ...routeQuery(siteGuard, { params: { siteId: id } }),
    refetchInterval: refreshMs,
    enabled: isEnabled,
  });
  const state = stateKey(guard);
  const known = query.data === undefined ? null : stateKey(query.data.state);
  const asked = useRef<string | null>(null);
  useEffect(() => {
    if (known === null || known === state || asked.current === state) return;
    // Once: the stream may be the one that is behind.
    asked.current = state;
    noteStale(queryKeyOf(siteGuard, { params: { siteId: id } }));
  }, [id, known, state]);
  return query;
}

const stateKey = (state: Site["weather_guard"]) => `${state?.verdict} ${state?.text}`;

const keysOf = (siteId: number) => [queryKeyOf(siteGuard, { params: { siteId } }), queryKeyOf(siteDetails)];

/** Makes a free device the site's weather sensor; null takes the one that it has away. Never throws. */
export async function changeSensor(site: Pick<Site, "id" | "name">, serial: string | null): Promise<void> {
  const params = { siteId: site.id };
  await change<unknown>({
    send: () =>
      serial === null
        ? call(removeSensor, { params })
        : call(assignSensor, { params, body: { serial_number: serial } }),
    invalidates: [...keysOf(site.id), queryKeyOf(serialNumbers)],
    success:
      serial === null
        ? { title: "Weather Sensor Removed", message: `${site.name} has no weather sensor now.` }
        : { title: "Weather Sensor Assigned", message: `Device ${serial} is the weather sensor of ${site.name}.` },
    failure: { title: "Weather Sensor Not Changed", message: "Failed to change the weather sensor. Please try again." },
  });
}

/** Based on the version that the edit started from. */
export function saveLimits(site: Pick<Site, "id" | "name">, body: BodyOf<typeof updateSiteGuard>) {
  return change({
    send: () => call(updateSiteGuard, { params: { siteId: site.id }, body }),
    invalidates: keysOf(site.id),
    hasConflictForm: true,
    success: { title: "Weather Limits Saved", message: `The weather limits of ${site.name} have been saved.` },
    failure: { title: "Weather Limits Not Saved", message: "Failed to save the weather limits. Please try again." },
  });
}
