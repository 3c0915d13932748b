import { live } from "@suncrew/contract/live/live.ts";
import type { FastifyInstance } from "fastify";
import type { ChangeSignal } from "../../platform/change-signal.ts";
import { notSignedIn } from "../../platform/http/http-error.ts";
import { goneSignal } from "../../platform/http/register.ts";
import type { Parts } from "../../platform/parts.ts";
import { LiveFeed } from "./live-feed.ts";

/** Registers the live stream and answers the feed behind it, to be started with the server. */
export function liveRoutes(app: FastifyInstance, parts: Parts, changes: ChangeSignal): LiveFeed {
  const feed = new LiveFeed(parts, changes);
  app.route({
    method: live.method,
    url: live.path,
    config: { route: live },
    schema: { summary: live.summary },
    handler: async (request, reply) => {
      if (request.viewer === null) throw notSignedIn();
      const stream = await feed.open(request.viewer, goneSignal(reply));
      return reply
        .headers({ "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" })
        .send(stream);
    },
  });
  // Open streams would otherwise hold up the closing of the server.
  app.addHook("preClose", async () => feed.endAll());
  return feed;
}
