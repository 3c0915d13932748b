import fastifyRateLimit from "@fastify/rate-limit";
import {
  acknowledgeByLink,
  messageLink,
  unsubscribeByLink,
  unsubscribeByMail,
} from "@suncrew/contract/notifications/deliveries.ts";
import type { FastifyInstance } from "fastify";
import type { Dependencies } from "../../platform/dependencies.ts";
import { HttpError } from "../../platform/http/http-error.ts";
import { registerOpen } from "../../platform/http/register.ts";
import { clientNetwork } from "../auth/public.ts";
import { MessageLinks } from "./message-links.service.ts";

/** Per address; a person opens a few, and tokens cannot be guessed in any number of them. */
const LINKS_PER_MINUTE = 60;

/** What people without a session do by the links of their messages. */
export async function messageLinkRoutes(app: FastifyInstance, deps: Dependencies): Promise<void> {
  const links = new MessageLinks(deps);
  await app.register(async (scope) => {
    await scope.register(fastifyRateLimit, {
      max: LINKS_PER_MINUTE,
      timeWindow: 60_000,
      keyGenerator: clientNetwork,
      errorResponseBuilder: () =>
        new HttpError(429, "ADDRESS_RATE_LIMITED", "Too many links from here. Try again in a minute."),
    });
    registerOpen(scope, messageLink, ({ body }) => links.read(body.token));
    registerOpen(scope, acknowledgeByLink, ({ body }) => links.acknowledge(body));
    registerOpen(scope, unsubscribeByLink, ({ body }) => links.unsubscribe(body.token));
    registerOpen(scope, unsubscribeByMail, ({ query }) => links.unsubscribe(query.token));
    // Mail programs without the one press open the same address: the page asks first, and no opening unsubscribes.
    scope.get(unsubscribeByMail.path, { config: { fileFor: "public" } }, async ({ query }, reply) => {
      const { data } = unsubscribeByMail.query.safeParse(query);
      return reply.redirect(`/unsubscribe#${data?.token ?? ""}`);
    });
  });
}
