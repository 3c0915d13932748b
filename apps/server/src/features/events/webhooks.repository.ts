import type { Webhook } from "@suncrew/contract/events/webhook-endpoints.ts";
import { eventTypeSchema } from "@suncrew/contract/events/event-types.ts";
import type { CodedText } from "@suncrew/contract/http/coded-text.ts";
import { webhookTexts } from "@suncrew/domain/events/webhook-texts.ts";
import { type Insertable, type Selectable, sql, type Updateable } from "kysely";
import { z } from "zod";
import type { Executor, Tx } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/tables.ts";
import type { Settings } from "../../platform/dependencies.ts";
import { SealedSecrets } from "../../platform/sealed-secrets.ts";
import { recordChange, suncrew } from "../audit/public.ts";
import { giveUpWaiting } from "./event-deliveries.repository.ts";

export type WebhookRow = Selectable<Tables["webhooks"]>;

const secretsSchema = z.object({
  url: z.string(),
  signing_secret: z.string(),
  /** The one that was replaced, which signs as well until `former_until`. */
  former_signing_secret: z.string().optional(),
  former_until: z.iso.datetime().optional(),
});
/** What a webhook has that is never shown again. */
export type WebhookSecrets = z.output<typeof secretsSchema>;

/** Keeps them in rows, encrypted with a key that is not in the database. */
export class WebhookSeal {
  readonly #sealed: SealedSecrets;

  constructor({ secretKey }: Pick<Settings, "secretKey">) {
    this.#sealed = new SealedSecrets(secretKey, "webhooks");
  }

  seal(webhookId: number, secrets: WebhookSecrets): string {
    return this.#sealed.seal(`webhook ${webhookId}`, JSON.stringify(secrets));
  }

  /** Null if they cannot be read, such as after SECRET_KEY has changed. */
  open({ id, secret }: Pick<WebhookRow, "id" | "secret">): WebhookSecrets | null {
    const text = this.#sealed.open(`webhook ${id}`, secret);
    return text === null ? null : secretsSchema.parse(JSON.parse(text));
  }
}

/** What a call as of `now` is signed with, the current secret first. */
export function signingSecrets(secrets: WebhookSecrets, now: Date): string[] {
  const { signing_secret: current, former_signing_secret: former, former_until: until } = secrets;
  const isFormerValid = former !== undefined && until !== undefined && Date.parse(until) > now.getTime();
  return isFormerValid ? [current, former] : [current];
}

const existing = (db: Executor) => db.selectFrom("webhooks").where("deleted_at", "is", null);

export async function readWebhooks(db: Executor, now: Date): Promise<Webhook[]> {
  const rows = await existing(db)
    .selectAll()
    .select(
      sql<number>`(select count(*)::int from event_deliveries d
        where d.webhook_id = webhooks.id and d.status = 'WAITING')`.as("waiting"),
    )
    .orderBy(sql`lower(name)`)
    .orderBy("id")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    host: row.host,
    // A newer server may know more types.
    event_types: row.event_types?.flatMap((type) => eventTypeSchema.safeParse(type).data ?? []) ?? null,
    site_ids: row.site_ids,
    partner_ids: row.partner_ids,
    enabled: row.enabled,
    disabled_reason: row.disabled_reason,
    last_sent_at: row.last_sent_at?.toISOString() ?? null,
    failing: row.failing_since && {
      since: row.failing_since.toISOString(),
      reason: row.failure_reason ?? "",
      reason_code: row.failure_reason_code ?? "",
    },
    waiting: row.waiting,
    former_secret_until:
      row.former_secret_until && row.former_secret_until > now ? row.former_secret_until.toISOString() : null,
    created_at: row.created_at.toISOString(),
    version: row.version,
  }));
}

/** Null if it does not exist any more. */
export async function readWebhook(db: Executor, webhookId: number): Promise<WebhookRow | null> {
  return (await existing(db).selectAll().where("id", "=", webhookId).executeTakeFirst()) ?? null;
}

/** The same, locked for this transaction. */
export async function lockWebhook(tx: Tx, webhookId: number): Promise<WebhookRow | null> {
  return (await existing(tx).selectAll().where("id", "=", webhookId).forNoKeyUpdate().executeTakeFirst()) ?? null;
}

/** The names of the others. Whoever adds or renames one is alone meanwhile. */
export async function lockOtherNames(tx: Tx, exceptId: number | null): Promise<string[]> {
  await sql`lock table webhooks in share row exclusive mode`.execute(tx);
  const rows = await existing(tx)
    .select("name")
    .$if(exceptId !== null, (query) => query.where("id", "!=", exceptId ?? 0))
    .execute();
  return rows.map(({ name }) => name);
}

export async function nextWebhookId(tx: Tx): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('webhooks', 'id'))::int as id`.execute(tx);
  return rows[0]?.id ?? 0;
}

export async function insertWebhook(tx: Tx, row: Insertable<Tables["webhooks"]>): Promise<void> {
  await tx.insertInto("webhooks").values(row).execute();
}

export async function changeWebhook(db: Executor, webhookId: number, change: Updateable<Tables["webhooks"]>) {
  await db
    .updateTable("webhooks")
    .set({ ...change, version: sql<number>`version + 1` })
    .where("id", "=", webhookId)
    .execute();
}

/** Noted no more often than this while all goes well, so that a busy webhook's row is not written with each event. */
const SENT_NOTED_EVERY_MS = 5_000;

/** How its tries go, as stored while none fails. */
export const healthy = {
  failing_since: null,
  failure_reason: null,
  failure_reason_code: null,
  paused_until: null,
} as const satisfies Updateable<Tables["webhooks"]>;

export async function noteSent(db: Executor, webhookId: number, now: Date): Promise<void> {
  const noted = new Date(now.getTime() - SENT_NOTED_EVERY_MS);
  await db
    .updateTable("webhooks")
    .set({ ...healthy, last_sent_at: now })
    .where("id", "=", webhookId)
    .where((eb) =>
      eb.or([eb("failing_since", "is not", null), eb("last_sent_at", "is", null), eb("last_sent_at", "<", noted)]),
    )
    .execute();
}

/** `pausedUntil` is when it may be called again; a later end of a pause stays. */
export async function noteFailed(
  db: Executor,
  webhookId: number,
  { reason, pausedUntil, now }: { readonly reason: CodedText; readonly pausedUntil: Date | null; readonly now: Date },
): Promise<void> {
  await db
    .updateTable("webhooks")
    .set({
      failing_since: sql<Date>`coalesce(failing_since, ${now})`,
      failure_reason: reason.text,
      failure_reason_code: reason.code,
      paused_until: sql<Date | null>`greatest(paused_until, ${pausedUntil}::timestamptz)`,
    })
    .where("id", "=", webhookId)
    .execute();
}

/**
 * Disables a webhook whose call failed because its receiver is gone, and gives up what waits for it, on record; for any
 * other `failure` does nothing. Answers how many events were given up.
 */
export async function disableGone(
  tx: Tx,
  { id, name }: Pick<WebhookRow, "id" | "name">,
  failure: CodedText,
  at: Date,
): Promise<number> {
  if (failure.code !== "WEBHOOK_GONE") return 0;
  const row = await lockWebhook(tx, id);
  if (row === null || !row.enabled) return 0;
  const reason = webhookTexts.text("WEBHOOK_SAID_GONE", {});
  await changeWebhook(tx, id, {
    enabled: false,
    disabled_reason: reason.text,
    disabled_reason_code: reason.code,
  });
  await recordChange(tx, {
    actor: suncrew,
    action: "DISABLE_WEBHOOK",
    entity: "webhook",
    entityId: id,
    before: { name, enabled: true },
    after: { name, enabled: false },
    reason: reason.text,
    at,
  });
  return giveUpWaiting(tx, id, reason, at);
}
