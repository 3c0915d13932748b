import { isIP } from "node:net";
import type { FastifyInstance } from "fastify";
import { isLoopback } from "../loopback.ts";
import type { Settings } from "../dependencies.ts";
import { HttpError } from "./http-error.ts";
import { isCall, pathOf } from "./not-found.ts";

type OwnAddress = Pick<Settings, "publicUrl" | "answersByIp">;

/**
 * Refuses with 421 what is asked by a name that is not Suncrew's: a page of elsewhere may have given this server's
 * address a name of its own (DNS rebinding), and would read whatever it is answered. Only the Host itself counts, not
 * what a proxy says of it.
 */
export function checkHost(app: FastifyInstance, settings: OwnAddress): void {
  app.addHook("onRequest", async (request, reply) => {
    const { route, anyHost } = request.routeOptions.config;
    if (route?.anyHost === true || anyHost === true) return undefined;
    const refusal = hostRefusal(request.headers.host, settings);
    if (refusal === null) return undefined;
    if (isCall(pathOf(request.url))) throw new HttpError(421, refusal);
    return reply.status(421).header("cache-control", "no-store").type("text/plain; charset=utf-8").send(refusal);
  });
}

/** Why a request with this Host is not answered; null where it is. */
export function hostRefusal(host: string | undefined, { publicUrl, answersByIp = false }: OwnAddress): string | null {
  const name = nameIn(host);
  const own = publicUrl?.() ?? null;
  if (name !== null) {
    if (isLoopback(name) || (own !== null && name === nameIn(URL.parse(own)?.host))) return null;
    if (answersByIp && isIP(name.replace(/^\[|\]$/g, "")) !== 0) return null;
  }
  if (!answersByIp && own !== null) return `Suncrew is not reached by this name. Open it at ${own}.`;
  return "Suncrew does not know this name as its own. Set PUBLIC_URL to the address at which people open it, or open it by its IP address.";
}

/** The name or address of a Host, without its port, as URLs write it; null where there is none. */
function nameIn(host: string | undefined): string | null {
  if (host === undefined || !/^(?:\[[\da-f:.]+\]|[^\s:/?#@[\]\\]+)(?::\d{0,5})?$/i.test(host)) return null;
  const url = `http://${host}`;
  return URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, "") : null;
}
