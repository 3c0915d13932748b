import { SCHEDULER } from "../runs/public.ts";

/** Who orders by schedule, and how: the robots' own stored settings hold. */
export const scheduledOrder = {
  by: { userId: null, name: SCHEDULER, actionType: "SCHEDULED" },
  mode: "AUTO",
} as const;

/** Rule 4: a robot stops by itself then, whatever it hears; whole seconds, at least one. */
export function secondsUntil(end: Date, now: Date): number {
  return Math.max(1, Math.floor((end.getTime() - now.getTime()) / 1_000));
}
