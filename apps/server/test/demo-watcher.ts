import { login } from "@suncrew/contract/auth/auth.ts";
import type { ResponseOf, RouteSpec } from "@suncrew/contract/http/route.ts";
import { live } from "@suncrew/contract/live/live.ts";

/** A user signed in to a demo that runs in another process. */
export class DemoWatcher {
  readonly #url: string;
  readonly #headers: { readonly authorization: string };

  private constructor(url: string, token: string) {
    this.#url = url;
    this.#headers = { authorization: `Bearer ${token}` };
  }

  static async signIn(url: string): Promise<DemoWatcher> {
    const response = await fetch(`${url}${login.path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ username: "admin", password: "admin@123" }),
    });
    return new DemoWatcher(url, login.response.parse(await response.json()).token);
  }

  /** Makes a call without path parameters. */
  async ask<R extends RouteSpec>(route: R, query = ""): Promise<ResponseOf<R>> {
    const response = await fetch(`${this.#url}${route.path}${query}`, { headers: this.#headers });
    return route.response.parse(await response.json()) as ResponseOf<R>;
  }

  /** Watches the live stream until this many robots are online, or the test times out. */
  async untilOnline(count: number): Promise<void> {
    const abort = new AbortController();
    const response = await fetch(`${this.#url}${live.path}`, { headers: this.#headers, signal: abort.signal });
    const online = new Set<number>();
    let rest = "";
    for await (const bytes of response.body ?? []) {
      const parts = (rest + Buffer.from(bytes).toString("utf8")).split("\n\n");
      rest = parts.pop() ?? "";
      for (const part of parts.filter((text) => text.startsWith("data: "))) {
        const event = live.response.parse(JSON.parse(part.slice(6)));
        if (event.type === "end") throw new Error("The live stream ended.");
        for (const robot of event.robots) {
          if (robot.online) online.add(robot.robot_id);
          else online.delete(robot.robot_id);
        }
      }
      if (online.size === count) break;
    }
    abort.abort();
  }
}
