import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import {
  deliveryDetails,
  deliveryList,
  demoMessages,
  resendDelivery,
} from "@suncrew/contract/notifications/deliveries.ts";
import type { FastifyInstance } from "fastify";
import type { Dependencies } from "../../platform/dependencies.ts";
import { HttpError } from "../../platform/http/http-error.ts";
import { register } from "../../platform/http/register.ts";
import type { SmtpSettings } from "../../platform/mailer.ts";
import { readDeliveryDetails } from "./deliveries.queries.ts";
import { listDeliveries, resend } from "./deliveries.service.ts";
import type { DeliveryRunner } from "./delivery-runner.ts";

/** The demo's stand-ins for the channels' services. */
export interface DemoMailbox {
  /** Where mail goes while nobody has set up a mail server. */
  readonly mail: SmtpSettings;
  /** What they have received, newest first. */
  read(): ResponseOf<typeof demoMessages>;
}

export function deliveriesRoutes(
  app: FastifyInstance,
  { db, clock }: Dependencies,
  runner: DeliveryRunner,
  mailbox?: Pick<DemoMailbox, "read">,
): void {
  register(app, deliveryList, ({ viewer, query }) => listDeliveries(db, viewer, query));
  register(app, deliveryDetails, ({ viewer, params }) => readDeliveryDetails(viewer, db, params.deliveryId));
  register(app, resendDelivery, async ({ viewer, params }) => {
    const answer = await resend(db, viewer, params.deliveryId, clock.now());
    runner.wake();
    return answer;
  });
  register(app, demoMessages, ({ query }) => {
    if (mailbox === undefined) throw new HttpError(404, "PAGE_NOT_FOUND", "Only the demo has a mailbox of its own.");
    const { messages, addresses } = mailbox.read();
    const { channel } = query;
    return { addresses, messages: messages.filter((one) => channel === undefined || one.channel === channel) };
  });
}
