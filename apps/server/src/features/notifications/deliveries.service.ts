import { type deliveryList, DELIVERIES_DEFAULT_LIMIT } from "@suncrew/contract/notifications/deliveries.ts";
import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import type { Db } from "../../platform/database/database.ts";
import { conflict, notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { auditedChange } from "../audit/public.ts";
import {
  countDeliveries,
  type DeliveryFilter,
  readDeliveries,
  requireDelivery,
  requireFilterInScope,
} from "./deliveries.queries.ts";
import { copyDelivery, isWaitingElsewhere } from "./deliveries.repository.ts";

/** Throws 404 if what a filter names is outside the viewer's scope. */
export async function listDeliveries(
  db: Db,
  viewer: Viewer,
  query: DeliveryFilter,
): Promise<ResponseOf<typeof deliveryList>> {
  await requireFilterInScope(viewer, db, query);
  const limit = query.limit ?? DELIVERIES_DEFAULT_LIMIT;
  const found = await readDeliveries(viewer, db, { ...query, limit: limit + 1 });
  const page = found.slice(0, limit);
  return {
    deliveries: page.map(({ delivery }) => delivery),
    ...(await countDeliveries(viewer, db, query)),
    next_cursor: found.length > limit ? (page.at(-1)?.cursor ?? null) : null,
  };
}

/**
 * Sends a message again that was given up or dropped, as a new one. Throws 404, and 409 for any other, and while
 * another waits that tells the same.
 */
export async function resend(
  db: Db,
  viewer: Viewer,
  deliveryId: string,
  at: Date,
): Promise<{ message: string; deliveryId: string }> {
  const change = { actor: viewer, action: "RESEND_MESSAGE", entity: "delivery", entityId: deliveryId, at };
  return auditedChange(db, change, async (tx, details) => {
    const delivery = await requireDelivery(viewer, tx, deliveryId);
    const { status, title, contact_point_id, message_kind, still_to_tell } = delivery;
    details.siteId = delivery.site_id;
    if (status !== "FAILED" && status !== "DROPPED") {
      throw conflict("DELIVERY_NOT_GIVEN_UP", "Only a message that was given up or dropped can be sent again.");
    }
    if (delivery.is_off) {
      throw conflict(
        "CONTACT_POINT_OFF",
        "Its contact point was deleted or switched off, or its recipient unsubscribed.",
      );
    }
    // It would be dropped again.
    if (message_kind === "ALERTS" && still_to_tell === "OVER") {
      throw conflict("ALERT_CLEARED", "Everything that it told is over: there is nothing to send any more.");
    }
    if (message_kind === "ALERTS" && still_to_tell === "ACKNOWLEDGED") {
      throw conflict("ALERT_ACKNOWLEDGED", "What is still open of it has been acknowledged: nobody needs to be told.");
    }
    if (await isWaitingElsewhere(tx, deliveryId)) {
      const sentence = "A message that tells the same is waiting for this contact point already.";
      throw conflict("DELIVERY_NOT_GIVEN_UP", sentence);
    }
    const id = await copyDelivery(tx, deliveryId, at);
    if (id === null) throw notFound("Message");
    details.after = { title, contact_point_id, sent_again_as: id };
    return { message: "The message is being sent again.", deliveryId: id };
  });
}
