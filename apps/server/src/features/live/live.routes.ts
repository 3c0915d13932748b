import { Socket } from "node:net";
import { live } from "@suncrew/contract/live/live.ts";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { ChangeSignal } from "../../platform/change-signal.ts";
import { notSignedIn } from "../../platform/http/http-error.ts";
import { disconnectSignal } from "../../platform/http/register.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { clientNetwork } from "../auth/public.ts";
import { LiveFeed } from "./live-feed.ts";
import type { Line } from "./live-streams.ts";
import { LIVE_LIMITS, StreamLimits } from "./stream-limits.ts";

/** Registers the live stream; returns its feed, to be started with the server, and its places. */
export function liveRoutes(
  app: FastifyInstance,
  deps: Dependencies,
  changes: ChangeSignal,
  limits = LIVE_LIMITS,
): { readonly feed: LiveFeed; readonly places: StreamLimits } {
  const feed = new LiveFeed(deps, changes);
  const places = new StreamLimits(deps.clock, limits);
  app.route({
    method: live.method,
    url: live.path,
    config: { route: live },
    schema: { summary: live.summary },
    handler: async (request, reply) => {
      if (request.viewer === null) throw notSignedIn();
      const disconnected = disconnectSignal(reply);
      if (disconnected.aborted) return reply.hijack();
      const leave = places.take(request.viewer, clientNetwork(request));
      reply.raw.once("close", leave);
      const opened = feed.open(request.viewer, disconnected, lineOf(reply));
      const stream = await opened.catch((error: unknown) => {
        // The client has disconnected: there is nobody to respond to, and nothing failed.
        if (disconnected.aborted) return null;
        throw error;
      });
      if (stream === null) return reply.hijack();
      return reply
        .headers({ "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" })
        .send(stream);
    },
  });
  // Otherwise open streams would delay the closing of the server.
  app.addHook("preClose", async () => feed.endAll());
  return { feed, places };
}

function lineOf({ raw }: FastifyReply): Line {
  return {
    untaken: () => raw.writableLength,
    // With a reset, because what the kernel still holds for a client that does not read takes memory too, and must not
    // be read later.
    cut: () => {
      if (raw.socket instanceof Socket && !raw.socket.destroyed) raw.socket.resetAndDestroy();
      raw.destroy();
    },
  };
}
