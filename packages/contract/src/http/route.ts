import type { z } from "zod";

export type HttpMethod = "GET" | "POST" | "PUT" | "DELETE";

/**
 * One call of the HTTP interface. The server registers it, the console's client is typed by it and the
 * OpenAPI document is generated from it, so nothing of the wire is written twice.
 */
export interface RouteSpec {
  /** The sentence shown in the API document. */
  readonly summary: string;
  readonly method: HttpMethod;
  /** Path with `:name` parameters, beginning with `/api/`. */
  readonly path: `/api/${string}`;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** Status of the successful answer: 201 for creates, else 200. */
  readonly status?: 200 | 201;
  /** Shape of the successful answer; an event stream has the shape of one event's data. */
  readonly response: z.ZodType;
  /** The answer is a `text/event-stream` whose events carry `response`. */
  readonly stream?: true;
  /** Anybody may make the call; every other one is made only by who is signed in. */
  readonly open?: true;
  /** The answer is a file of this media type, not JSON: its bytes or text, or a stream of them. */
  readonly file?: "text/csv" | "application/pdf" | "application/octet-stream";
  /** The body is a file as it is, not JSON; what there is to say of it stands in `query`. */
  readonly upload?: "application/octet-stream";
  /** The largest body taken, in bytes, where it is not the usual 64 KiB. */
  readonly maxBodyBytes?: number;
  /**
   * Taken whatever name the caller has for the server, which must else be Suncrew's own: machines have names of their own
   * for it, and nothing may stand in the way of a Stop.
   */
  readonly anyHost?: true;
  /** The call speaks to a robot: its errors also carry `success: false`. */
  readonly device?: true;
}

/** Keeps the literal types of a route and checks its shape. */
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
