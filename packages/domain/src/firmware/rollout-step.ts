import type { RolloutState } from "@suncrew/contract/firmware/firmware.ts";

/** How a rollout stands, counted over its robots. */
export interface RolloutProgress {
  readonly state: RolloutState;
  readonly batchSize: number;
  readonly failureThresholdPercent: number;
  readonly waiting: number;
  /** Offered, downloading or installing: the batch under way. */
  readonly open: number;
  readonly done: number;
  readonly failed: number;
  /** Failures since a person last let it go on; of those before it was known. */
  readonly newFailures: number;
  /** A canary is among the new failures. */
  readonly canaryFailed: boolean;
}

export type RolloutStep =
  | { readonly kind: "nothing" }
  | { readonly kind: "end" }
  | { readonly kind: "pause"; readonly why: "canary" | "threshold" }
  /** Up to so many that may take it now; until one robot has shown that it runs it, only a canary. */
  | { readonly kind: "offer"; readonly most: number; readonly canary: boolean };

const nothing: RolloutStep = { kind: "nothing" };

/**
 * What comes next in a rollout: a canary alone until one is done, then batches, each once the one before has ended. It
 * pauses as soon as it is sure that more than the threshold of those that were offered the firmware will have failed,
 * and ends when nobody is left.
 */
export function rolloutStep(rollout: RolloutProgress): RolloutStep {
  const { waiting, open, done, state } = rollout;
  if (state === "DONE") return nothing;
  if (waiting === 0 || state === "CANCELLED") return open === 0 ? { kind: "end" } : nothing;
  if (state === "PAUSED") return nothing;
  if (rollout.canaryFailed) return { kind: "pause", why: "canary" };
  if (passesThreshold(rollout)) return { kind: "pause", why: "threshold" };
  if (open > 0) return nothing;
  const canary = done === 0;
  return { kind: "offer", most: canary ? 1 : rollout.batchSize, canary };
}

/** Those under way count as done: more can only fail. */
function passesThreshold({ failed, newFailures, done, open, failureThresholdPercent }: RolloutProgress): boolean {
  return newFailures > 0 && failed * 100 > failureThresholdPercent * (failed + done + open);
}
