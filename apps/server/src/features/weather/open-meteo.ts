import type { z } from "zod";
import type { Clock } from "../../platform/clock.ts";
import { type Place, ProviderFailure, roundedPlace } from "./conditions.ts";

interface OpenMeteoOptions {
  /** Of the paid service; null without one. Sent in the request and nowhere else. */
  readonly apiKey: string | null;
  readonly clock: Clock;
  readonly fetch: typeof fetch;
}

interface Question {
  /** Sent rounded. */
  readonly place: Place;
  readonly parameters: Readonly<Record<string, string>>;
  /** Until the last byte. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Aborts immediately when the server stops. */
  readonly ended: AbortSignal;
}

/** Asks the calls of Open-Meteo, or of a compatible service, for one place. */
export class OpenMeteo {
  readonly #options: OpenMeteoOptions;

  constructor(options: OpenMeteoOptions) {
    this.#options = options;
  }

  /** The JSON of a complete answer. @throws ProviderFailure for anything else, and beyond the limits of time and size. */
  async ask(url: string, { place, parameters, timeoutMs, maxBytes, ended }: Question): Promise<unknown> {
    const { apiKey, clock } = this.#options;
    const asked = new URL(url);
    const key: Record<string, string> = apiKey === null ? {} : { apikey: apiKey };
    for (const [name, value] of Object.entries({ ...roundedPlace(place), ...parameters, ...key })) {
      asked.searchParams.set(name, value);
    }
    const timeout = new AbortController();
    const cancel = clock.after(timeoutMs, () => timeout.abort());
    try {
      return parseJson(await this.#request(asked, AbortSignal.any([ended, timeout.signal]), maxBytes));
    } catch (error) {
      if (timeout.signal.aborted) throw new ProviderFailure(`no complete answer within ${timeoutMs / 1000} s`);
      throw error instanceof ProviderFailure ? error : new ProviderFailure(`not reached${codeOf(error)}`);
    } finally {
      cancel();
    }
  }

  async #request(url: URL, signal: AbortSignal, maxBytes: number): Promise<string> {
    // Redirects are not followed: they would take the key elsewhere.
    const headers = { accept: "application/json", "user-agent": "Suncrew" };
    const response = await this.#options.fetch(url, { signal, redirect: "manual", headers });
    if (response.status === 200) return readText(response, maxBytes);
    await response.body?.cancel();
    throw new ProviderFailure(`answered ${response.status}`);
  }
}

/** @throws ProviderFailure naming the first field that is missing or invalid. */
export function parsedAnswer<T extends z.ZodType>(schema: T, answer: unknown): z.output<T> {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  const path = parsed.error.issues[0]?.path.join(".") ?? "";
  throw new ProviderFailure(`${path === "" ? "the answer" : path} is missing or wrong`);
}

async function readText(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const body: AsyncIterable<Uint8Array> | null = response.body;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new ProviderFailure(`the answer has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ProviderFailure("the answer is not JSON");
  }
}

/** The system's code for the connection failure, such as ECONNREFUSED; other messages could contain the address. */
function codeOf(error: unknown): string {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  const code: unknown = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return typeof code === "string" && /^[A-Z_]{1,40}$/.test(code) ? ` (${code})` : "";
}
