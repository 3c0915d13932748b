import type { RouteName } from "@suncrew/contract/routes.ts";
import { routes } from "@suncrew/contract/routes.ts";
import fastifyRateLimit from "@fastify/rate-limit";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { HttpError } from "../../platform/http/http-error.ts";

/**
 * What one person may ask of one server in a minute, with all sessions together. Far beyond any console with many tabs
 * and any script that works through a fleet; one that sends without a pause meets it.
 */
export const CALLS_PER_MINUTE = { reads: 10_000, writes: 3_000, files: 300 } as const;
export type CallsPerMinute = Readonly<Record<keyof typeof CALLS_PER_MINUTE, number>>;

/** Files that are heavy to make or to read; a person has one at a time all the same. */
const isFile: ReadonlySet<RouteName> = new Set(["reportPdf", "reportCsv", "importSites", "importRobots"]);

/** Counts the calls of each signed-in person. A Stop is never counted (protocol rule 3): whoever asks looks first. */
export class CallLimits {
  readonly #callers = new WeakMap<FastifyRequest, number>();
  readonly #counters: Readonly<Record<keyof CallsPerMinute, Counter>>;

  private constructor(app: FastifyInstance, { reads, writes, files }: CallsPerMinute) {
    const keyGenerator = (request: FastifyRequest) => this.#callers.get(request) ?? "nobody";
    const counter = (max: number) => app.createRateLimit({ max, timeWindow: 60_000, keyGenerator });
    this.#counters = { reads: counter(reads), writes: counter(writes), files: counter(files) };
  }

  static async open(app: FastifyInstance, limits: CallsPerMinute = CALLS_PER_MINUTE): Promise<CallLimits> {
    await app.register(fastifyRateLimit, { global: false });
    return new CallLimits(app, limits);
  }

  /** `name` is "file" for what is no call. Throws 429, with Retry-After, where the person has made too many calls in this minute. */
  async count(userId: number, name: RouteName | "file", reply: FastifyReply): Promise<void> {
    // Live streams are bounded by their number.
    if (name === "live") return;
    const { request } = reply;
    this.#callers.set(request, userId);
    const counted = await this.#counters[kindOf(name)](request);
    if (counted.isAllowed || !counted.isExceeded) return;
    const seconds = Math.max(1, counted.ttlInSeconds);
    void reply.header("retry-after", seconds);
    const wait = `${seconds} ${seconds === 1 ? "second" : "seconds"}`;
    throw new HttpError(429, `Too many requests from your account within a minute. Try again in ${wait}.`);
  }
}

function kindOf(name: RouteName | "file"): keyof CallsPerMinute {
  if (name === "file") return "reads";
  if (isFile.has(name)) return "files";
  return routes[name].method === "GET" ? "reads" : "writes";
}

type Counter = ReturnType<FastifyInstance["createRateLimit"]>;
