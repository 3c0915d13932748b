import type { FastifyInstance, FastifyRequest } from "fastify";

/** How long a server that stops waits for calls, in milliseconds. */
interface Patience {
  /** For those that are not answered yet. */
  readonly answerMs: number;
  /** For answers that are not read yet: a connection that nobody reads must not hold up the end. */
  readonly sendMs: number;
}

/** The calls that have no answer yet, so that a server that stops still gives it. */
export class InFlightRequests {
  readonly #http: FastifyInstance;
  readonly #unanswered = new Set<FastifyRequest>();
  #ending = false;
  #onNone: () => void = () => {};

  constructor(http: FastifyInstance) {
    this.#http = http;
    http.addHook("onRequest", async (request) => void this.#unanswered.add(request));
    // A stream counts as answered once it begins.
    http.addHook("onSend", async (request, reply) => {
      if (this.#ending) void reply.header("connection", "close");
      this.#answered(request);
    });
    http.addHook("onResponse", async (request) => this.#answered(request));
  }

  /** Closes the server: no new connections, then an answer to every call, then the end of the connections. */
  async end(close: () => Promise<void>, { answerMs, sendMs }: Patience): Promise<void> {
    const cut = () => this.#http.server.closeAllConnections();
    const timers = [setTimeout(cut, answerMs)];
    this.#ending = true;
    this.#onNone = () => timers.push(setTimeout(() => this.#unanswered.size === 0 && cut(), sendMs));
    if (this.#unanswered.size === 0) this.#onNone();
    await close();
    this.#onNone = () => {};
    for (const timer of timers) clearTimeout(timer);
  }

  #answered(request: FastifyRequest): void {
    if (this.#unanswered.delete(request) && this.#unanswered.size === 0) this.#onNone();
  }
}
