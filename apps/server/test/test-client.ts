import type { ResponseOf, RouteSpec, SentBodyOf, SentParamsOf, SentQueryOf } from "@suncrew/contract/http/route.ts";
import type { FastifyInstance, HTTPMethods } from "fastify";

export interface Sent<R extends RouteSpec> {
  readonly params?: SentParamsOf<R>;
  readonly query?: SentQueryOf<R>;
  readonly body?: SentBodyOf<R>;
  readonly headers?: Record<string, string>;
}

/** A call, possibly an invalid one. */
export interface RawCall {
  readonly method?: HTTPMethods;
  readonly headers?: Record<string, string>;
  /** Sent as JSON unless it is text or a file. */
  readonly body?: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** The parsed JSON; null if the answer is not JSON. */
  readonly body: unknown;
}

/** Makes API calls in this process, as one person. */
export class TestClient {
  readonly #http: FastifyInstance;
  /** Null for nobody. */
  readonly token: string | null;
  readonly #address: string;

  /** `address` is the network address that the calls come from. */
  constructor(http: FastifyInstance, token: string | null, address = "127.0.0.1") {
    this.#http = http;
    this.token = token;
    this.#address = address;
  }

  /** Makes a call and returns any answer. */
  async call<R extends RouteSpec>(route: R, sent: Sent<R> = {}): Promise<Answer> {
    const { params, query, body, headers } = sent;
    return this.raw(urlOf(route.path, params, query), {
      method: route.method,
      ...(headers && { headers }),
      ...(body !== undefined && { body }),
    });
  }

  /** Makes a call that must succeed and returns its parsed body, or the text of its file. */
  async ask<R extends RouteSpec>(route: R, sent: Sent<R> = {}): Promise<ResponseOf<R>> {
    const answer = await this.call(route, sent);
    if (answer.status !== (route.status ?? 200)) {
      throw new Error(`${route.method} ${route.path} answered ${answer.status}: ${answer.text}`);
    }
    return route.response.parse(route.file === undefined ? answer.body : answer.text) as ResponseOf<R>;
  }

  /** Requests any path with any method. */
  async raw(url: string, { method = "GET", headers = {}, body }: RawCall = {}): Promise<Answer> {
    const response = await this.#http.inject({
      method,
      url,
      remoteAddress: this.#address,
      headers: {
        ...(this.token !== null && { authorization: `Bearer ${this.token}` }),
        ...(body !== undefined && {
          "content-type": Buffer.isBuffer(body) ? "application/octet-stream" : "application/json",
        }),
        ...headers,
      },
      ...(body !== undefined && {
        payload: typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body),
      }),
    });
    return { status: response.statusCode, headers: response.headers, text: response.body, body: parsed(response.body) };
  }
}

/** The URL of a call with its parts filled in. */
export function urlOf(path: string, params: object = {}, query: object = {}): string {
  const filled = Object.entries(params).reduce(
    (url, [name, value]) => url.replace(`:${name}`, encodeURIComponent(String(value))),
    path,
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.append(name, String(value));
  return search.size === 0 ? filled : `${filled}?${search.toString()}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
