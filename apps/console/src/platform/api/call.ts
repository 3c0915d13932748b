import { login } from "@suncrew/contract/auth/auth.ts";
import { receivedErrorSchema } from "@suncrew/contract/http/error.ts";
import type { ResponseOf, RouteSpec, SentBodyOf, SentParamsOf, SentQueryOf } from "@suncrew/contract/http/route.ts";
import { endSession, noteTokenTaken, tokenToSend } from "../session/session.ts";
import { AnswerError, ApiError, IncompleteFileError, NetworkError, TokenExpiredError } from "./errors.ts";

/** The API's origin: the console's own unless the build sets another one. */
const API_BASE = (import.meta.env.VITE_API_BASE ?? "").replace(/\/+$/, "");

/** The URL of a call: `:name` filled from `params`, `query` appended without its undefined values. */
export function urlOf(path: string, params?: object, query?: object): string {
  const given = new Map<string, unknown>(Object.entries(params ?? {}));
  const filled = path.replace(/:([A-Za-z]+)/g, (_, name: string) => encodeURIComponent(String(given.get(name))));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) search.set(name, String(value));
  }
  const text = search.toString();
  return API_BASE + filled + (text === "" ? "" : `?${text}`);
}

/** §9 Request timeout, in milliseconds: the time until the first byte of the answer. */
export const REQUEST_TIMEOUT_MS = 10_000;

/** Exactly the parts that a route has must be sent. */
export type Sent<R extends RouteSpec> = (R["params"] extends object
  ? { params: SentParamsOf<R> }
  : { params?: undefined }) &
  (R["query"] extends object ? { query: SentQueryOf<R> } : { query?: undefined }) &
  (R["body"] extends object ? { body: SentBodyOf<R> } : { body?: undefined });

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Time until the first byte; null waits without limit (§7: the status call). */
  readonly timeoutMs?: number | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Lets the request outlive the page, as sign-out needs. */
  readonly keepalive?: boolean;
}

/**
 * Makes one call and returns what the contract promises.
 * @throws ApiError for an answer other than success, NetworkError for none, TokenExpiredError before
 * sending with an expired token, AnswerError for an answer of another shape.
 */
export async function call<R extends RouteSpec>(
  route: R,
  sent: Sent<R>,
  options: CallOptions = {},
): Promise<ResponseOf<R>> {
  const response = await send(route, sent, options);
  const answer = await readJson(response, options.signal);
  const parsed = route.response.safeParse(answer);
  if (!parsed.success) throw new AnswerError(route.path, parsed.error);
  return parsed.data as ResponseOf<R>;
}

/**
 * Sends a request and returns its successful response once the headers have arrived, with the body still
 * unread: for streams and files. The time limit ends with the headers. Throws like `call`.
 */
export async function send<R extends RouteSpec>(route: R, sent: Sent<R>, options: CallOptions = {}): Promise<Response> {
  const token = tokenToSend();
  // The session has just ended and the page is about to be left: the server would only refuse.
  if (token === null && route.open !== true) throw new TokenExpiredError();
  const headers = new Headers({ Accept: "application/json", ...options.headers });
  if (route.method !== "GET") headers.set("Content-Type", "application/json");
  if (token !== null) headers.set("Authorization", `Bearer ${token}`);

  const url = urlOf(route.path, sent.params, sent.query);
  const first = route.method === "GET" ? takeFirstAnswer(url, token) : undefined;
  const response = await fetchWithLimit(
    url,
    {
      method: route.method,
      headers,
      ...(sent.body === undefined ? {} : { body: JSON.stringify(sent.body) }),
      ...(options.keepalive === undefined ? {} : { keepalive: options.keepalive }),
    },
    options,
    first,
  );
  if (response.ok) {
    // The answer to a public call says nothing about the token.
    if (token !== null && route.open !== true) noteTokenTaken(token);
    return response;
  }

  throw failureOf(route, response.status, await readJson(response, options.signal), token);
}

/**
 * The meaning of an unsuccessful answer. §4 Session: any 401 or 403 ends the session; login's 401 only reports the
 * failure.
 */
export function failureOf(route: RouteSpec, status: number, answer: unknown, token: string | null): ApiError {
  const refusal = receivedErrorSchema.safeParse(answer);
  const refused = status === 401 || status === 403;
  if (refused && route.path !== login.path && token !== null) endSession(token);
  return refusal.success ? new ApiError(status, refusal.data.message, refusal.data) : new ApiError(status, "");
}

/** The answer requested before the scripts had loaded, once, and only while it is as good as a new one. */
function takeFirstAnswer(url: string, token: string | null): Promise<Response> | undefined {
  const answers = globalThis.suncrewFirstAnswers;
  const found = answers?.get(url);
  answers?.delete(url);
  const isFresh = found?.token === token && performance.now() - found.requestedAtMs < REQUEST_TIMEOUT_MS;
  return isFresh ? found.answer : undefined;
}

async function fetchWithLimit(
  url: string,
  init: RequestInit,
  options: CallOptions,
  first?: Promise<Response>,
): Promise<Response> {
  const limit = new AbortController();
  const timeoutMs = options.timeoutMs === undefined ? REQUEST_TIMEOUT_MS : options.timeoutMs;
  const timer =
    timeoutMs === null ? undefined : setTimeout(() => limit.abort(new DOMException("", "TimeoutError")), timeoutMs);
  const signal = options.signal ? AbortSignal.any([options.signal, limit.signal]) : limit.signal;
  try {
    // Without one the request starts at once: somebody who signs out leaves the page right after.
    const begun = first === undefined ? undefined : await Promise.race([first.catch(() => undefined), endOf(signal)]);
    return begun ?? (await fetch(url, { ...init, signal }));
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new NetworkError(limit.signal.aborted);
  } finally {
    clearTimeout(timer);
  }
}

/** Rejects with the signal's reason once it is aborted. */
function endOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** The body as JSON; undefined if it is none, such as a proxy's error page. */
async function readJson(response: Response, signal: AbortSignal | undefined): Promise<unknown> {
  let text: string;
  try {
    text = await response.text();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new NetworkError(false);
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Reading {
  /** Aborts the reading. */
  readonly signal?: AbortSignal;
  /** Called with the number of bytes received so far. */
  readonly onBytes?: (bytes: number) => void;
}

/** The file in an answer, once complete. Throws CutFileError if it breaks off. */
export async function readFile(answer: Response, { signal, onBytes }: Reading = {}): Promise<Blob> {
  const parts: BlobPart[] = [];
  let bytes = 0;
  const reader = answer.body?.getReader();
  try {
    for (let read = await reader?.read(); read?.value !== undefined; read = await reader?.read()) {
      parts.push(read.value);
      bytes += read.value.length;
      onBytes?.(bytes);
    }
  } catch (error) {
    throw signal?.aborted === true ? error : new IncompleteFileError(error);
  }
  return new Blob(parts, { type: answer.headers.get("content-type") ?? "" });
}
