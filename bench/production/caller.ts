import { login } from "@suncrew/contract/auth/auth.ts";
import { PRESS_HEADER } from "@suncrew/contract/commands/press.ts";
import type { RouteSpec } from "@suncrew/contract/http/route.ts";
import type { ServerPlace } from "./killed-servers.ts";

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export interface Question {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
  /** The same key for a repetition: the press counts once. */
  readonly key?: string;
  /** When the button was pressed, in Unix milliseconds. */
  readonly pressedMs?: number;
  /** Gives up after this long; never, if it is missing. */
  readonly limitMs?: number;
}

/** A Super Admin's calls to several servers. */
export class Caller {
  readonly #token: string;

  private constructor(token: string) {
    this.#token = token;
  }

  static async signIn(place: Pick<ServerPlace, "url">, password: string): Promise<Caller> {
    const response = await fetch(place.url + login.path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ username: "admin", password }),
    });
    return new Caller(login.response.parse(await response.json()).token);
  }

  /** Null if the connection broke, or nothing came in time: the server may have acted, or may still act. */
  async call(
    place: Pick<ServerPlace, "url">,
    route: RouteSpec,
    { params = {}, body, key, pressedMs, limitMs }: Question,
  ): Promise<Answer | null> {
    let path: string = route.path;
    for (const [name, value] of Object.entries(params)) path = path.replace(`:${name}`, String(value));
    try {
      const response = await fetch(place.url + path, {
        method: route.method,
        headers: {
          authorization: `Bearer ${this.#token}`,
          ...(body !== undefined && { "content-type": "application/json" }),
          ...(key !== undefined && { "idempotency-key": key }),
          ...(pressedMs !== undefined && { [PRESS_HEADER]: `${pressedMs} ${Date.now() - pressedMs}` }),
        },
        ...(limitMs !== undefined && { signal: AbortSignal.timeout(limitMs) }),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: await response.json() };
    } catch {
      return null;
    }
  }
}

/** Any of the servers that currently answer; null if none does. */
export function someAnswering(
  places: readonly ServerPlace[],
  pick: (from: readonly ServerPlace[]) => ServerPlace | undefined,
) {
  return pick(places.filter(({ answering }) => answering !== null)) ?? null;
}
