import type { FastifyInstance } from "fastify";
import { viewerFiles } from "./viewer-files.ts";

/**
 * The two documents and their viewer. They are files that anybody may read, like those of the console, and no calls:
 * they hold what the repository holds, and nothing of an installation.
 */
export function apiDocsRoutes(app: FastifyInstance): void {
  for (const { path, type, read } of viewerFiles) {
    app.route({
      method: "GET",
      url: path,
      config: { publicFile: true },
      handler: async (request, reply) => {
        const { bytes, etag } = read();
        void reply.header("etag", etag).header("cache-control", "no-cache");
        if (request.headers["if-none-match"] === etag) return reply.status(304).send();
        return reply.type(type).send(bytes);
      },
    });
  }
}
