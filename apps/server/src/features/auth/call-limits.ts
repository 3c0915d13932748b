import type { RouteName } from "@suncrew/contract/routes.ts";
import { routes } from "@suncrew/contract/routes.ts";
import fastifyRateLimit from "@fastify/rate-limit";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { HttpError } from "../../platform/http/http-error.ts";

/**
 * What one person may ask of one server in a minute, with all sessions together. Far beyond any console with many tabs
 * and any script that works through a fleet; one that sends without a pause meets it.
 */
export const CALLS_PER_MINUTE = { reads: 10_000, writes: 3_000 } as const;
export type CallsPerMinute = Readonly<Record<keyof typeof CALLS_PER_MINUTE, number>>;

/** They have bounds of their own: live streams by their number, files that are heavy to make or to read by their turn. */
const uncounted: ReadonlySet<RouteName> = new Set(["live", "reportPdf", "reportCsv", "importSites", "importRobots"]);

/** Counts the calls of each signed-in person. A Stop is never counted (protocol rule 3): whoever asks looks first. */
export class CallLimits {
  readonly #callers = new WeakMap<FastifyRequest, number>();
  readonly #reads: Counter;
  readonly #writes: Counter;

  private constructor(app: FastifyInstance, { reads, writes }: CallsPerMinute) {
    const keyGenerator = (request: FastifyRequest) => this.#callers.get(request) ?? "nobody";
    this.#reads = app.createRateLimit({ max: reads, timeWindow: 60_000, keyGenerator });
    this.#writes = app.createRateLimit({ max: writes, timeWindow: 60_000, keyGenerator });
  }

  static async open(app: FastifyInstance, limits: CallsPerMinute = CALLS_PER_MINUTE): Promise<CallLimits> {
    await app.register(fastifyRateLimit, { global: false });
    return new CallLimits(app, limits);
  }

  /** Throws 429, with Retry-After, where the person has made too many calls in this minute. */
  async count(userId: number, name: RouteName, reply: FastifyReply): Promise<void> {
    if (uncounted.has(name)) return;
    const { request } = reply;
    this.#callers.set(request, userId);
    const isRead = routes[name].method === "GET";
    const counted = await (isRead ? this.#reads : this.#writes)(request);
    if (counted.isAllowed || !counted.isExceeded) return;
    const seconds = Math.max(1, counted.ttlInSeconds);
    void reply.header("retry-after", seconds);
    const wait = `${seconds} ${seconds === 1 ? "second" : "seconds"}`;
    throw new HttpError(429, `Too many requests from your account within a minute. Try again in ${wait}.`);
  }
}

type Counter = ReturnType<FastifyInstance["createRateLimit"]>;
