import type { FastifyInstance } from "fastify";
import { HttpError } from "./http-error.ts";

interface KnownPath {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
}

/** Remembers the calls, so that a wrong method can be told from a wrong path. Must come before the routes. */
export class KnownCalls {
  readonly #paths = new Map<string, KnownPath>();

  constructor(app: FastifyInstance) {
    app.addHook("onRoute", ({ url, method }) => {
      if (!url.startsWith("/api/")) return;
      const pattern = new RegExp(`^${url.replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&").replaceAll(/:\w+/g, "[^/]+")}/?$`);
      const known = this.#paths.get(url) ?? { pattern, methods: new Set<string>() };
      for (const each of [method].flat()) known.methods.add(each);
      this.#paths.set(url, known);
    });
  }

  /** 405 where the path has other methods, else 404. */
  refusalOf(path: string): HttpError {
    const known = [...this.#paths.values()].find(({ pattern }) => pattern.test(path));
    if (!known) return new HttpError(404, "There is no such call.");
    return new HttpError(405, `This call is made by ${[...known.methods].join(" or ")} only.`);
  }
}

export function pathOf(url: string): string {
  const end = url.indexOf("?");
  return end === -1 ? url : url.slice(0, end);
}

/** True for the interface, whatever way it is written; its answers are always JSON. */
export function isCall(path: string): boolean {
  return path === "/api" || path.startsWith("/api/");
}
