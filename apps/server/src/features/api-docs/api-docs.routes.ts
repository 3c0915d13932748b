import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FastifyInstance } from "fastify";
import type { Settings } from "../../platform/dependencies.ts";
import { asyncApiDocument } from "./asyncapi-document.ts";
import { deviceFieldsText } from "./device-fields.ts";
import { openApiDocument } from "./openapi-document.ts";
import { page, startScript } from "./viewer-page.ts";

/** A file that is part of the viewer, or shown by it. */
interface ViewerFile {
  readonly path: string;
  readonly type: string;
  /** It is one of the two documents, rather than a part of the viewer. */
  readonly isDocument?: true;
  readonly make: (app: FastifyInstance) => string | Buffer;
}

const swaggerUi = join(dirname(createRequire(import.meta.url).resolve("@fastify/swagger-ui/package.json")), "static");
const styles = fileURLToPath(new URL("viewer.css", import.meta.url));

const SCRIPT = "text/javascript; charset=utf-8";
const STYLE = "text/css; charset=utf-8";
const HTML = "text/html; charset=utf-8";
const document = { type: "application/json; charset=utf-8", isDocument: true } as const;

const ui = (name: string) => readFileSync(join(swaggerUi, name));

/** The documents, their page and what it loads, all served by this server. */
export const viewerFiles: readonly ViewerFile[] = [
  { path: "/api/docs", type: HTML, make: () => page },
  { path: "/api/docs/start.js", type: SCRIPT, make: () => startScript },
  { path: "/api/docs/look.css", type: STYLE, make: () => readFileSync(styles) },
  { path: "/api/docs/swagger-ui-bundle.js", type: SCRIPT, make: () => ui("swagger-ui-bundle.js") },
  { path: "/api/docs/swagger-ui.css", type: STYLE, make: () => ui("swagger-ui.css") },
  { path: "/api/docs/openapi.json", ...document, make: (app) => JSON.stringify(openApiDocument(app)) },
  { path: "/api/docs/asyncapi.json", ...document, make: () => JSON.stringify(asyncApiDocument()) },
];

/**
 * The two documents and their viewer: files, like the console's, not calls. The documents are for signed-in users, in a
 * demo for anyone; the viewer contains no data and fetches them as the console makes its calls.
 */
export function apiDocsRoutes(app: FastifyInstance, { mode }: Settings): void {
  for (const { path, type, isDocument, make } of viewerFiles) {
    const read = madeOnce(() => make(app));
    app.route({
      method: "GET",
      url: path,
      config: { fileFor: isDocument && mode === "production" ? "signed-in" : "public" },
      handler: async (request, reply) => {
        const { bytes, etag } = read();
        void reply.header("etag", etag).header("cache-control", "no-cache");
        if (request.headers["if-none-match"] === etag) return reply.status(304).send();
        return reply.type(type).send(bytes);
      },
    });
  }
}

/** The files of docs/api: what the server serves, to be read and compared without one. */
export const documentFiles = ["openapi.json", "asyncapi.json", "device-fields.md"] as const;

/** The text of such a file; the calls are those of `app`, which must be ready. */
export function documentText(name: (typeof documentFiles)[number], app: FastifyInstance): string {
  if (name === "device-fields.md") return deviceFieldsText();
  const document = name === "openapi.json" ? openApiDocument(app) : asyncApiDocument();
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Made at the first request, then cached: none of it changes while the server runs. */
function madeOnce(make: () => string | Buffer) {
  let cached: { readonly bytes: Buffer; readonly etag: string } | null = null;
  return () => {
    if (cached !== null) return cached;
    const bytes = Buffer.from(make());
    // Weak, because it is the same whether the file is sent compressed or not.
    cached = { bytes, etag: `W/"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"` };
    return cached;
  };
}
