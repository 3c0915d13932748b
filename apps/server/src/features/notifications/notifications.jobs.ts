import { deliveryTexts } from "@suncrew/domain/notifications/delivery-texts.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { channelsOf } from "./channels/all-channels.ts";
import { refused, retry } from "./channels/channel.ts";
import { contactSeal, destinationOf } from "./contact-secrets.ts";
import { DeliveryRunner } from "./delivery-runner.ts";
import { linksOf } from "./message-links.ts";
import { composeRegular } from "./regular-messages.ts";
import { Notifier } from "./notifier.ts";

/** Decides who is told, and tells them. */
export function notificationJobs(deps: Dependencies): { readonly notifier: Notifier; readonly runner: DeliveryRunner } {
  const channels = channelsOf(deps);
  const seal = contactSeal(deps.settings);
  const runner = new DeliveryRunner({
    ...deps,
    linksOf: ({ id, contactId }, now) => linksOf(deps.settings, id, contactId, now),
    compose: (delivery, frame) => composeRegular(delivery, frame, deps.settings.publicUrl?.() ?? null),
    async send(contact, message, signal) {
      const destination = destinationOf(contact, seal, deps.clock.now());
      if (destination === null) return refused(deliveryTexts.text("SECRET_MISSING", {}));
      const channel = channels.get(contact.channel);
      // Another server may have what this one lacks.
      return channel?.send(message, destination, signal) ?? retry(deliveryTexts.text("CHANNEL_NOT_SET_UP", {}));
    },
  });
  return { notifier: new Notifier({ ...deps, onPlanned: () => runner.wake() }), runner };
}
