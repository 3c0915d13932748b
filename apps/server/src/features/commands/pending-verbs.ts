import type { Command } from "./command-rows.repository.ts";

/** Sent again until the robot shows it, whatever its session or age (protocol rules 3 and 8). */
export const pendingVerbs = ["STOP", "MAINTENANCE_ON"] as const satisfies readonly Command["verb"][];
export type PendingVerb = (typeof pendingVerbs)[number];

export function staysPending(verb: Command["verb"]): verb is PendingVerb {
  return verb === "STOP" || verb === "MAINTENANCE_ON";
}
