import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { asyncApiDocument } from "./asyncapi-document.ts";
import { openApiDocument } from "./openapi-document.ts";
import { page, startScript } from "./viewer-page.ts";

/** A file that the viewer consists of, or shows. */
export interface ViewerFile {
  readonly path: string;
  readonly type: string;
  /** One of the two documents, and none of what shows them. */
  readonly isDocument: boolean;
  readonly read: () => FileContent;
}

interface FileContent {
  readonly bytes: Buffer;
  /** Names the content: a browser that has it is not sent it again. */
  readonly etag: string;
}

const swaggerUi = join(dirname(createRequire(import.meta.url).resolve("@fastify/swagger-ui/package.json")), "static");
const look = fileURLToPath(new URL("viewer-look.css", import.meta.url));

const SCRIPT = "text/javascript; charset=utf-8";
const STYLE = "text/css; charset=utf-8";
const HTML = "text/html; charset=utf-8";
const JSON_TEXT = "application/json; charset=utf-8";

/** The documents, their page and what it loads: all of it from this server. */
export const viewerFiles: readonly ViewerFile[] = [
  { path: "/api/docs", type: HTML, isDocument: false, read: once(() => page) },
  { path: "/api/docs/start.js", type: SCRIPT, isDocument: false, read: once(() => startScript) },
  { path: "/api/docs/look.css", type: STYLE, isDocument: false, read: once(() => readFileSync(look)) },
  {
    path: "/api/docs/swagger-ui-bundle.js",
    type: SCRIPT,
    isDocument: false,
    read: once(() => readFileSync(join(swaggerUi, "swagger-ui-bundle.js"))),
  },
  {
    path: "/api/docs/swagger-ui.css",
    type: STYLE,
    isDocument: false,
    read: once(() => readFileSync(join(swaggerUi, "swagger-ui.css"))),
  },
  {
    path: "/api/docs/openapi.json",
    type: JSON_TEXT,
    isDocument: true,
    read: once(() => JSON.stringify(openApiDocument())),
  },
  {
    path: "/api/docs/asyncapi.json",
    type: JSON_TEXT,
    isDocument: true,
    read: once(() => JSON.stringify(asyncApiDocument())),
  },
];

/** Made when it is first asked for, then kept: nothing of it changes while the server runs. */
function once(make: () => string | Buffer): () => FileContent {
  let kept: FileContent | null = null;
  return () => {
    if (kept !== null) return kept;
    const bytes = Buffer.from(make());
    // Weak, for it is the same whether it is sent compressed or not.
    kept = { bytes, etag: `W/"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"` };
    return kept;
  };
}
