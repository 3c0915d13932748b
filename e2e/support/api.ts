import { login } from "@suncrew/contract/auth/auth.ts";
import type { ResponseOf, RouteSpec, SentBodyOf, SentParamsOf, SentQueryOf } from "@suncrew/contract/http/route.ts";

type Given<T, Name extends string> = [T] extends [undefined] ? unknown : { readonly [K in Name]: T };
interface AnyInput {
  readonly params?: object;
  readonly query?: object;
  readonly body?: object;
}
export type CallInput<R extends RouteSpec> = Given<SentParamsOf<R>, "params"> &
  Given<SentQueryOf<R>, "query"> &
  Given<SentBodyOf<R>, "body"> &
  AnyInput;

/** A refused call, with the server's answer. */
export class CallError extends Error {
  readonly status: number;
  readonly answer: unknown;
  constructor(route: RouteSpec, status: number, answer: unknown) {
    super(`${route.method} ${route.path} answered ${status}: ${JSON.stringify(answer)}`);
    this.status = status;
    this.answer = answer;
  }
}

/** Calls the server as one user, using the contract's routes; every response is parsed with its schema. */
export class ApiClient {
  readonly baseUrl: string;
  readonly token: string | null;

  constructor(baseUrl: string, token: string | null) {
    this.baseUrl = baseUrl;
    this.token = token;
  }

  static async signIn(baseUrl: string, username: string, password: string): Promise<ApiClient> {
    const { token } = await new ApiClient(baseUrl, null).call(login, { body: { username, password } });
    return new ApiClient(baseUrl, token);
  }

  /** @throws CallError if the server refuses */
  async call<const R extends RouteSpec>(route: R, input: CallInput<R>): Promise<ResponseOf<R>> {
    const { params, query, body }: AnyInput = input;
    let path: string = route.path;
    for (const [name, value] of Object.entries(params ?? {})) {
      path = path.replace(`:${name}`, encodeURIComponent(String(value)));
    }
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query ?? {})) search.set(name, String(value));
    const response = await fetch(`${this.baseUrl}${path}${search.size > 0 ? `?${search.toString()}` : ""}`, {
      method: route.method,
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(this.token === null ? {} : { authorization: `Bearer ${this.token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer: unknown = await response.json();
    if (!response.ok) throw new CallError(route, response.status, answer);
    // The schema of this very route, so its output is the route's response by definition.
    return route.response.parse(answer) as ResponseOf<R>;
  }
}
