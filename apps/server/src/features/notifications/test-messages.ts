import { randomUUID } from "node:crypto";
import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import type { ChannelKind, testContactPoint } from "@suncrew/contract/notifications/contact-points.ts";
import { deliveryTexts } from "@suncrew/domain/notifications/delivery-texts.ts";
import { type Message, messageAsText, testMessage } from "@suncrew/domain/notifications/message.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { HttpError, notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { auditedChange } from "../audit/public.ts";
import { channelsOf } from "./channels/all-channels.ts";
import { type Channel, refused, retry, type SendOutcome } from "./channels/channel.ts";
import { lockContactPoint } from "./contact-points.queries.ts";
import { storeTest, switchOffGone } from "./contact-points.repository.ts";
import { contactSeal, destinationOf } from "./contact-secrets.ts";

/** Each person may send this many in a minute through one server: enough to find a mistake, too few to annoy anybody. */
export const TESTS_PER_MINUTE = 10;
const MINUTE_MS = 60_000;
/** The caller waits for the answer. */
const SEND_LIMIT_MS = 20_000;

/** What a service that took the message has said with it: only some of them know that it arrived. */
const acceptedText: Readonly<Record<ChannelKind, (address: string) => string>> = {
  EMAIL: (address) => `The mail server accepted it for ${address}.`,
  SLACK: (address) => `It was delivered to ${address}.`,
  TEAMS: (address) => `Microsoft Teams accepted it at ${address}.`,
  TELEGRAM: (address) => `It was delivered to the chat ${address}.`,
  WHATSAPP: (address) => `WhatsApp accepted it for ${address}.`,
  WEBHOOK: (address) => `It was delivered to ${address}.`,
};

type LockedContactPoint = NonNullable<Awaited<ReturnType<typeof lockContactPoint>>>;

/** Sends a test to a contact point at once, past the queue, and tells what its service answered. */
export class TestMessages {
  readonly #deps: Dependencies;
  readonly #channels: ReadonlyMap<ChannelKind, Channel>;
  readonly #budget: Budget;

  constructor(deps: Dependencies) {
    this.#deps = deps;
    this.#channels = channelsOf(deps);
    this.#budget = new Budget(deps.clock);
  }

  /** Throws 404 for a contact point that is not the viewer's, and 429 after too many tests. */
  async send(viewer: Viewer, contactPointId: number): Promise<ResponseOf<typeof testContactPoint>> {
    const { db, clock, settings } = this.#deps;
    const row = await db.transaction().execute((tx) => lockContactPoint(viewer, tx, contactPointId));
    if (row === null) throw notFound("Contact point");
    if (row.unsubscribed_at !== null) {
      return { delivered: false, message: "Its recipient has unsubscribed. Switch it on again first." };
    }
    if (!this.#budget.take(viewer.userId)) {
      throw new HttpError(429, "TEST_MESSAGES_LIMITED", "You have sent many tests. Try again in a minute.");
    }
    const publicUrl = settings.publicUrl?.() ?? null;
    const frame = {
      id: randomUUID(),
      url: publicUrl === null ? null : new URL("/notifications", publicUrl).href,
      footer: `You get this because ${viewer.name} tests this contact point.`,
      timezone: row.timezone,
      now: clock.now(),
    };
    const message = testMessage(frame, row.name);
    // No transaction is open meanwhile.
    const outcome = await this.#sent(row, message);
    await this.#record(viewer, row, message, outcome);
    return outcome.outcome === "DELIVERED"
      ? { delivered: true, message: acceptedText[row.channel](row.address) }
      : { delivered: false, message: outcome.reason.text };
  }

  async #sent(row: LockedContactPoint, message: Message): Promise<SendOutcome> {
    const destination = destinationOf(row, contactSeal(this.#deps.settings), this.#deps.clock.now());
    if (destination === null) return refused(deliveryTexts.text("SECRET_MISSING", {}));
    const channel = this.#channels.get(row.channel);
    if (channel === undefined) return refused(deliveryTexts.text("CHANNEL_NOT_SET_UP", {}));
    const signal = AbortSignal.timeout(SEND_LIMIT_MS);
    try {
      return await channel.send(message, destination, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      return retry(deliveryTexts.text("SERVICE_SILENT", { service: row.address, code: "ETIMEDOUT" }));
    }
  }

  async #record(viewer: Viewer, row: LockedContactPoint, message: Message, outcome: SendOutcome): Promise<void> {
    const at = this.#deps.clock.now();
    const reason = outcome.outcome === "DELIVERED" ? null : outcome.reason;
    const change = {
      actor: viewer,
      action: "TEST_CONTACT_POINT",
      entity: "contact_point",
      entityId: row.id,
      siteId: row.site_id,
      after: { name: row.name, owner: row.owner_name, delivered: reason === null },
      at,
    };
    await auditedChange(this.#deps.db, change, async (tx, details) => {
      if (reason !== null) details.reason = reason.text;
      const delivery = {
        id: message.id,
        message_kind: message.kind,
        contact_point_id: row.id,
        channel: row.channel,
        contact_point_name: row.name,
        told: row.owner_name,
        address: row.address,
        title: message.title,
        text: messageAsText(message, "without links"),
        status: reason === null ? "SENT" : "FAILED",
        reference: outcome.outcome === "DELIVERED" ? (outcome.reference ?? null) : null,
        attempts: 1,
        created_at: message.at,
        settled_at: at,
      } as const;
      await storeTest(tx, delivery, reason, at);
      if (reason !== null) await switchOffGone(tx, row.id, reason, at);
    });
  }
}

/** Counts the tests of each person in the last minute. */
class Budget {
  readonly #clock: Clock;
  readonly #taken = new Map<number, readonly number[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  take(userId: number): boolean {
    const nowMs = this.#clock.monotonicMs();
    for (const [id, times] of this.#taken) {
      const recent = times.filter((ms) => ms > nowMs - MINUTE_MS);
      if (recent.length === 0) this.#taken.delete(id);
      else this.#taken.set(id, recent);
    }
    const times = this.#taken.get(userId) ?? [];
    if (times.length >= TESTS_PER_MINUTE) return false;
    this.#taken.set(userId, [...times, nowMs]);
    return true;
  }
}
