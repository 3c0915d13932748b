import {
  type FirmwareOfferMessage,
  firmwareOfferMessageSchema,
  PROTOCOL_VERSION,
} from "@suncrew/contract/devices/messages.ts";
import { topicOf } from "@suncrew/contract/devices/topics.ts";
import { LISTENING_GRACE_MS } from "@suncrew/domain/alerts/offline-alerts.ts";
import { offerRefusal } from "@suncrew/domain/firmware/offer-refusal.ts";
import { type RolloutStep, rolloutStep } from "@suncrew/domain/firmware/rollout-step.ts";
import { gaveUpText, isWaitOver } from "@suncrew/domain/firmware/rollout-text.ts";
import { announceChange } from "../../platform/change-signal.ts";
import { isClockWrong } from "../../platform/clock-watch.ts";
import type { Cancel } from "../../platform/clock.ts";
import type { Tx } from "../../platform/database/database.ts";
import { transactionWithRetry } from "../../platform/database/transactions.ts";
import type { Dependencies, Service } from "../../platform/dependencies.ts";
import { ListeningPeriod } from "../../platform/listening-period.ts";
import { forEachConcurrently, PeriodicTask } from "../../platform/periodic-task.ts";
import { recordAudit } from "../audit/public.ts";
import { lockRobots, showChange } from "../commands/public.ts";
import { DownloadUrlSigner } from "./download-url.ts";
import { firmwareSentences, skippedSentences } from "./firmware-sentences.ts";
import { endInstalling, failOverdue, findNoLongerInstalling, findOverdue } from "./firmware-updates.repository.ts";
import {
  claimOffers,
  findUnanswered,
  findUnsent,
  giveBackOffer,
  insertOffers,
  type OfferToSend,
  readCandidates,
  readOffered,
  skipRobots,
  withdrawUnsent,
} from "./offers.repository.ts";
import {
  cancelWaiting,
  lockRollout,
  readCounts,
  readNewFailures,
  readUnderWay,
  type StoredRollout,
  storeRollout,
} from "./rollouts.repository.ts";

/** Every server looks for what is due this often. */
const LOOK_MS = 1_000;
/** Transactions at the same time. */
const AT_ONCE = 3;
/** Robots whose time is over, in one transaction. */
const OVERDUE_AT_ONCE = 500;

type RolloutEngineDependencies = Pick<Dependencies, "db" | "clock" | "clocks" | "broker" | "log" | "settings">;

/**
 * Brings rollouts on, on every server at once: PostgreSQL says what is due, and its locks keep each step to one server.
 * Offers are rows before they are messages; what a server leaves unsent by dying, another sends with the same id.
 */
export class RolloutEngine implements Service {
  readonly #deps: RolloutEngineDependencies;
  readonly #signer: DownloadUrlSigner;
  readonly #rounds: PeriodicTask;
  readonly #sending = new Set<Promise<void>>();
  readonly #hearing: ListeningPeriod;
  #cancels: Cancel[] = [];

  constructor(deps: RolloutEngineDependencies) {
    this.#deps = deps;
    this.#hearing = new ListeningPeriod(deps);
    this.#signer = new DownloadUrlSigner(deps.settings.secretKey);
    this.#rounds = new PeriodicTask(deps.log, () => this.#round());
  }

  async start(): Promise<void> {
    this.#cancels = [this.#hearing.follow(), this.#deps.clock.every(LOOK_MS, () => void this.#rounds.run())];
    void this.#rounds.run();
  }

  async stop(): Promise<void> {
    for (const cancel of this.#cancels) cancel();
    this.#cancels = [];
    await this.#rounds.idle();
  }

  /** Looks once; resolves when what was due is stored and handed to the broker. */
  async look(): Promise<void> {
    await this.#rounds.run();
    await Promise.all(this.#sending);
  }

  async #round(): Promise<void> {
    const { db, log } = this.#deps;
    if (isClockWrong(this.#deps)) {
      this.#hearing.restart();
      return;
    }
    await this.#failOverdue();
    await this.#endInstalling();
    await forEachConcurrently(await readUnderWay(db), AT_ONCE, async (rolloutId) => {
      try {
        await transactionWithRetry(db, (tx) => advanceRollout(tx, rolloutId, this.#circumstances()));
      } catch (error) {
        // One rollout that cannot be brought on must not hold up the others.
        log.error({ error, rolloutId }, "bringing a rollout on failed; trying again within a second");
      }
    });
    await this.#sendOffers();
  }

  #circumstances() {
    const { clock, broker } = this.#deps;
    return {
      now: clock.now(),
      canSend: broker.connected && this.#publicUrl() !== null,
      hearsRobots: broker.connected && this.#hearing.forMs >= LISTENING_GRACE_MS,
    };
  }

  #publicUrl(): string | null {
    return this.#deps.settings.publicUrl?.() ?? null;
  }

  /**
   * After an outage robots may have installed it long ago, unheard: until they have had the time to be back, only one
   * that was heard since, and did not show the new version, has failed.
   */
  async #failOverdue(): Promise<void> {
    const { db, clock, broker } = this.#deps;
    if (!broker.connected) return;
    const heardSince = this.#hearing.forMs < LISTENING_GRACE_MS ? this.#hearing.since : null;
    const overdue = await findOverdue(db, clock.now(), OVERDUE_AT_ONCE, heardSince);
    if (overdue.length === 0) return;
    await transactionWithRetry(db, async (tx) => {
      const locked = await lockRobots(tx, overdue, { skipLocked: true });
      await showChange(tx, await failOverdue(tx, [...locked.keys()], clock.now()));
    });
  }

  async #endInstalling(): Promise<void> {
    const { db, clock } = this.#deps;
    const ended = await findNoLongerInstalling(db, clock.now(), OVERDUE_AT_ONCE);
    if (ended.length === 0) return;
    await transactionWithRetry(db, async (tx) => {
      const locked = await lockRobots(tx, ended, { skipLocked: true });
      await showChange(tx, await endInstalling(tx, [...locked.keys()], clock.now()));
    });
  }

  async #sendOffers(): Promise<void> {
    const { db, clock, broker } = this.#deps;
    const publicUrl = this.#publicUrl();
    // Left alone, so that another server which reaches the broker can take them.
    if (publicUrl === null || !broker.connected) return;
    const offers = await transactionWithRetry(db, (tx) => takeOffers(tx, clock.now()));
    for (const offer of offers) this.#send(offer, publicUrl);
  }

  /** Does not wait for the broker: one that is slow must not hold up what else is due. */
  #send(offer: OfferToSend, publicUrl: string): void {
    const { db, broker, log } = this.#deps;
    const sending = (async () => {
      const message = JSON.stringify(this.#messageOf(offer, publicUrl));
      if (broker.connected) await broker.publish(topicOf(offer.serial, "firmware"), message);
      else await giveBackOffer(db, offer);
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

/** Offers in one transaction. */
const MAX_OFFERS_PER_ROUND = 500;

/**
 * Takes the offers that are due for sending, under the locks on their robots: each time only to a robot that may take
 * the firmware now (protocol rule 13), for it may have changed since it was offered. Where it may not, what was never
 * sent is taken back, and what was sent is not sent again.
 */
export async function takeOffers(tx: Tx, now: Date): Promise<OfferToSend[]> {
  const locked = await lockRobots(tx, await findUnanswered(tx, now, MAX_OFFERS_PER_ROUND), { skipLocked: true });
  const fits = new Map(
    (await readOffered(tx, [...locked.keys()])).map((robot) => [
      robot.robotId,
      offerRefusal(robot, robot.version, now) === null,
    ]),
  );
  const those = (fitting: boolean) => [...fits].flatMap(([robotId, fit]) => (fit === fitting ? [robotId] : []));
  await showChange(tx, await withdrawUnsent(tx, those(false)));
  return claimOffers(tx, those(true), now);
}

/** What a server knows as it looks. */
interface Circumstances {
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
async function advanceRollout(tx: Tx, rolloutId: number, circumstances: Circumstances): Promise<boolean> {
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
