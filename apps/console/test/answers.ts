import type { ErrorResponse } from "@suncrew/contract/http/error-codes.ts";
import { LIVE_HEARTBEAT_MS } from "@suncrew/contract/live/live.ts";
import type { BodyOf, ParamsOf, QueryOf, RouteSpec } from "@suncrew/contract/http/route.ts";
import type { z } from "zod";
import { noteProblem } from "./problems.ts";

/** A call of the console as the server would read it. */
export interface ReceivedCall<R extends RouteSpec> {
  readonly params: ParamsOf<R>;
  readonly query: QueryOf<R>;
  readonly body: BodyOf<R>;
}

/** The calls that got one answer, oldest first; grows while the test runs. */
export type ReceivedCalls<R extends RouteSpec> = readonly ReceivedCall<R>[];

type AnswerOf<R extends RouteSpec> = z.input<R["response"]>;
type Computed<R extends RouteSpec> = (call: ReceivedCall<R>) => AnswerOf<R> | Promise<AnswerOf<R>>;
type Answering<R extends RouteSpec> = (call: ReceivedCall<R>, signal: AbortSignal) => Promise<Response> | Response;

interface Handler {
  readonly route: RouteSpec;
  readonly respond: (request: Request, signal: AbortSignal) => Promise<Response>;
}

const defaults = new Map<RouteSpec, Handler>();
const ofThisTest = new Map<RouteSpec, Handler>();
const open = new Set<Promise<unknown>>();
/** The open streams, by route. */
const streams = new Map<RouteSpec, Set<ReadableStreamDefaultController<Uint8Array>>>();
let testEnd = new AbortController();
/** The browser's own, whatever a test replaces it by. */
const { setInterval, clearInterval } = globalThis;

/** A refusal; without a code it has the one of a failing or busy server. */
type GivenRefusal = Omit<ErrorResponse, "code"> & Partial<Pick<ErrorResponse, "code">>;

function refusalOf(status: number, refusal: GivenRefusal): ErrorResponse {
  return { code: status >= 500 ? "INTERNAL_ERROR" : "CONCURRENT_CHANGE", ...refusal };
}

/** Thrown by a handler: the server refuses or fails. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly answer: ErrorResponse;

  constructor(status: number, answer: GivenRefusal) {
    super(answer.message);
    this.status = status;
    this.answer = refusalOf(status, answer);
  }
}

/** What `fetch` throws if no connection is made. */
class NoConnection extends TypeError {
  constructor() {
    super("Failed to fetch");
  }
}

/** Sets how a call is answered until the test ends, or until it sets another answer for the same call. */
export function when<R extends RouteSpec>(route: R) {
  return {
    answer: (given: AnswerOf<R> | Computed<R>) => answerIn(ofThisTest, route, given),
    /** A stream of events that begins with this one and stays open. */
    stream: (first: () => AnswerOf<R>) => handle(ofThisTest, route, (_, signal) => streamOf(route, first(), signal)),
    /** The server refuses the call, or fails. */
    fail: (status: number, refusal: GivenRefusal) =>
      handle(ofThisTest, route, () => Response.json(refusalOf(status, refusal), { status })),
    /** An answer that is not the server's, such as a proxy's error page. */
    answerOddly: (response: () => Response) => handle(ofThisTest, route, response),
    /** Never answered; ends when the console cancels it. */
    hang: () => handle(ofThisTest, route, () => new Promise<never>(() => {})),
    /** No connection is made. */
    offline: () => handle(ofThisTest, route, () => Promise.reject(new NoConnection())),
    /** As in a test that does not mention the call. */
    answerAsUsual: () => ofThisTest.delete(route),
  };
}

/** Sets how a call is answered in every test that does not set anything else. */
export function usually<R extends RouteSpec>(route: R) {
  return {
    answer: (given: AnswerOf<R> | Computed<R>) => answerIn(defaults, route, given),
    /** A stream of events that begins with this one and stays open. */
    stream: (first: () => AnswerOf<R>) => handle(defaults, route, (_, signal) => streamOf(route, first(), signal)),
  };
}

/** Sends a further event on every open stream of a route. */
export function sendOnStream<R extends RouteSpec>(route: R, event: AnswerOf<R>): void {
  for (const stream of streams.get(route) ?? []) stream.enqueue(eventBytes(route, event));
}

/** Ends what is still open, and removes this test's answers. */
export async function forgetAnswers(): Promise<void> {
  testEnd.abort(new DOMException("The test has ended.", "AbortError"));
  await Promise.allSettled(open);
  testEnd = new AbortController();
  ofThisTest.clear();
}

/**
 * Replaces `fetch`: no request of the console leaves the page. An answer comes when the test gives it: on a busy machine
 * the console's limit of time could pass between two steps.
 */
export function answeringFetch(elsewhere: typeof fetch): typeof fetch {
  return (input, init) => {
    const request = new Request(input, init);
    if (!new URL(request.url).pathname.startsWith("/api/")) return elsewhere(input, init);
    const signal = AbortSignal.any([cancelledOf(request.signal), testEnd.signal]);
    const answering = Promise.race([respond(request, signal), rejectedBy(signal)]);
    open.add(answering);
    return answering.finally(() => open.delete(answering));
  };
}

/** Aborted like this one, but not by a limit of time. */
function cancelledOf(signal: AbortSignal): AbortSignal {
  const cancelled = new AbortController();
  const cancel = () => {
    const { reason } = signal as { readonly reason: unknown };
    if (!(reason instanceof DOMException && reason.name === "TimeoutError")) cancelled.abort(reason);
  };
  if (signal.aborted) cancel();
  else signal.addEventListener("abort", cancel, { once: true });
  return cancelled.signal;
}

async function respond(request: Request, signal: AbortSignal): Promise<Response> {
  const handlers = [...ofThisTest.values(), ...defaults.values()].filter(({ route }) => isFor(route, request));
  // As on the server, a path without parameters comes before one whose parameter could be its last part.
  const handler = handlers.find(({ route }) => !route.path.includes(":")) ?? handlers[0];
  if (handler === undefined) {
    const asked = `${request.method} ${new URL(request.url).pathname}`;
    noteProblem(`The console asked for ${asked}, which this test does not answer. Say how: when(route).answer(...).`);
    return Response.json({ message: "Not answered by the test." }, { status: 501 });
  }
  try {
    return await handler.respond(request, signal);
  } catch (error) {
    if (error instanceof Refusal) return Response.json(error.answer, { status: error.status });
    if (!(error instanceof NoConnection || signal.aborted))
      noteProblem(`The answer to ${request.method} ${request.url}: ${String(error)}`);
    throw error;
  }
}

function answerIn<R extends RouteSpec>(
  handlers: Map<RouteSpec, Handler>,
  route: R,
  given: AnswerOf<R> | Computed<R>,
): ReceivedCalls<R> {
  return handle(handlers, route, async (call) => responseOf(route, isComputed<R>(given) ? await given(call) : given));
}

function handle<R extends RouteSpec>(
  handlers: Map<RouteSpec, Handler>,
  route: R,
  answering: Answering<R>,
): ReceivedCalls<R> {
  const calls: ReceivedCall<R>[] = [];
  handlers.set(route, {
    route,
    respond: async (request, signal) => {
      const call = await receivedCall(route, request);
      calls.push(call);
      return answering(call, signal);
    },
  });
  return calls;
}

async function receivedCall<R extends RouteSpec>(route: R, request: Request): Promise<ReceivedCall<R>> {
  const url = new URL(request.url);
  const text = await request.text();
  return {
    params: route.params?.parse(pathOf(route).exec(url.pathname)?.groups ?? {}) as ParamsOf<R>,
    query: route.query?.parse(Object.fromEntries(url.searchParams)) as QueryOf<R>,
    body: route.body?.parse(JSON.parse(text)) as BodyOf<R>,
  };
}

function isComputed<R extends RouteSpec>(given: AnswerOf<R> | Computed<R>): given is Computed<R> {
  return typeof given === "function";
}

function isFor(route: RouteSpec, request: Request): boolean {
  return route.method === request.method && pathOf(route).test(new URL(request.url).pathname);
}

function pathOf(route: RouteSpec): RegExp {
  return new RegExp(`^${route.path.replaceAll(/:([A-Za-z]+)/g, "(?<$1>[^/]+)")}$`);
}

function parsedAnswer<R extends RouteSpec>(route: R, body: AnswerOf<R>): unknown {
  return route.response.parse(body);
}

function responseOf<R extends RouteSpec>(route: R, body: AnswerOf<R>): Response {
  const parsed = parsedAnswer(route, body);
  const status = route.status ?? 200;
  if (route.file === undefined) return Response.json(parsed, { status });
  return new Response(String(parsed), { status, headers: { "content-type": route.file } });
}

function streamOf<R extends RouteSpec>(route: R, first: AnswerOf<R>, signal: AbortSignal): Response {
  const open = streams.get(route) ?? new Set();
  streams.set(route, open);
  const ended = new AbortController();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(eventBytes(route, first));
      open.add(controller);
      // As the server does, so that the console does not take a long test for a broken connection.
      const beating = setInterval(() => controller.enqueue(new TextEncoder().encode(": \n\n")), LIVE_HEARTBEAT_MS);
      const end = () => {
        clearInterval(beating);
        open.delete(controller);
      };
      ended.signal.addEventListener("abort", end, { once: true });
      const fail = () => {
        end();
        controller.error(signal.reason);
      };
      signal.addEventListener("abort", fail, { once: true });
    },
    cancel: () => ended.abort(),
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

function eventBytes<R extends RouteSpec>(route: R, event: AnswerOf<R>): Uint8Array {
  return new TextEncoder().encode(`data: ${JSON.stringify(parsedAnswer(route, event))}\n\n`);
}

function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = () => reject(signal.reason);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}
