import { webhookTexts } from "@suncrew/domain/events/webhook-texts.ts";
import { deliveryTexts } from "@suncrew/domain/notifications/delivery-texts.ts";
import { deliveryRetryTime } from "@suncrew/domain/notifications/delivery-times.ts";
import { Counter } from "prom-client";
import { inTransaction } from "../../platform/database/transactions.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { OutgoingHttp } from "../../platform/outgoing-http.ts";
import { PeriodicTasks } from "../../platform/periodic-task.ts";
import { callWebhook, type SendOutcome } from "../notifications/public.ts";
import {
  claimDeliveries,
  type DeliveryClaim,
  payloadOfEvent,
  releaseClaim,
  storeTry,
  webhooksWithDue,
} from "./event-deliveries.repository.ts";
import { payloadOf } from "./event-payload.ts";
import {
  disableGone,
  noteFailed,
  noteSent,
  readWebhook,
  signingSecrets,
  type WebhookRow,
  WebhookSeal,
} from "./webhooks.repository.ts";

const EVERY_MS = 1_000;
/** Calls of this server to one webhook at the same time. */
const CALLS_AT_ONCE = 8;
/** Claimed ahead: all are sent within their lease even if each call takes its 15 s. */
const CLAIMED_AT_ONCE = 32;
/** A webhook that fails is left alone for this share of the time for which it has failed. */
const PAUSE_SHARE = 0.1;
const LONGEST_PAUSE_MS = 5 * 60_000;
/** Nobody may ask Suncrew to wait for longer. */
const LONGEST_WAIT_MS = 60 * 60_000;

/** Of this process, for its metrics page to register. */
export const eventTries = new Counter({
  name: "suncrew_event_deliveries_total",
  help: "Tries of this server to tell a webhook of an event, by outcome, and events that it gave up untried",
  labelNames: ["outcome"],
  registers: [],
});

type SenderDependencies = Pick<Dependencies, "db" | "clock" | "log" | "settings">;

/** What this server is sending to one webhook. */
interface Flow {
  claimed: DeliveryClaim[];
  /** The lane up to which it has claimed: all have their turn. Null: none yet. */
  lane: number | null;
  calls: number;
  filling: Promise<void> | null;
  /** A call ended while it was being filled, so that the next event of that robot may have been overlooked. */
  isWoken: boolean;
}

/**
 * Sends events to webhooks (decision 82), on every server. The events of one robot go to a webhook one after the other:
 * while one is tried again, the later ones wait. A delivery whose server dies is sent again when its lease ends, with the
 * same id.
 */
export class EventSender extends PeriodicTasks {
  readonly #deps: SenderDependencies;
  readonly #http: OutgoingHttp;
  readonly #seal: WebhookSeal;
  readonly #flows = new Map<number, Flow>();
  readonly #calls = new Set<Promise<void>>();

  constructor(deps: SenderDependencies, http = new OutgoingHttp(deps.settings.outgoingPrivateAddresses ?? [])) {
    super(deps, [{ name: "webhooks", everyMs: EVERY_MS, work: (stopping) => this.#round(stopping) }]);
    this.#deps = deps;
    this.#http = http;
    this.#seal = new WebhookSeal(deps.settings);
  }

  override async stop(): Promise<void> {
    await super.stop();
    await this.idle();
    await this.#track(this.#releaseUnsent());
  }

  async #releaseUnsent(): Promise<void> {
    const { db, clock } = this.#deps;
    for (const { claimed } of this.#flows.values()) {
      for (const claim of claimed.splice(0)) await releaseClaim(db, claim, clock.now());
    }
  }

  /** Resolves once nothing that was due is left or in progress. */
  async idle(): Promise<void> {
    while (this.#calls.size > 0) await Promise.all(this.#calls);
  }

  async #round(stopping: AbortSignal): Promise<void> {
    const { db, clock } = this.#deps;
    for (const webhookId of await webhooksWithDue(db, clock.now())) this.#fill(webhookId, stopping);
  }

  /** Starts as many calls as may be made at once. */
  #fill(webhookId: number, stopping: AbortSignal): void {
    const flow = this.#flows.get(webhookId) ?? { claimed: [], lane: null, calls: 0, filling: null, isWoken: false };
    this.#flows.set(webhookId, flow);
    if (flow.filling !== null) {
      flow.isWoken = true;
      return;
    }
    flow.isWoken = false;
    flow.filling = this.#track(
      this.#claimAndCall(webhookId, flow, stopping).finally(() => {
        flow.filling = null;
        if (flow.isWoken && !stopping.aborted) this.#fill(webhookId, stopping);
        else if (flow.calls === 0 && flow.claimed.length === 0) this.#flows.delete(webhookId);
      }),
    );
  }

  async #claimAndCall(webhookId: number, flow: Flow, stopping: AbortSignal): Promise<void> {
    const { db, clock } = this.#deps;
    while (flow.calls < CALLS_AT_ONCE && !stopping.aborted) {
      if (flow.claimed.length === 0) {
        const choice = { limit: CLAIMED_AT_ONCE, now: clock.now() };
        flow.claimed = await claimDeliveries(db, webhookId, { ...choice, after: flow.lane });
        // From the first lane again.
        if (flow.claimed.length === 0 && flow.lane !== null) {
          flow.claimed = await claimDeliveries(db, webhookId, { ...choice, after: null });
        }
        flow.lane = flow.claimed.length === 0 ? null : Math.max(...flow.claimed.map(({ lane }) => lane));
      }
      const claim = flow.claimed.shift();
      if (claim === undefined) return;
      flow.calls += 1;
      void this.#track(
        this.#deliver(webhookId, claim, stopping).finally(() => {
          flow.calls -= 1;
          if (!stopping.aborted) this.#fill(webhookId, stopping);
        }),
      );
    }
  }

  #track(work: Promise<void>): Promise<void> {
    const logged = work
      .catch((error: unknown) =>
        this.#deps.log.error({ error }, "an event could not be sent; its lease ends by itself"),
      )
      .finally(() => this.#calls.delete(logged));
    this.#calls.add(logged);
    return logged;
  }

  async #deliver(webhookId: number, claim: DeliveryClaim, stopping: AbortSignal): Promise<void> {
    const { db, clock } = this.#deps;
    const webhook = await readWebhook(db, webhookId);
    // Disabled or deleted since: what waited was given up.
    if (webhook === null || !webhook.enabled) return;
    const isPaused = webhook.paused_until !== null && webhook.paused_until > clock.now();
    if (isPaused || stopping.aborted) return releaseClaim(db, claim, webhook.paused_until ?? clock.now());
    const outcome = await this.#call(webhook, claim, stopping);
    const now = clock.now();
    if (outcome === null) {
      await storeTry(db, claim, { status: "WAITING", reason: null, retryAt: now }, now);
    } else if (outcome.outcome === "DELIVERED") {
      await storeTry(db, claim, { status: "SENT", reason: null, retryAt: null }, now);
      eventTries.inc({ outcome: "sent" });
      await noteSent(db, webhookId, now);
    } else {
      await this.#storeFailure(webhook, claim, outcome, now);
    }
  }

  /** Null if the server stops meanwhile: nobody knows whether it arrived. */
  async #call(webhook: WebhookRow, { eventId: id }: DeliveryClaim, stopping: AbortSignal): Promise<SendOutcome | null> {
    const { db, clock } = this.#deps;
    const secrets = this.#seal.open(webhook);
    if (secrets === null) return { outcome: "RETRY", reason: deliveryTexts.text("SECRET_MISSING", {}) };
    let unwritten: unknown = null;
    const body = await payloadOfEvent(db, id, (event) => {
      try {
        return payloadOf(event);
      } catch (error) {
        unwritten = error;
        return null;
      }
    });
    if (body === null) {
      // Tried again it would hold up its robot's other events for good.
      this.#deps.log.error({ error: unwritten, event: id }, "an event could not be written");
      return { outcome: "REFUSED", reason: webhookTexts.text("EVENT_NOT_WRITTEN", {}) };
    }
    const call = { id, url: secrets.url, body, secrets: signingSecrets(secrets, clock.now()) };
    try {
      return await callWebhook(this.#http, clock, call, stopping);
    } catch (error) {
      if (stopping.aborted) return null;
      throw error;
    }
  }

  async #storeFailure(
    webhook: WebhookRow,
    claim: DeliveryClaim,
    outcome: Exclude<SendOutcome, { readonly outcome: "DELIVERED" }>,
    now: Date,
  ): Promise<void> {
    const { db } = this.#deps;
    const { reason } = outcome;
    const asked = outcome.outcome === "RETRY" ? outcome.afterMs : undefined;
    const afterMs = asked === undefined ? undefined : Math.min(asked, LONGEST_WAIT_MS);
    const again = { failedAttempts: claim.attempt, createdAt: claim.createdAt, now, afterMs };
    const retryAt = outcome.outcome === "RETRY" ? deliveryRetryTime(again) : null;
    eventTries.inc({ outcome: retryAt === null ? "given_up" : "retried" });
    const givenUp = await inTransaction(db, async (tx) => {
      const status = retryAt === null ? "FAILED" : "WAITING";
      if (!(await storeTry(tx, claim, { status, reason, retryAt }, now))) return 0;
      await noteFailed(tx, webhook.id, { reason, pausedUntil: pauseAfter(webhook, afterMs, now), now });
      return disableGone(tx, webhook, reason, now);
    });
    if (givenUp > 0) eventTries.inc({ outcome: "given_up" }, givenUp);
  }
}

/** Until when nothing is sent to it: as it asks, or for a while if it has failed for long. */
function pauseAfter({ failing_since: since }: WebhookRow, afterMs: number | undefined, now: Date): Date | null {
  const failingMs = since === null ? 0 : now.getTime() - since.getTime();
  const pauseMs = Math.max(afterMs ?? 0, Math.min(failingMs * PAUSE_SHARE, LONGEST_PAUSE_MS));
  return pauseMs > 0 ? new Date(now.getTime() + pauseMs) : null;
}
