import fastifyStatic from "@fastify/static";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join, sep } from "node:path";

const NONCE_MARK = "__CSP_NONCE__";
/** What is shown from the first moment depends on it: what came later would move the page. */
const MODE_MARK = "__SERVER_MODE__";

type AnswerPage = (request: FastifyRequest, reply: FastifyReply) => Promise<boolean>;

/**
 * Serves the built console in `folder`. The function it returns sends the page, with a fresh nonce, if that is what a
 * request wants, and says whether it did. Rejects if the folder has no page.
 */
export async function serveConsole(
  app: FastifyInstance,
  folder: string,
  { tileUrl, mode }: { readonly tileUrl: string | null; readonly mode: string },
): Promise<AnswerPage> {
  // Read for every visit: a new build put in place names other files.
  const readPage = () => readFile(join(folder, "index.html"), "utf8");
  await readPage();
  await app.register(fastifyStatic, {
    root: folder,
    index: false,
    cacheControl: false,
    // The build leaves name.js.br beside name.js; for browsers without Brotli it is compressed on the fly.
    preCompressed: true,
    setHeaders(reply, path) {
      // The build puts a content hash into the names of files in assets/.
      const isImmutable = path.startsWith(join(folder, "assets") + sep);
      reply.header("cache-control", isImmutable ? "public, max-age=31536000, immutable" : "no-cache");
    },
  });
  const answerPage: AnswerPage = async (request, reply) => {
    if (!["GET", "HEAD"].includes(request.method) || request.url.startsWith("/assets/")) return false;
    if (!/text\/html|\*\/\*/.test(request.headers.accept ?? "*/*")) return false;
    const nonce = randomBytes(16).toString("base64");
    const page = (await readPage()).replaceAll(NONCE_MARK, nonce).replace(MODE_MARK, mode);
    await reply
      .header("content-security-policy", contentPolicy({ nonce, tileUrl }))
      .header("cache-control", "no-store")
      .type("text/html; charset=utf-8")
      .send(page);
    return true;
  };
  // Otherwise the folder itself and its page would be served as files.
  for (const url of ["/", "/index.html"]) {
    app.route({
      method: ["GET", "HEAD"],
      url,
      handler: async (request, reply) => {
        if (!(await answerPage(request, reply))) reply.callNotFound();
        return reply;
      },
    });
  }
  return answerPage;
}

/** Where the console may load map tiles from: the host of a template such as `https://{s}.tiles.example/{z}/{x}/{y}.png`. */
function tileSource(template: string): string {
  const match = /^(https?):\/\/([^/]+)/.exec(template);
  if (!match) return "";
  return `${match[1]}://${match[2]?.replaceAll(/\{[^}]*\}/g, "*")}`;
}

/** The strict content policy; styles that the console adds at run time carry the page's nonce. */
export function contentPolicy(options: { readonly nonce?: string; readonly tileUrl: string | null }): string {
  const images = ["'self'", "data:", tileSource(options.tileUrl ?? "")].filter(Boolean);
  const styles = ["'self'", ...(options.nonce === undefined ? [] : [`'nonce-${options.nonce}'`])];
  return [
    "default-src 'self'",
    "script-src 'self'",
    `style-src ${styles.join(" ")}`,
    `img-src ${images.join(" ")}`,
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}
