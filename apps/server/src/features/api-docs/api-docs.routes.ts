import type { FastifyInstance } from "fastify";
import type { Settings } from "../../platform/dependencies.ts";
import { viewerFiles } from "./viewer-files.ts";

/**
 * The two documents and their viewer: files, like those of the console, and no calls. The documents are for who is signed
 * in, in a demo for anybody; the viewer holds nothing by itself and fetches them as the console makes its calls.
 */
export function apiDocsRoutes(app: FastifyInstance, { mode }: Settings): void {
  for (const { path, type, isDocument, read } of viewerFiles) {
    const fileFor = isDocument && mode === "production" ? "signed-in" : "anybody";
    app.route({
      method: "GET",
      url: path,
      config: { fileFor },
      handler: async (request, reply) => {
        const { bytes, etag } = read();
        void reply.header("etag", etag).header("cache-control", "no-cache");
        if (request.headers["if-none-match"] === etag) return reply.status(304).send();
        return reply.type(type).send(bytes);
      },
    });
  }
}
