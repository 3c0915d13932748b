import { deliveryList, resendDelivery } from "@suncrew/contract/notifications/deliveries.ts";
import type { FastifyInstance } from "fastify";
import type { Dependencies } from "../../platform/dependencies.ts";
import { register } from "../../platform/http/register.ts";
import { listDeliveries, resend } from "./deliveries.service.ts";
import type { DeliveryRunner } from "./delivery-runner.ts";

export function deliveriesRoutes(app: FastifyInstance, { db, clock }: Dependencies, runner: DeliveryRunner): void {
  register(app, deliveryList, ({ viewer, query }) => listDeliveries(db, viewer, query));
  register(app, resendDelivery, async ({ viewer, params }) => {
    const answer = await resend(db, viewer, params.deliveryId, clock.now());
    runner.wake();
    return answer;
  });
}
