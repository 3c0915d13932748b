import {
  type FirmwareOfferMessage,
  firmwareOfferMessageSchema,
  PROTOCOL_VERSION,
} from "@suncrew/contract/devices/messages.ts";
import { topicOf } from "@suncrew/contract/devices/topics.ts";
import { LISTENING_GRACE_MS } from "@suncrew/domain/alerts/offline-alerts.ts";
import { isClockWrong } from "../../platform/clock-watch.ts";
import type { Cancel } from "../../platform/clock.ts";
import { transactionWithRetry } from "../../platform/database/transactions.ts";
import { ListeningPeriod } from "../../platform/listening-period.ts";
import type { Dependencies, Service } from "../../platform/dependencies.ts";
import { forEachConcurrently, PeriodicTask } from "../../platform/periodic-task.ts";
import { lockRobots, showChange } from "../commands/public.ts";
import { advanceRollout } from "./advance-rollout.ts";
import { giveBackOffer, type OfferToSend } from "./offers.repository.ts";
import { endInstalling, failOverdue, findNoLongerInstalling, findOverdue } from "./overdue.repository.ts";
import { readUnderWay } from "./rollout-rows.repository.ts";
import { takeOffers } from "./send-offers.ts";
import { AddressSigner } from "./signed-address.ts";

/** Every server looks for what is due this often. */
const LOOK_MS = 1_000;
/** Transactions at the same time. */
const AT_ONCE = 3;
/** Robots whose time is over, in one transaction. */
const OVERDUE_AT_ONCE = 500;

export type RolloutParts = Pick<Dependencies, "db" | "clock" | "clocks" | "broker" | "log" | "settings">;

/**
 * Brings rollouts on, on every server at once: PostgreSQL says what is due, and its locks keep each step to one server.
 * Offers are rows before they are messages; what a server leaves unsent by dying, another sends with the same id.
 */
export class Rollouts implements Service {
  readonly #deps: RolloutParts;
  readonly #signer: AddressSigner;
  readonly #rounds: PeriodicTask;
  readonly #sending = new Set<Promise<void>>();
  readonly #hearing: ListeningPeriod;
  #cancels: Cancel[] = [];

  constructor(deps: RolloutParts) {
    this.#deps = deps;
    this.#hearing = new ListeningPeriod(deps);
    this.#signer = new AddressSigner(deps.settings.secretKey);
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
      url: this.#signer.addressOf(publicUrl, { offerId, serial, firmwareId, expires }),
      size: bytes,
      sha256: sha256.toString("hex"),
      version,
    });
  }
}
