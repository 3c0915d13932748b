import { config } from "@suncrew/contract/config/config.ts";
import { serverReason } from "../../platform/api/errors.ts";
import { queryClient } from "../../platform/api/query-client.ts";
import { queryKeyOf } from "../../platform/api/route-query.ts";
import type { ServerConfig } from "../../platform/server-config.ts";
import { toast } from "../../platform/toast.tsx";

interface Unreached {
  readonly serialNumber: string;
  readonly error: unknown;
}

export function isDemo(): boolean {
  return queryClient.getQueryData<ServerConfig>(queryKeyOf(config, {}))?.mode === "demo";
}

/** Says that robots did not answer: the demo that it simulates them, production that they are away. */
export function tellUnreached([first, ...others]: readonly Unreached[], unasked: boolean): void {
  if (first === undefined) return;
  const more = others.length === 0 ? "" : ` and ${others.length} more ${others.length === 1 ? "robot" : "robots"}`;
  const named = `${first.serialNumber}${more}`;
  if (isDemo()) {
    toast.failure({ title: "Using Mock Data", message: `API call failed, using simulated data for ${named}`, unasked });
    return;
  }
  toast.failure({
    title: more === "" ? "Robot Not Reached" : "Robots Not Reached",
    message: `Robot ${named} could not be reached.`,
    // Each has its own.
    reason: more === "" ? serverReason(first.error) : undefined,
    unasked,
  });
}

/**
 * Robots that polling does not reach. The first is told at once, all others together when no poll is under way any more:
 * a site of which nothing answers is one matter, not one for each robot.
 */
class PollRound {
  #polls = 0;
  #hasTold = false;
  #waiting: Unreached[] = [];

  begin(): void {
    this.#polls += 1;
  }

  failed(unreached: Unreached): void {
    if (this.#hasTold) this.#waiting.push(unreached);
    else tellUnreached([unreached], true);
    this.#hasTold = true;
  }

  end(): void {
    this.#polls -= 1;
    if (this.#polls > 0) return;
    tellUnreached(this.#waiting, true);
    this.forget();
  }

  /** Another user must not be told. */
  forget(): void {
    this.#hasTold = false;
    this.#waiting = [];
  }
}

export const pollRound = new PollRound();
