import type { Group } from "@suncrew/contract/groups/groups.ts";
import { z } from "zod";
import type { ClientSchedule } from "../schedules/public.ts";

/** §3 Robot group, client shape. */
export interface ClientGroup {
  readonly id: number;
  readonly name: string;
  readonly siteId: number;
  readonly robotIds: readonly number[];
  /** ISO 8601 in UTC. */
  readonly createdAt: string;
  readonly schedule: ClientSchedule;
}

export function clientGroupOf(group: Group, schedule: ClientSchedule): ClientGroup {
  return {
    id: group.id,
    name: group.group_name,
    siteId: group.site_id,
    robotIds: group.robots.map(({ id }) => id),
    createdAt: group.created_at,
    schedule,
  };
}

/** Only the site of a stored group is read: to know which ones a new answer replaces. */
const storedSchema = z.array(z.looseObject({ siteId: z.number() }));

/**
 * The text of the browser's copy (§9 Browser storage keys, `robotGroups`) after a site's groups were loaded: those of
 * other sites stay. Stored data that cannot be parsed is dropped.
 */
export function storedGroupsWith(stored: string | null, siteId: number, groups: readonly ClientGroup[]): string {
  const others = parseStored(stored).filter((group) => group.siteId !== siteId);
  return JSON.stringify([...others, ...groups]);
}

function parseStored(stored: string | null): z.output<typeof storedSchema> {
  if (stored === null) return [];
  try {
    return storedSchema.safeParse(JSON.parse(stored)).data ?? [];
  } catch {
    return [];
  }
}
