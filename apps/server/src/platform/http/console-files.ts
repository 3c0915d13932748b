import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join, sep } from "node:path";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { contentPolicy } from "./content-policy.ts";

const NONCE_MARK = "__CSP_NONCE__";

export type AnswerPage = (request: FastifyRequest, reply: FastifyReply) => boolean;

/**
 * Serves the built console in `folder`. Its files are routes of their own; what it answers says whether a request
 * wants the page itself, which then was sent with a fresh nonce. Rejects where there is no page in the folder.
 */
export async function serveConsole(app: FastifyInstance, folder: string, tileUrl: string | null): Promise<AnswerPage> {
  const page = await readFile(join(folder, "index.html"), "utf8");
  await app.register(fastifyStatic, {
    root: folder,
    wildcard: false,
    index: false,
    cacheControl: false,
    globIgnore: ["**/index.html"],
    setHeaders(reply, path) {
      // The build names the files in assets/ by their content.
      const lasting = path.startsWith(join(folder, "assets") + sep);
      reply.header("cache-control", lasting ? "public, max-age=31536000, immutable" : "no-cache");
    },
  });
  return (request, reply) => {
    if (request.method !== "GET" || request.url.startsWith("/assets/")) return false;
    if (!/text\/html|\*\/\*/.test(request.headers.accept ?? "*/*")) return false;
    const nonce = randomBytes(16).toString("base64");
    void reply
      .header("content-security-policy", contentPolicy({ nonce, tileUrl }))
      .header("cache-control", "no-store")
      .type("text/html; charset=utf-8")
      .send(page.replaceAll(NONCE_MARK, nonce));
    return true;
  };
}
