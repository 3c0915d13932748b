import type { CodedText } from "@suncrew/contract/http/coded-text.ts";
import { deliveryTexts } from "@suncrew/domain/notifications/delivery-texts.ts";
import { deliveryRetryTime } from "@suncrew/domain/notifications/delivery-times.ts";
import {
  alertsMessage,
  clearedMessage,
  footerOf,
  type Message,
  type MessageFrame,
  messageAsText,
} from "@suncrew/domain/notifications/message.ts";
import { quietUntil } from "@suncrew/domain/notifications/quiet-hours.ts";
import { Counter } from "prom-client";
import type { Tx } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/transactions.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { PeriodicTasks } from "../../platform/periodic-task.ts";
import { refused, retry, type SendOutcome } from "./channels/channel.ts";
import { switchOffGone } from "./contact-points.repository.ts";
import { forgetAtSameAddress } from "./deliveries.repository.ts";
import {
  claimDeliveries,
  type ClaimedDelivery,
  readReasons,
  holdClaim,
  readSendingContact,
  releaseClaim,
  type SendingContact,
  settleContent,
  storeEnd,
  storeText,
  type TryEnd,
} from "./delivery-claims.repository.ts";
import { pageOf, toldAlert } from "./told-alerts.ts";

const CHECK_EVERY_MS = 1_000;
/** Messages that this server sends at the same time. */
const AT_ONCE = 8;
/** What takes longer gives its place to another: slow receivers delay only those that wait for them. */
const SLOW_MS = 5_000;
/** With those that are slow. */
const AT_MOST = 64;
/** Shorter than the lease, so that no other server sends the same meanwhile. */
const SEND_LIMIT_MS = 30_000;

/** Of this process, for its metrics page to register. */
export const deliveriesEnded = new Counter({
  name: "suncrew_deliveries_total",
  help: "Tries of this server to send a message, by channel and outcome",
  labelNames: ["channel", "outcome"],
  registers: [],
});

/** The signed links of a message; null where people cannot reach Suncrew by an address that it knows. */
export interface MessageLinks {
  readonly acknowledgeUrl: string | null;
  readonly unsubscribeUrl: string | null;
}

interface RunnerDependencies extends Pick<Dependencies, "db" | "clock" | "log"> {
  readonly settings: Pick<Dependencies["settings"], "publicUrl">;
  /** Sends once; null if the contact point's secrets cannot be opened. Throws only if the signal aborts. */
  readonly send: (to: SendingContact, message: Message, signal: AbortSignal) => Promise<SendOutcome | null>;
  readonly linksOf?: (delivery: ClaimedDelivery, now: Date) => MessageLinks;
  /** Writes what is no alert, such as a digest; null if there is nothing to tell. */
  readonly compose?: (delivery: ClaimedDelivery, frame: MessageFrame) => Message | null;
  /** Called in the transaction that stores how a try ended. */
  readonly onEnd?: (tx: Tx, delivery: ClaimedDelivery, end: TryEnd, now: Date) => Promise<void>;
}

/**
 * Sends what is due, on every server, several messages at a time and one to each address. What a server had claimed
 * when it died is sent by another when the lease ends, with the same id: rather twice than never.
 */
export class DeliveryRunner extends PeriodicTasks {
  readonly #deps: RunnerDependencies;
  /** By contact point. */
  readonly #sending = new Map<number, Promise<void>>();
  /** Those of them that are slow. */
  readonly #slow = new Set<number>();
  #stopping = new AbortController();
  #isWoken = false;

  constructor(deps: RunnerDependencies) {
    super(deps, [{ name: "deliveries", everyMs: CHECK_EVERY_MS, work: () => this.#begin() }]);
    this.#deps = deps;
  }

  override async start(): Promise<void> {
    this.#stopping = new AbortController();
    await super.start();
  }

  /** Messages in progress are left to the other servers. */
  override async stop(): Promise<void> {
    this.#stopping.abort();
    await super.stop();
    await Promise.all(this.#sending.values());
  }

  /** There may be something to send. */
  wake(): void {
    this.#isWoken = true;
    void this.run("deliveries");
  }

  /** Sends everything that is due; resolves when it is stored. */
  override async runOnce(): Promise<void> {
    for (;;) {
      await this.run("deliveries");
      if (this.#sending.size === 0) return;
      await Promise.all(this.#sending.values());
    }
  }

  /** Begins to send as many as this server may send at a time. */
  async #begin(): Promise<void> {
    do {
      this.#isWoken = false;
      const { db, clock } = this.#deps;
      const count = Math.min(AT_ONCE + this.#slow.size, AT_MOST) - this.#sending.size;
      if (count <= 0 || this.#stopping.signal.aborted) return;
      const busy = [...this.#sending.keys()];
      const claims = await inTransaction(db, (tx) => claimDeliveries(tx, { count, busy, now: clock.now() }));
      for (const claim of claims) {
        const cancel = clock.after(SLOW_MS, () => {
          this.#slow.add(claim.contactId);
          this.wake();
        });
        const sending = this.#deliver(claim).finally(() => {
          cancel();
          this.#slow.delete(claim.contactId);
          this.#sending.delete(claim.contactId);
          // Its place, and its contact point, are free for the next one.
          this.wake();
        });
        this.#sending.set(claim.contactId, sending);
      }
    } while (this.#isWoken);
  }

  async #deliver(claim: ClaimedDelivery): Promise<void> {
    const { db, clock, log, onEnd } = this.#deps;
    try {
      const end = await this.#try(claim);
      if (end === null) return await releaseClaim(db, claim, clock.now());
      if (end.status === "HELD") {
        return await inTransaction(db, (tx) => holdClaim(tx, claim, end.until, clock.now()));
      }
      await inTransaction(db, async (tx) => {
        if (!(await storeEnd(tx, claim, end, clock.now()))) return;
        if (end.status === "SENT") await forgetAtSameAddress(tx, claim.id, clock.now());
        if (end.status === "FAILED") await switchOffGone(tx, claim.contactId, end.reason, clock.now());
        await onEnd?.(tx, claim, end, clock.now());
      });
      deliveriesEnded.inc({ channel: claim.channel, outcome: outcomeNames[end.status] });
    } catch (error) {
      // It is tried again when the lease ends.
      log.error({ error, deliveryId: claim.id }, "failed to store what became of a message");
    }
  }

  /** Null if this server stops. */
  async #try(claim: ClaimedDelivery): Promise<TryEnd | { readonly status: "HELD"; readonly until: Date } | null> {
    const { db, clock } = this.#deps;
    const contact = await readSendingContact(db, claim.contactId);
    const gone = goneReason(contact);
    if (contact === null || gone !== null) return dropped(gone ?? deliveryTexts.text("CONTACT_POINT_DELETED", {}));
    const { attempt, createdAt, heldUntil, failure } = claim;
    // It has ended one server after another.
    const last = { failedAttempts: attempt - 1, createdAt, heldUntil, now: clock.now() };
    if (attempt > 1 && failure === null && deliveryRetryTime(last) === null) {
      return { status: "FAILED", reason: deliveryTexts.text("SERVERS_STOPPED", {}) };
    }
    const message = await this.#write(claim, contact);
    if ("none" in message) return dropped(message.none);
    const { title, severity } = message;
    // It may have become quiet since it was planned; what somebody sends by hand goes out.
    const isPiercing = contact.criticalPierces && severity === "CRITICAL";
    const quietEnd = attempt > 1 || heldUntil !== null ? quietUntil(contact, clock.now()) : null;
    if (quietEnd !== null && !isPiercing) return { status: "HELD", until: quietEnd };
    const text = messageAsText(message, "without links");
    if (!(await storeText(db, claim, { title, severity, text }))) return null;
    const outcome = await this.#send(claim, contact, message);
    switch (outcome?.outcome) {
      case undefined:
        return null;
      case "DELIVERED":
        return { status: "SENT", reference: outcome.reference ?? null };
      case "REFUSED":
        return { status: "FAILED", reason: outcome.reason };
      case "RETRY": {
        const { reason, afterMs } = outcome;
        const now = clock.now();
        const retryAt = deliveryRetryTime({ failedAttempts: attempt, createdAt, heldUntil, now, afterMs });
        return retryAt === null ? { status: "FAILED", reason } : { status: "WAITING", reason, retryAt };
      }
    }
  }

  /** As it is now, or why there is nothing to tell. */
  async #write(claim: ClaimedDelivery, contact: SendingContact): Promise<Message | { readonly none: CodedText }> {
    const { db, clock, settings, linksOf, compose } = this.#deps;
    const now = clock.now();
    const publicUrl = settings.publicUrl?.() ?? null;
    const frame = { id: claim.id, url: null, footer: "", timezone: contact.timezone, now, ...linksOf?.(claim, now) };
    if (claim.kind !== "ALERTS" && claim.kind !== "CLEARED") {
      return compose?.(claim, { ...frame, acknowledgeUrl: null }) ?? { none: deliveryTexts.text("MESSAGE_EMPTY", {}) };
    }
    const { told, isOutOfSight } = await inTransaction(db, (tx) => settleContent(tx, claim, now));
    const alerts = told.map(({ alert }) => alert);
    if (told.length === 0) {
      const over = claim.kind === "ALERTS" ? "ALERTS_OVER" : "NOBODY_TOLD";
      return { none: deliveryTexts.text(isOutOfSight ? "OUT_OF_SIGHT" : over, {}) };
    }
    const ids = alerts.map(({ id }) => id);
    const footer = footerOf(await readReasons(db, claim.contactId, ids));
    const framed = { ...frame, url: pageOf(alerts, publicUrl), footer };
    const lines = told.map(({ alert, again }) => toldAlert(alert, publicUrl, again));
    return claim.kind === "ALERTS"
      ? alertsMessage(framed, lines)
      : clearedMessage({ ...framed, acknowledgeUrl: null }, lines);
  }

  /** Null if this server stops. */
  async #send(claim: ClaimedDelivery, contact: SendingContact, message: Message): Promise<SendOutcome | null> {
    const { clock, log, send } = this.#deps;
    const limit = new AbortController();
    const cancel = clock.after(SEND_LIMIT_MS, () => limit.abort());
    const signal = AbortSignal.any([limit.signal, this.#stopping.signal]);
    try {
      const outcome = await send(contact, message, signal);
      return outcome ?? refused(deliveryTexts.text("SECRET_MISSING", {}));
    } catch (error) {
      if (limit.signal.aborted) return retry(deliveryTexts.text("SEND_TOO_SLOW", {}));
      if (this.#stopping.signal.aborted) return null;
      log.error({ error, deliveryId: claim.id }, "failed to send a message");
      return retry(deliveryTexts.text("SEND_FAILED", {}));
    } finally {
      cancel();
    }
  }
}

const outcomeNames = { SENT: "sent", WAITING: "retried", FAILED: "given_up", DROPPED: "dropped" } as const;

const dropped = (reason: CodedText): TryEnd => ({ status: "DROPPED", reason });

/** Why nothing is sent to a contact point any more; null while it is. */
function goneReason(contact: SendingContact | null): CodedText | null {
  if (contact === null || contact.isDeleted) return deliveryTexts.text("CONTACT_POINT_DELETED", {});
  if (!contact.enabled) return deliveryTexts.text("CONTACT_POINT_OFF", {});
  return contact.isUnsubscribed ? deliveryTexts.text("UNSUBSCRIBED", {}) : null;
}
