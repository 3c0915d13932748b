import { offerRefusal } from "@suncrew/domain/firmware/offer-refusal.ts";
import { type RolloutStep, rolloutStep } from "@suncrew/domain/firmware/rollout-step.ts";
import { gaveUpText, isWaitOver } from "@suncrew/domain/firmware/rollout-text.ts";
import { announceChange } from "../../platform/change-signal.ts";
import type { Tx } from "../../platform/database/database.ts";
import { recordAudit } from "../audit/public.ts";
import { lockRobots, showChange } from "../commands/public.ts";
import { readCandidates } from "./candidates.repository.ts";
import { firmwareSentences, skippedSentences } from "./firmware-sentences.ts";
import { findUnsent, insertOffers, skipRobots, withdrawUnsent } from "./offers.repository.ts";
import {
  cancelWaiting,
  lockRollout,
  readCounts,
  readNewFailures,
  type StoredRollout,
  storeRollout,
} from "./rollout-rows.repository.ts";

/** What a server knows as it looks. */
export interface Circumstances {
  readonly now: Date;
  /** It can send offers: connected to the broker, and with an address of its own. */
  readonly canSend: boolean;
  /** It is connected for so long that every robot which is there has been heard. */
  readonly hearsRobots: boolean;
}

/**
 * Brings a rollout on by one step, on whichever server has it first: ends or pauses it, or offers the firmware to the
 * next batch. Answers whether it offered anything.
 */
export async function advanceRollout(tx: Tx, rolloutId: number, circumstances: Circumstances): Promise<boolean> {
  const { now, canSend } = circumstances;
  const rollout = await lockRollout(tx, rolloutId, true);
  if (rollout === null || rollout.ended_at !== null) return false;
  // Paused or cancelled, nothing is sent that was not; and nobody fails for what no server could send in time.
  await takeBack(tx, await findUnsent(tx, rolloutId, rollout.state === "RUNNING" ? now : null));
  // A robot that refused as it was cancelled waits again.
  if (rollout.state === "CANCELLED") await cancelWaiting(tx, rolloutId, now);
  const step = await stepOf(tx, rollout);
  switch (step.kind) {
    case "nothing":
      return false;
    case "end":
      await endRollout(tx, rollout, now);
      return false;
    case "pause":
      await pauseRollout(tx, rollout, step.why, now);
      return false;
    case "offer":
      return canSend && (await offerBatch(tx, rollout, step, circumstances));
  }
}

async function takeBack(tx: Tx, robotIds: readonly number[]): Promise<void> {
  const locked = await lockRobots(tx, robotIds, { skipLocked: true });
  await showChange(tx, await withdrawUnsent(tx, [...locked.keys()]));
}

async function stepOf(tx: Tx, rollout: StoredRollout): Promise<RolloutStep> {
  const counts = (await readCounts(tx, [rollout.id])).get(rollout.id);
  if (counts === undefined) return { kind: "nothing" };
  const { failures, canary } = await readNewFailures(tx, rollout.id, rollout.resumed_at);
  return rolloutStep({
    state: rollout.state,
    batchSize: rollout.batch_size,
    failureThresholdPercent: rollout.failure_threshold_percent,
    waiting: counts.WAITING,
    open: counts.OFFERED + counts.DOWNLOADING + counts.INSTALLING,
    done: counts.DONE,
    failed: counts.FAILED,
    newFailures: failures,
    canaryFailed: canary,
  });
}

async function endRollout(tx: Tx, rollout: StoredRollout, now: Date): Promise<void> {
  const state = rollout.state === "CANCELLED" ? "CANCELLED" : "DONE";
  await storeRollout(tx, rollout.id, { state, endedAt: now });
  await auditOwn(tx, rollout, { action: "END_ROLLOUT", state, reason: null }, now);
}

async function pauseRollout(tx: Tx, rollout: StoredRollout, why: "canary" | "threshold", now: Date): Promise<void> {
  const { canaryFailed, thresholdPassed } = firmwareSentences;
  const reason = why === "canary" ? canaryFailed : thresholdPassed(rollout.failure_threshold_percent);
  await storeRollout(tx, rollout.id, { state: "PAUSED", reason });
  await auditOwn(tx, rollout, { action: "PAUSE_ROLLOUT", state: "PAUSED", reason }, now);
}

/**
 * Offers it to those that may take it now. It is decided under the locks on the robots, where a START is too: whichever
 * comes first is seen by the other.
 */
async function offerBatch(
  tx: Tx,
  rollout: StoredRollout,
  { most, canary }: Extract<RolloutStep, { kind: "offer" }>,
  { now, hearsRobots }: Circumstances,
): Promise<boolean> {
  const waiting = await readCandidates(tx, rollout.id);
  const refusals = waiting.map((robot) => ({ robot, refusal: offerRefusal(robot, rollout.version, now) }));
  const limitHours = rollout.wait_limit_hours;
  // Nobody gives up while others can take it, nor for what Suncrew itself could not hear.
  const givesUp =
    hearsRobots &&
    refusals.every(({ refusal }) => refusal !== null) &&
    isWaitOver(rollout.resumed_at ?? rollout.created_at, limitHours, now);
  const skipped = refusals.flatMap(({ robot, refusal }) => {
    const { robotId, refused } = robot;
    if (refusal?.kind === "skip") {
      return [{ robotId, reason: skippedSentences[refusal.why](rollout.version), gaveUp: false }];
    }
    if (refusal === null || !givesUp) return [];
    return [{ robotId, reason: gaveUpText(refusal.why, robot, limitHours, refused), gaveUp: true }];
  });
  if (skipped.length > 0) {
    await skipRobots(tx, rollout.id, skipped, now);
    await announceChange(tx);
  }
  const ready = refusals.flatMap(({ robot, refusal }) => (refusal === null ? [robot.robotId] : []));
  const locked = await lockRobots(tx, ready.slice(0, most), { skipLocked: true });
  const still = (await readCandidates(tx, rollout.id, [...locked.keys()])).filter(
    (robot) => offerRefusal(robot, rollout.version, now) === null,
  );
  if (still.length === 0) return false;
  const robotIds = still.map(({ robotId }) => robotId);
  const deadlineAt = new Date(now.getTime() + rollout.deadline_minutes * 60_000);
  await insertOffers(tx, rollout.id, robotIds, { canary, at: now, deadlineAt });
  await showChange(tx, robotIds);
  return true;
}

async function auditOwn(
  tx: Tx,
  { id, state: former }: StoredRollout,
  { action, state, reason }: Pick<StoredRollout, "state"> & { readonly action: string; readonly reason: string | null },
  at: Date,
): Promise<void> {
  await recordAudit(tx, {
    actor: { userId: null, name: "Suncrew" },
    action,
    entity: "rollout",
    entityId: id,
    outcome: "DONE",
    reason,
    before: { state: former },
    after: { state },
    at,
  });
}
