import type { z } from "zod";

export type HttpMethod = "GET" | "POST" | "PUT" | "DELETE";

/**
 * One call of the HTTP API: the server registers it, the console's client takes its types from it and the OpenAPI
 * document is generated from it.
 */
export interface RouteSpec {
  /** Shown in the API document. */
  readonly summary: string;
  readonly method: HttpMethod;
  /** Path with `:name` parameters. */
  readonly path: `/api/${string}`;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** Status on success: 201 for creates, otherwise 200 (the default). */
  readonly status?: 200 | 201;
  /** The response on success; for an event stream, the data of one event. */
  readonly response: z.ZodType;
  /** The response is a `text/event-stream` whose events carry `response`. */
  readonly stream?: true;
  /** No sign-in required. */
  readonly open?: true;
  /** Answers carry an ETag, and 304 answers a request whose If-None-Match has that of the current answer. */
  readonly revalidates?: true;
  /** The response is a file of this media type instead of JSON: bytes, text or a stream. */
  readonly file?: "text/csv" | "application/pdf" | "application/octet-stream";
  /** The body is a raw file instead of JSON; its metadata is in `query`. */
  readonly upload?: "application/octet-stream";
  /** A form of either content type is accepted, and ignored. */
  readonly form?: true;
  /** Body limit in bytes; default 64 KiB. */
  readonly maxBodyBytes?: number;
  /**
   * Accepted with any Host header, which otherwise must be Suncrew's own: machines may know the server by another name,
   * and nothing may block a Stop.
   */
  readonly anyHost?: true;
  /** The call talks to a robot: its errors also carry `success: false`. */
  readonly device?: true;
}

/** Type-checks a route and keeps its literal types. */
export function defineRoute<const R extends RouteSpec>(route: R): R {
  return route;
}

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;
type Sent<S> = S extends z.ZodType ? z.input<S> : undefined;

export type ParamsOf<R extends RouteSpec> = Parsed<R["params"]>;
export type QueryOf<R extends RouteSpec> = Parsed<R["query"]>;
export type BodyOf<R extends RouteSpec> = Parsed<R["body"]>;
export type SentParamsOf<R extends RouteSpec> = Sent<R["params"]>;
export type SentQueryOf<R extends RouteSpec> = Sent<R["query"]>;
export type SentBodyOf<R extends RouteSpec> = Sent<R["body"]>;
export type ResponseOf<R extends RouteSpec> = z.output<R["response"]>;
