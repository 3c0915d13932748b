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

  /** Makes a call until its answer is as wanted, again after each event of the live stream, or the test times out. */
  async until<R extends RouteSpec>(route: R, isWanted: (answer: ResponseOf<R>) => boolean): Promise<ResponseOf<R>> {
    for await (const _ of this.#watch()) {
      const answer = await this.ask(route);
      if (isWanted(answer)) return answer;
    }
    throw new Error("The live stream ended.");
  }

  /** Watches the live stream until this many robots are online, or the test times out. */
  async untilOnline(count: number): Promise<void> {
    const online = new Set<number>();
    for await (const events of this.#watch()) {
      for (const robot of events.flatMap(({ robots }) => robots)) {
        if (robot.online) online.add(robot.robot_id);
        else online.delete(robot.robot_id);
      }
      if (online.size === count) return;
    }
  }

  /** What the live stream brings, as it comes. */
  async *#watch() {
    const abort = new AbortController();
    try {
      const response = await fetch(`${this.#url}${live.path}`, { headers: this.#headers, signal: abort.signal });
      let rest = "";
      for await (const bytes of response.body ?? []) {
        const parts = (rest + Buffer.from(bytes).toString("utf8")).split("\n\n");
        rest = parts.pop() ?? "";
        const texts = parts.filter((text) => text.startsWith("data: "));
        yield texts.map((text) => {
          const event = live.response.parse(JSON.parse(text.slice(6)));
          if (event.type === "end") throw new Error("The live stream ended.");
          return event;
        });
      }
    } finally {
      abort.abort();
    }
  }
}
