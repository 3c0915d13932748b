import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { BodyOf, ParamsOf, QueryOf, ResponseOf, RouteSpec } from "@suncrew/contract/http/route.ts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Viewer } from "../sessions.ts";
import { notSignedIn } from "./http-error.ts";

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** Answers that are smaller, in bytes, are not compressed. */
export const COMPRESS_FROM = 1_024;
/** The best first. */
export const encodings = ["br", "gzip"] as const;
type Encoding = (typeof encodings)[number];
export const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

declare module "fastify" {
  interface FastifyContextConfig {
    /** The call that this handler answers; every route below `/api/` has one. */
    route?: RouteSpec;
    /** Who may read a route that is a file, such as the API document, and no call. */
    fileFor?: "public" | "signed-in";
    /** For machines that may reach the server by another name, and prove who they are by a token. */
    anyHost?: boolean;
  }
  interface FastifyRequest {
    /** Set by the guard for a signed-in user, before the handler runs. */
    viewer: Viewer | null;
  }
}

export interface OpenCall<R extends RouteSpec> {
  readonly params: ParamsOf<R>;
  readonly query: QueryOf<R>;
  readonly body: BodyOf<R>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Aborted when the caller disconnects before the answer. */
  readonly signal: AbortSignal;
}

export interface Call<R extends RouteSpec> extends OpenCall<R> {
  readonly viewer: Viewer;
}

/**
 * An answer that is serialized already: by a worker, because it is so large that doing it here would delay others, or
 * for an earlier call.
 */
export class SerializedAnswer<R extends RouteSpec> {
  readonly route: R;
  readonly json: string;
  /** Weak, because it is the same whether the answer is sent compressed or not; null for a route that has none. */
  readonly etag: string | null;

  #bytes: Buffer | null = null;
  readonly #compressed = new Map<Encoding, Promise<Buffer>>();

  /** `json` comes from `serializeAnswer`, or has parts that the route's schema has parsed; `version` identifies it. */
  constructor(route: R, json: string, version?: string) {
    this.route = route;
    this.json = json;
    this.etag = version === undefined ? null : `W/"${version}"`;
  }

  get bytes(): Buffer {
    return (this.#bytes ??= Buffer.from(this.json));
  }

  /** Compressed once, for all calls that get this answer. */
  compressed(encoding: Encoding): Promise<Buffer> {
    const known = this.#compressed.get(encoding);
    if (known !== undefined) return known;
    const bytes = encoding === "br" ? brotli(this.json, brotliOptions) : zip(this.json);
    this.#compressed.set(encoding, bytes);
    return bytes;
  }
}

/** Identifies a serialized answer. */
export function versionOf(json: string): string {
  return createHash("sha256").update(json).digest("base64url").slice(0, 22);
}

export function serializeAnswer<R extends RouteSpec>(route: R, answer: ResponseOf<R>): string {
  return JSON.stringify(route.response.parse(answer));
}

/** A file may be sent while it is being made; destroying the stream must end its production. */
type Value<R extends RouteSpec> = R extends { readonly file: string }
  ? string | Uint8Array | Readable
  : ResponseOf<R> | SerializedAnswer<R>;
type Answer<R extends RouteSpec> = Value<R> | Promise<Value<R>>;

/** Registers a call for signed-in users; the guard has checked the permission table before `handler` runs. */
export function register<R extends RouteSpec>(
  app: FastifyInstance,
  route: R,
  handler: (call: Call<R>) => Answer<R>,
): void {
  registerOpen(app, route, (call) => {
    const { viewer } = call.request;
    if (viewer === null) throw notSignedIn();
    return handler({ ...call, viewer });
  });
}

/** Registers a call that needs no sign-in. */
export function registerOpen<R extends RouteSpec>(
  app: FastifyInstance,
  route: R,
  handler: (call: OpenCall<R>) => Answer<R>,
): void {
  app.route({
    method: route.method,
    url: route.path,
    config: { route },
    ...(route.maxBodyBytes !== undefined && { bodyLimit: route.maxBodyBytes }),
    schema: {
      summary: route.summary,
      ...(route.params && { params: route.params }),
      ...(route.query && { querystring: route.query }),
      ...(route.body && { body: route.body }),
      response: { [route.status ?? 200]: route.response },
    },
    handler: async (request, reply) => {
      const answer = await handler({
        // The validator of this route has parsed these with the schemas that the types come from.
        params: request.params as ParamsOf<R>,
        query: request.query as QueryOf<R>,
        body: request.body as BodyOf<R>,
        request,
        reply,
        signal: disconnectSignal(reply),
      });
      if (route.file !== undefined)
        void reply.type(route.file.startsWith("text/") ? `${route.file}; charset=utf-8` : route.file);
      if (!(answer instanceof SerializedAnswer)) return reply.status(route.status ?? 200).send(answer);
      void reply.type("application/json; charset=utf-8");
      if (answer.etag === null) return reply.status(route.status ?? 200).send(answer.json);
      void reply.header("etag", answer.etag).header("vary", "accept-encoding");
      if (isUnchanged(request, answer.etag)) return reply.removeHeader("content-type").status(304).send();
      const encoding = answer.bytes.length < COMPRESS_FROM ? null : acceptedEncoding(request);
      if (encoding === null) return reply.send(answer.bytes);
      return reply.header("content-encoding", encoding).send(await answer.compressed(encoding));
    },
  });
}

function acceptedEncoding({ headers }: FastifyRequest): Encoding | null {
  const accepted = (headers["accept-encoding"] ?? "").split(",").map((each) => each.trim().toLowerCase());
  return encodings.find((encoding) => accepted.includes(encoding)) ?? null;
}

function isUnchanged(request: FastifyRequest, etag: string): boolean {
  const known = request.headers["if-none-match"]?.split(",").map((each) => each.trim()) ?? [];
  return known.includes(etag) || known.includes("*");
}

/** Aborts if the connection closes before the answer is written, and only then. */
export function disconnectSignal(reply: FastifyReply): AbortSignal {
  const disconnected = new AbortController();
  // A caller that left while the guard read the session has closed it already.
  if (reply.raw.destroyed && !reply.raw.writableEnded) disconnected.abort();
  // The request itself closes as soon as its body was read.
  reply.raw.once("close", () => {
    if (!reply.raw.writableEnded) disconnected.abort();
  });
  return disconnected.signal;
}
