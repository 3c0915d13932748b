import {
  type FirmwareOfferMessage,
  firmwareOfferMessageSchema,
  PROTOCOL_VERSION,
} from "@suncrew/contract/devices/messages.ts";
import { topicOf } from "@suncrew/contract/devices/topics.ts";
import { LISTENING_GRACE_MS } from "@suncrew/domain/alerts/offline-alerts.ts";
import { rolloutPausedAlert } from "@suncrew/domain/alerts/server-alerts.ts";
import { offerRefusal } from "@suncrew/domain/firmware/offer-refusal.ts";
import { type RolloutStep, rolloutStep } from "@suncrew/domain/firmware/rollout-step.ts";
import { gaveUpText, isWaitOver, pausedText, skippedText } from "@suncrew/domain/firmware/rollout-text.ts";
import { announceChange } from "../../platform/change-signal.ts";
import { isClockWrong } from "../../platform/clock-watch.ts";
import type { Cancel } from "../../platform/clock.ts";
import type { Tx } from "../../platform/database/database.ts";
import { reasonColumns } from "../../platform/database/reason-columns.ts";
import { transactionWithRetry } from "../../platform/database/transactions.ts";
import type { Dependencies, Service } from "../../platform/dependencies.ts";
import { ListeningPeriod } from "../../platform/broker.ts";
import { forEachConcurrently, PeriodicTasks } from "../../platform/periodic-task.ts";
import { keepServerAlert } from "../alerts/public.ts";
import { recordChange, suncrew } from "../audit/public.ts";
import { lockRobots, showChange } from "../commands/public.ts";
import { DownloadUrlSigner } from "./download-url.ts";
import { endInstalling, failOverdue, findNoLongerInstalling, findOverdue } from "./firmware-updates.repository.ts";
import {
  claimOffers,
  findUnanswered,
  findUnsent,
  insertOffers,
  type OfferToSend,
  readCandidates,
  readOffered,
  skipRobots,
  unclaimOffer,
  withdrawUnsent,
} from "./offers.repository.ts";
import {
  cancelWaiting,
  lockRollout,
  readCounts,
  readNewFailures,
  readOpenRollouts,
  readSelfPaused,
  type StoredRollout,
  storeRollout,
} from "./rollouts.repository.ts";

const ROUND_INTERVAL_MS = 1_000;
const MAX_CONCURRENT_ROLLOUTS = 3;
/** Maximum overdue robots per transaction. */
const MAX_OVERDUE = 500;
/** Maximum offers claimed for sending per transaction. */
const MAX_OFFERS = 500;

export type RolloutEngineDependencies = Pick<Dependencies, "db" | "clock" | "clocks" | "broker" | "log" | "settings">;

/**
 * Advances rollouts, on every server concurrently: PostgreSQL says what is due, and its locks keep each step to one
 * server. Offers are rows before they are messages; what a server leaves unsent by dying, another sends with the same
 * id.
 */
export class RolloutEngine implements Service {
  readonly #deps: RolloutEngineDependencies;
  readonly #signer: DownloadUrlSigner;
  readonly #rounds: PeriodicTasks;
  readonly #sending = new Set<Promise<void>>();
  readonly #listening: ListeningPeriod;
  #unfollow: Cancel = () => {};

  constructor(deps: RolloutEngineDependencies) {
    this.#deps = deps;
    this.#listening = new ListeningPeriod(deps);
    this.#signer = new DownloadUrlSigner(deps.settings.secretKey);
    this.#rounds = new PeriodicTasks(deps, [
      { name: "rollouts", everyMs: ROUND_INTERVAL_MS, work: () => this.#round(), atStart: true },
    ]);
  }

  async start(): Promise<void> {
    this.#unfollow = this.#listening.follow();
    await this.#rounds.start();
  }

  async stop(): Promise<void> {
    this.#unfollow();
    await this.#rounds.stop();
  }

  /** Runs one round; resolves once what was due is stored and handed to the broker. */
  async runOnce(): Promise<void> {
    await this.#rounds.runOnce();
    await Promise.all(this.#sending);
  }

  async #round(): Promise<void> {
    const { db, log } = this.#deps;
    if (isClockWrong(this.#deps)) {
      this.#listening.restart();
      return;
    }
    await this.#failOverdue();
    await this.#endInstalling();
    await forEachConcurrently(await readOpenRollouts(db), MAX_CONCURRENT_ROLLOUTS, async (rolloutId) => {
      try {
        await transactionWithRetry(db, (tx) => advanceRollout(tx, rolloutId, this.#conditions()));
      } catch (error) {
        // A rollout that cannot be advanced must not delay the others.
        log.error({ error, rolloutId }, "failed to advance a rollout; retrying within a second");
      }
    });
    await this.#sendOffers();
    const { clock } = this.#deps;
    await keepServerAlert(db, "ROLLOUT_PAUSED", async (tx) => pausedAlert(await readSelfPaused(tx)), clock.now());
  }

  #conditions(): Conditions {
    const { clock, broker } = this.#deps;
    return {
      now: clock.now(),
      canSend: broker.connected && this.#publicUrl() !== null,
      hearsRobots: broker.connected && this.#listening.forMs >= LISTENING_GRACE_MS,
    };
  }

  #publicUrl(): string | null {
    return this.#deps.settings.publicUrl?.() ?? null;
  }

  /**
   * After an outage robots may have installed it unheard: until they have had time to reconnect, only one that was
   * heard since, without the new version, has failed.
   */
  async #failOverdue(): Promise<void> {
    const { db, clock, broker } = this.#deps;
    if (!broker.connected) return;
    const heardSince = this.#listening.forMs < LISTENING_GRACE_MS ? this.#listening.since : null;
    const overdue = await findOverdue(db, clock.now(), MAX_OVERDUE, heardSince);
    await this.#changeRobots(overdue, (tx, robotIds) => failOverdue(tx, robotIds, clock.now()));
  }

  async #endInstalling(): Promise<void> {
    const { db, clock } = this.#deps;
    const ended = await findNoLongerInstalling(db, clock.now(), MAX_OVERDUE);
    await this.#changeRobots(ended, (tx, robotIds) => endInstalling(tx, robotIds, clock.now()));
  }

  /** Changes those of the robots whose rows are not locked, under their locks. */
  async #changeRobots(
    robotIds: readonly number[],
    change: (tx: Tx, robotIds: readonly number[]) => Promise<number[]>,
  ): Promise<void> {
    if (robotIds.length === 0) return;
    await transactionWithRetry(this.#deps.db, async (tx) => {
      const locked = await lockRobots(tx, robotIds, { skipLocked: true });
      await showChange(tx, await change(tx, [...locked.keys()]));
    });
  }

  async #sendOffers(): Promise<void> {
    const { db, clock, broker } = this.#deps;
    const publicUrl = this.#publicUrl();
    // Left unclaimed, so that another server connected to the broker can send them.
    if (publicUrl === null || !broker.connected) return;
    const offers = await transactionWithRetry(db, (tx) => claimDueOffers(tx, clock.now()));
    for (const offer of offers) this.#send(offer, publicUrl);
  }

  /** Does not wait for the broker: a slow one must not delay what else is due. */
  #send(offer: OfferToSend, publicUrl: string): void {
    const { db, broker, log } = this.#deps;
    const sending = (async () => {
      const message = JSON.stringify(this.#messageOf(offer, publicUrl));
      if (broker.connected) await broker.publish(topicOf(offer.serial, "firmware"), message);
      else await unclaimOffer(db, offer);
    })()
      .catch((error: unknown) => log.warn({ error, offer: offer.offerId }, "it is unknown whether an offer was sent"))
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  #messageOf(offer: OfferToSend, publicUrl: string): FirmwareOfferMessage {
    const { offerId, serial, firmwareId, version, bytes, sha256, by, session, offeredAt, deadlineAt } = offer;
    const expires = Math.ceil(deadlineAt.getTime() / 1000);
    return firmwareOfferMessageSchema.parse({
      v: PROTOCOL_VERSION,
      id: offerId,
      session,
      issuedAt: offeredAt.toISOString(),
      expiresAt: deadlineAt.toISOString(),
      by: by.slice(0, 200),
      url: this.#signer.urlOf(publicUrl, { offerId, serial, firmwareId, expires }),
      size: bytes,
      sha256: sha256.toString("hex"),
      version,
    });
  }
}

/**
 * Claims the offers that are due for sending, under the locks on their robots: each time only for a robot that may take
 * the firmware now (protocol rule 13), because it may have changed since it was offered. Otherwise an offer that was
 * never sent is withdrawn, and one that was sent is not repeated.
 */
export async function claimDueOffers(tx: Tx, now: Date): Promise<OfferToSend[]> {
  const locked = await lockRobots(tx, await findUnanswered(tx, now, MAX_OFFERS), { skipLocked: true });
  const { ready = [], unready = [] } = Object.groupBy(await readOffered(tx, [...locked.keys()]), (robot) =>
    offerRefusal(robot, robot.version, now) === null ? "ready" : "unready",
  );
  await showChange(tx, await withdrawUnsent(tx, idsOf(unready)));
  return claimOffers(tx, idsOf(ready), now);
}

/** What a server knows in one round. */
interface Conditions {
  readonly now: Date;
  /** It can send offers: connected to the broker, and with a public URL. */
  readonly canSend: boolean;
  /** It has been connected for long enough to have heard every robot that is online. */
  readonly hearsRobots: boolean;
}

/** Advances a rollout by one step, on whichever server locks it first: ends it, pauses it, or offers the next batch. */
async function advanceRollout(tx: Tx, rolloutId: number, conditions: Conditions): Promise<void> {
  const { now, canSend } = conditions;
  const rollout = await lockRollout(tx, rolloutId, true);
  if (rollout === null || rollout.ended_at !== null) return;
  // While paused or cancelled nothing new is sent, and no robot fails for an offer that no server could send in time.
  await withdrawOffers(tx, await findUnsent(tx, rolloutId, rollout.state === "RUNNING" ? now : null));
  // A robot that refused just as the rollout was cancelled is waiting again.
  if (rollout.state === "CANCELLED") await cancelWaiting(tx, rolloutId, now);
  const step = await nextStep(tx, rollout);
  switch (step.kind) {
    case "nothing":
      return;
    case "end":
      return endRollout(tx, rollout, now);
    case "pause":
      return pauseRollout(tx, rollout, step.why, now);
    case "offer":
      if (canSend) await offerBatch(tx, rollout, step, conditions);
  }
}

const pausedAlert = (rollouts: Awaited<ReturnType<typeof readSelfPaused>>) =>
  rollouts.length === 0 ? null : rolloutPausedAlert(rollouts);

async function withdrawOffers(tx: Tx, robotIds: readonly number[]): Promise<void> {
  const locked = await lockRobots(tx, robotIds, { skipLocked: true });
  await showChange(tx, await withdrawUnsent(tx, [...locked.keys()]));
}

async function nextStep(tx: Tx, rollout: StoredRollout): Promise<RolloutStep> {
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
  await storeRollout(tx, rollout.id, { state, ended_at: now });
  await auditStep(tx, rollout, { action: "END_ROLLOUT", state, reason: null }, now);
}

async function pauseRollout(tx: Tx, rollout: StoredRollout, why: "canary" | "threshold", now: Date): Promise<void> {
  const reason = pausedText(why, rollout.failure_threshold_percent);
  await storeRollout(tx, rollout.id, { state: "PAUSED", ...reasonColumns(reason) });
  await auditStep(tx, rollout, { action: "PAUSE_ROLLOUT", state: "PAUSED", reason: reason.text }, now);
}

/**
 * Offers the firmware to those that may take it now. This is decided under the locks on the robots, as a START is:
 * whichever comes first is seen by the other.
 */
async function offerBatch(
  tx: Tx,
  rollout: StoredRollout,
  { maxRobots, canary }: Extract<RolloutStep, { kind: "offer" }>,
  { now, hearsRobots }: Conditions,
): Promise<void> {
  const waiting = await readCandidates(tx, rollout.id);
  const refusals = waiting.map((robot) => ({ robot, refusal: offerRefusal(robot, rollout.version, now) }));
  const limitHours = rollout.wait_limit_hours;
  // No robot is given up while others can take the firmware, nor because Suncrew itself was disconnected.
  const givesUp =
    hearsRobots &&
    refusals.every(({ refusal }) => refusal !== null) &&
    isWaitOver(rollout.resumed_at ?? rollout.created_at, limitHours, now);
  const skipped = refusals.flatMap(({ robot, refusal }) => {
    const { robotId, refusedAs } = robot;
    if (refusal?.kind === "skip")
      return [{ robotId, reason: skippedText(refusal.why, rollout.version), gaveUp: false }];
    if (refusal === null || !givesUp) return [];
    return [{ robotId, reason: gaveUpText(refusal.why, robot, limitHours, refusedAs), gaveUp: true }];
  });
  if (skipped.length > 0) {
    await skipRobots(tx, rollout.id, skipped, now);
    await announceChange(tx);
  }
  const ready = refusals.flatMap(({ robot, refusal }) => (refusal === null ? [robot.robotId] : []));
  const locked = await lockRobots(tx, ready.slice(0, maxRobots), { skipLocked: true });
  const stillReady = (await readCandidates(tx, rollout.id, [...locked.keys()])).filter(
    (robot) => offerRefusal(robot, rollout.version, now) === null,
  );
  if (stillReady.length === 0) return;
  const deadlineAt = new Date(now.getTime() + rollout.deadline_minutes * 60_000);
  await insertOffers(tx, rollout.id, idsOf(stillReady), { canary, at: now, deadlineAt });
  await showChange(tx, idsOf(stillReady));
}

function idsOf(robots: readonly { readonly robotId: number }[]): number[] {
  return robots.map(({ robotId }) => robotId);
}

async function auditStep(
  tx: Tx,
  { id, state: stateBefore }: StoredRollout,
  { action, state, reason }: Pick<StoredRollout, "state"> & { readonly action: string; readonly reason: string | null },
  at: Date,
): Promise<void> {
  const change = { actor: suncrew, action, entity: "rollout", entityId: id, at };
  await recordChange(tx, { ...change, reason, before: { state: stateBefore }, after: { state } });
}
