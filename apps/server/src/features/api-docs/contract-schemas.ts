import * as activity from "@suncrew/contract/activity/activity.ts";
import * as auth from "@suncrew/contract/auth/auth.ts";
import * as devices from "@suncrew/contract/devices/devices.ts";
import * as groups from "@suncrew/contract/groups/groups.ts";
import * as imports from "@suncrew/contract/http/import.ts";
import * as live from "@suncrew/contract/live/live.ts";
import * as partners from "@suncrew/contract/partners/partners.ts";
import * as robots from "@suncrew/contract/robots/robots.ts";
import * as runs from "@suncrew/contract/runs/runs.ts";
import * as schedules from "@suncrew/contract/schedules/schedules.ts";
import * as sites from "@suncrew/contract/sites/sites.ts";
import * as weather from "@suncrew/contract/weather/weather.ts";
import { z } from "zod";

/** Where the contract keeps shapes that several answers have in common; one that is not found here is written out. */
const modules: readonly Readonly<Record<string, unknown>>[] = [
  activity,
  auth,
  devices,
  groups,
  imports,
  live,
  partners,
  robots,
  runs,
  schedules,
  sites,
  weather,
];

/** The contract's shapes under the names it gives them: `siteSchema` is Site. */
export function contractSchemas(): ReadonlyMap<z.ZodType, string> {
  const named = new Map<z.ZodType, string>();
  for (const [exported, schema] of modules.flatMap((module) => Object.entries(module))) {
    const name = /^(\w+)Schema$/.exec(exported)?.[1];
    const isShape = schema instanceof z.ZodObject || schema instanceof z.ZodUnion;
    if (name !== undefined && isShape && !named.has(schema)) named.set(schema, capitalised(name));
  }
  return named;
}

export function capitalised(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}
