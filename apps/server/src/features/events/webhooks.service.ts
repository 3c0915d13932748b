import { TEST_EVENT_TYPE } from "@suncrew/contract/events/event-types.ts";
import {
  type createWebhook,
  type eventDeliveryList,
  type replaceWebhookSecret,
  type replayEventDelivery,
  type replayWebhook,
  type testWebhook,
  type updateWebhook,
  type Webhook,
  WEBHOOKS_MAX,
} from "@suncrew/contract/events/webhook-endpoints.ts";
import type { BodyOf, QueryOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import { webhookTexts } from "@suncrew/domain/events/webhook-texts.ts";
import { deliveryTexts } from "@suncrew/domain/notifications/delivery-texts.ts";
import { destinationProblem, shownAddress } from "@suncrew/domain/notifications/destination.ts";
import { v7 as uuidv7 } from "uuid";
import { anyInt, type Tx } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/transactions.ts";
import type { Dependencies, Settings } from "../../platform/dependencies.ts";
import { conflict, editConflict, HttpError, invalid, notFound } from "../../platform/http/http-error.ts";
import type { OutgoingHttp } from "../../platform/outgoing-http.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { auditedChange, type ChangeDetails, recordChange } from "../audit/public.ts";
import { callWebhook, FORMER_SECRET_HOURS, newSigningSecret } from "../notifications/public.ts";
import {
  giveUpWaiting,
  readDeliveries,
  readDelivery,
  replayDelivery,
  replayFailed,
} from "./event-deliveries.repository.ts";
import {
  changeWebhook,
  disableGone,
  healthy,
  insertWebhook,
  lockOtherNames,
  lockWebhook,
  nextWebhookId,
  readWebhook,
  readWebhooks,
  signingSecrets,
  type WebhookRow,
  WebhookSeal,
  type WebhookSecrets,
} from "./webhooks.repository.ts";

type Body = BodyOf<typeof updateWebhook>;

interface ServiceDependencies extends Pick<Dependencies, "db" | "clock"> {
  readonly settings: Pick<Settings, "secretKey">;
}

/** Webhooks and their deliveries; the permission table admits only Super Admins here. */
export class WebhooksService {
  readonly #deps: ServiceDependencies;
  readonly #http: OutgoingHttp;
  readonly #seal: WebhookSeal;

  constructor(deps: ServiceDependencies, http: OutgoingHttp) {
    this.#deps = deps;
    this.#http = http;
    this.#seal = new WebhookSeal(deps.settings);
  }

  list(): Promise<Webhook[]> {
    return readWebhooks(this.#deps.db, this.#deps.clock.now());
  }

  /** Newest first, also those of a webhook that was deleted. Throws 404 for one that there never was. */
  async deliveries(choice: QueryOf<typeof eventDeliveryList>): Promise<ResponseOf<typeof eventDeliveryList>> {
    const { webhook_id: id } = choice;
    if (id !== undefined) {
      const known = await this.#deps.db.selectFrom("webhooks").select("id").where("id", "=", id).executeTakeFirst();
      if (known === undefined) throw notFound("Webhook");
    }
    return readDeliveries(this.#deps.db, choice);
  }

  /** Throws 400 with the field named, and 409 for a name that is taken or one webhook too many. */
  async create(viewer: Viewer, body: BodyOf<typeof createWebhook>): Promise<ResponseOf<typeof createWebhook>> {
    const at = this.#deps.clock.now();
    const change = { actor: viewer, action: "CREATE_WEBHOOK", entity: "webhook", at };
    return auditedChange(this.#deps.db, change, async (tx, details) => {
      const host = hostOf(body.url);
      const content = { ...contentOf(body), host };
      details.after = content;
      const others = await lockOtherNames(tx, null);
      if (others.length >= WEBHOOKS_MAX)
        throw conflict("WEBHOOKS_LIMIT", `There are ${WEBHOOKS_MAX} webhooks already.`);
      refuseTakenName(body.name, others);
      await refuseUnknownPlaces(tx, body);
      const id = await nextWebhookId(tx);
      const signing_secret = newSigningSecret();
      const secret = this.#seal.seal(id, { url: body.url, signing_secret });
      await insertWebhook(tx, { id, ...content, secret, created_at: at });
      details.entityId = id;
      return { message: `The webhook ${body.name} was added.`, webhookId: id, signing_secret };
    });
  }

  /** Throws the same, 404, and 409 after a concurrent edit. What waits for one that is disabled is given up. */
  async update(viewer: Viewer, webhookId: number, body: Body): Promise<ResponseOf<typeof updateWebhook>> {
    await this.#change(viewer, "UPDATE_WEBHOOK", webhookId, async ({ tx, webhook, details, at }) => {
      const url = body.url || null;
      const host = url === null ? webhook.host : hostOf(url);
      const content = { ...contentOf(body), host };
      details.after = content;
      if (body.version !== undefined && body.version !== webhook.version) throw editConflict("webhook");
      refuseTakenName(body.name, await lockOtherNames(tx, webhookId));
      await refuseUnknownPlaces(tx, body);
      const isFresh = url !== null || (body.enabled && !webhook.enabled);
      await changeWebhook(tx, webhookId, {
        ...content,
        ...(url !== null && { secret: this.#seal.seal(webhookId, { ...this.#secretsOf(webhook), url }) }),
        ...(isFresh && healthy),
        ...(body.enabled && { disabled_reason: null, disabled_reason_code: null }),
      });
      if (!body.enabled)
        await giveUpWaiting(tx, webhookId, webhookTexts.text("WEBHOOK_DISABLED", { by: viewer.name }), at);
    });
    return { message: `The webhook ${body.name} was changed.` };
  }

  /** Throws 404. What was sent to it stays in the list. */
  async delete(viewer: Viewer, webhookId: number): Promise<{ readonly message: string }> {
    const name = await this.#change(viewer, "DELETE_WEBHOOK", webhookId, async ({ tx, webhook, at }) => {
      await changeWebhook(tx, webhookId, { deleted_at: at, enabled: false, secret: "" });
      await giveUpWaiting(tx, webhookId, webhookTexts.text("WEBHOOK_DELETED", { by: viewer.name }), at);
      return webhook.name;
    });
    return { message: `The webhook ${name} was deleted.` };
  }

  /** Throws 404. Calls are signed with the former secret as well for a day. */
  async replaceSecret(viewer: Viewer, webhookId: number): Promise<ResponseOf<typeof replaceWebhookSecret>> {
    const signing_secret = newSigningSecret();
    await this.#change(viewer, "REPLACE_WEBHOOK_SECRET", webhookId, async ({ tx, webhook, at }) => {
      const { url, signing_secret: former_signing_secret } = this.#secretsOf(webhook);
      const until = new Date(at.getTime() + FORMER_SECRET_HOURS * 3_600_000);
      const secrets = { url, signing_secret, former_signing_secret, former_until: until.toISOString() };
      await changeWebhook(tx, webhookId, { secret: this.#seal.seal(webhookId, secrets), former_secret_until: until });
    });
    return { message: "The webhook has a new signing secret.", signing_secret };
  }

  /** Sends a test event now; a webhook that says that it is gone is disabled, as after any other event. Throws 404. */
  async test(viewer: Viewer, webhookId: number, signal: AbortSignal): Promise<ResponseOf<typeof testWebhook>> {
    const { db, clock } = this.#deps;
    const webhook = await readWebhook(db, webhookId);
    if (webhook === null) throw notFound("Webhook");
    const at = clock.now();
    const body = JSON.stringify({
      type: TEST_EVENT_TYPE,
      timestamp: at.toISOString(),
      data: { webhook: { id: webhook.id, name: webhook.name }, requested_by: viewer.name },
    });
    const secrets = this.#seal.open(webhook);
    const outcome =
      secrets === null
        ? { outcome: "REFUSED" as const, reason: deliveryTexts.text("SECRET_MISSING", {}) }
        : await callWebhook(
            this.#http,
            clock,
            { id: uuidv7(), url: secrets.url, body, secrets: signingSecrets(secrets, at) },
            signal,
          );
    const failure = outcome.outcome === "DELIVERED" ? null : outcome.reason;
    await inTransaction(db, async (tx) => {
      await recordChange(tx, {
        actor: viewer,
        action: "TEST_WEBHOOK",
        entity: "webhook",
        entityId: webhookId,
        after: { name: webhook.name, delivered: failure === null },
        ...(failure !== null && { outcome: "FAILED", reason: failure.text }),
        at,
      });
      if (failure !== null) await disableGone(tx, webhook, failure, at);
    });
    return { delivered: failure === null, message: failure?.text ?? `${webhook.host} took the test event.` };
  }

  /** Throws 404, and 409 for a webhook that is disabled. */
  async replay(viewer: Viewer, webhookId: number, since: Date): Promise<ResponseOf<typeof replayWebhook>> {
    const replayed = await this.#change(viewer, "REPLAY_EVENTS", webhookId, async ({ tx, webhook, details }) => {
      refuseDisabled(webhook);
      const count = await replayFailed(tx, webhookId, since);
      details.before = null;
      details.after = { name: webhook.name, since: since.toISOString(), events: count };
      return count;
    });
    return { message: replayed === 1 ? "1 event is sent again." : `${replayed} events are sent again.`, replayed };
  }

  /** Throws 404, and 409 for a webhook that is disabled and for what waits to be sent again already. */
  async replayOne(viewer: Viewer, deliveryId: string): Promise<ResponseOf<typeof replayEventDelivery>> {
    const delivery = await readDelivery(this.#deps.db, deliveryId);
    if (delivery === null) throw notFound("Event delivery");
    await this.#change(viewer, "REPLAY_EVENT", delivery.webhook_id, async ({ tx, webhook, details }) => {
      refuseDisabled(webhook);
      details.before = null;
      details.after = { name: webhook.name, event: delivery.event_id, type: delivery.type };
      if (await replayDelivery(tx, deliveryId)) return;
      throw conflict("EVENT_ON_ITS_WAY", "The event is waiting to be sent again already.");
    });
    return { message: "The event is sent again." };
  }

  /** Throws 404. */
  async #change<T>(
    viewer: Viewer,
    action: string,
    webhookId: number,
    work: (change: WebhookChange) => Promise<T>,
  ): Promise<T> {
    const at = this.#deps.clock.now();
    const change = { actor: viewer, action, entity: "webhook", entityId: webhookId, at };
    return auditedChange(this.#deps.db, change, async (tx, details) => {
      const webhook = await lockWebhook(tx, webhookId);
      if (webhook === null) throw notFound("Webhook");
      details.before = { ...contentOf(webhook), host: webhook.host };
      return work({ tx, webhook, details, at });
    });
  }

  /** One whose secrets cannot be read gets new ones with a new address. */
  #secretsOf(webhook: WebhookRow): WebhookSecrets {
    return this.#seal.open(webhook) ?? { url: "", signing_secret: newSigningSecret() };
  }
}

interface WebhookChange {
  readonly tx: Tx;
  readonly webhook: WebhookRow;
  readonly details: ChangeDetails;
  readonly at: Date;
}

/** What may be read of it, and recorded. */
function contentOf({ name, event_types, site_ids, partner_ids, enabled }: Omit<Body, "url"> | WebhookRow) {
  return { name, event_types, site_ids, partner_ids, enabled };
}

/** Throws 400. */
function hostOf(url: string): string {
  const problem = destinationProblem("WEBHOOK", { url });
  if (problem !== null) throw invalid("url", problem.message);
  return shownAddress("WEBHOOK", { url }) ?? "";
}

function refuseTakenName(name: string, others: readonly string[]): void {
  const keyOf = (text: string) => text.trim().toLowerCase();
  if (!others.some((other) => keyOf(other) === keyOf(name))) return;
  const message = "Another webhook has this name. Please choose a different one.";
  throw new HttpError(409, "WEBHOOK_NAME_TAKEN", message, { errors: [{ field: "name", message }] });
}

async function refuseUnknownPlaces(tx: Tx, { site_ids, partner_ids }: Body): Promise<void> {
  const sites = await tx.selectFrom("sites").select("id").where("id", "=", anyInt(site_ids)).execute();
  if (sites.length < new Set(site_ids).size) throw invalid("site_ids", "One of the sites does not exist.");
  const partners = await tx.selectFrom("partners").select("id").where("id", "=", anyInt(partner_ids)).execute();
  if (partners.length < new Set(partner_ids).size) throw invalid("partner_ids", "One of the partners does not exist.");
}

function refuseDisabled({ enabled, name }: WebhookRow): void {
  if (!enabled) throw conflict("WEBHOOK_DISABLED", `The webhook ${name} is disabled. Enable it first.`);
}
