import { channelFailingAlert } from "@suncrew/domain/alerts/server-alerts.ts";
import type { MessageKind } from "@suncrew/contract/notifications/deliveries.ts";
import { digestContentSchema, summaryContentSchema } from "@suncrew/contract/notifications/regular-content.ts";
import type { Message, MessageFrame } from "@suncrew/domain/notifications/message.ts";
import { isQuiet, quietUntil } from "@suncrew/domain/notifications/quiet-hours.ts";
import { digestMessage, summaryMessage } from "@suncrew/domain/notifications/regular-messages.ts";
import type { Executor, Tx } from "../../platform/database/database.ts";
import { inSavepoint, inTransaction } from "../../platform/database/transactions.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { PeriodicTasks } from "../../platform/periodic-task.ts";
import { keepServerAlert } from "../alerts/public.ts";
import {
  claimRegular,
  queueRegular,
  readDigest,
  readFailingContacts,
  readFailingWebhooks,
  readNights,
  readSight,
  type RegularContact,
} from "./regular-messages.repository.ts";

const CHECK_EVERY_MS = 60_000;
const CHANNELS_EVERY_MS = 10_000;
/** In one transaction, so that none holds rows for long. */
const BATCH = 50;

/** Writes a message from what was stored when it was queued; null for what an older or newer server stored otherwise. */
export function composeRegular(
  { kind, content }: { readonly kind: MessageKind; readonly content: unknown },
  frame: MessageFrame,
  publicUrl: string | null,
): Message | null {
  const url = publicUrl === null ? null : new URL("/dashboard", publicUrl).href;
  const framed = { ...frame, url, footer: "You get this each day because this contact point asks for it." };
  if (kind === "DIGEST") {
    const digest = digestContentSchema.safeParse(content);
    return digest.success ? digestMessage(framed, digest.data) : null;
  }
  const summary = summaryContentSchema.safeParse(content);
  return kind === "SUMMARY" && summary.success ? summaryMessage(framed, summary.data) : null;
}

interface RegularDependencies extends Pick<Dependencies, "db" | "clock" | "log"> {
  readonly settings: Pick<Dependencies["settings"], "publicUrl">;
}

/**
 * Queues digests of the last day and summaries of last night, for contact points that want them, each day once; and
 * raises the alert about contact points and webhooks that nothing reaches, which others are told of.
 */
export class RegularMessages extends PeriodicTasks {
  readonly #deps: RegularDependencies;

  constructor(deps: RegularDependencies) {
    const { db, clock } = deps;
    const readAlert = async (executor: Executor) => {
      const contacts = await readFailingContacts(executor);
      const webhooks = await readFailingWebhooks(executor, clock.now());
      return contacts.length + webhooks.length === 0 ? null : channelFailingAlert(contacts, webhooks);
    };
    super(deps, [
      { name: "regular messages", everyMs: CHECK_EVERY_MS, work: (stopping) => this.#queueDue(stopping) },
      {
        name: "channel alert",
        everyMs: CHANNELS_EVERY_MS,
        work: () => keepServerAlert(db, "CHANNEL_FAILING", readAlert, clock.now()),
      },
    ]);
    this.#deps = deps;
  }

  async #queueDue(stopping: AbortSignal): Promise<void> {
    const { db, clock, log, settings } = this.#deps;
    const publicUrl = settings.publicUrl?.() ?? null;
    for (const kind of ["DIGEST", "SUMMARY"] as const) {
      for (let more = true; more && !stopping.aborted;) {
        more = await inTransaction(db, async (tx) => {
          const now = clock.now();
          const contacts = await claimRegular(tx, kind, now, BATCH);
          for (const contact of contacts) {
            // Today's of one that cannot be written is left out: it counts as done, so that it holds up nobody else's.
            const failed = await inSavepoint(tx, () => queueOne(tx, kind, contact, { now, publicUrl }));
            if (failed !== null) {
              log.error({ ...failed, kind, contactPointId: contact.id }, "a regular message could not be written");
            }
          }
          return contacts.length === BATCH;
        });
      }
    }
  }
}

async function queueOne(
  tx: Tx,
  kind: "DIGEST" | "SUMMARY",
  contact: RegularContact,
  { now, publicUrl }: { readonly now: Date; readonly publicUrl: string | null },
): Promise<void> {
  // When a day off is over, it would tell of a night that is no longer the last one, beside that of the next day.
  if (isQuiet({ ...contact, quiet_from: null, quiet_to: null }, now)) return;
  const sight = await readSight(tx, contact);
  if (sight === null) return;
  // The title alone is needed now; signed links and the rest belong to the try.
  const frame = { id: "", url: null, footer: "", timezone: contact.timezone, now };
  const base = { kind, told: sight.told, now, heldUntil: quietUntil(contact, now) };
  if (kind === "DIGEST") {
    const content = await readDigest(tx, sight, now, publicUrl);
    return queueRegular(tx, contact, { ...base, title: digestMessage(frame, content).title, content });
  }
  const content = { sites: await readNights(tx, sight, now, publicUrl) };
  return queueRegular(tx, contact, { ...base, title: summaryMessage(frame, content).title, content });
}
