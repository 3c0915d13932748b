import type { RolloutState } from "@suncrew/contract/firmware/firmware.ts";

/** The progress of a rollout, counted over its robots. */
export interface RolloutProgress {
  readonly state: RolloutState;
  readonly batchSize: number;
  readonly failureThresholdPercent: number;
  readonly waiting: number;
  /** Offered, downloading or installing: the current batch. */
  readonly open: number;
  readonly done: number;
  readonly failed: number;
  /** Failures since a person last resumed it; earlier ones were known to them. */
  readonly newFailures: number;
  /** A canary is among the new failures. */
  readonly canaryFailed: boolean;
}

export type RolloutStep =
  | { readonly kind: "nothing" }
  | { readonly kind: "end" }
  | { readonly kind: "pause"; readonly why: "canary" | "threshold" }
  /** To at most `maxRobots` robots that are ready; one canary at a time until one runs the new version. */
  | { readonly kind: "offer"; readonly maxRobots: number; readonly canary: boolean };

const nothing: RolloutStep = { kind: "nothing" };

/**
 * The next step of a rollout: one canary at a time until one succeeds, then batches, each after the previous has ended. It
 * pauses once more than the threshold of the robots offered the firmware is certain to fail, and ends when no robot is
 * left.
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
  return { kind: "offer", maxRobots: canary ? 1 : rollout.batchSize, canary };
}

/** Open offers count as done, so that the share can only grow. */
function passesThreshold({ failed, newFailures, done, open, failureThresholdPercent }: RolloutProgress): boolean {
  return newFailures > 0 && failed * 100 > failureThresholdPercent * (failed + done + open);
}
