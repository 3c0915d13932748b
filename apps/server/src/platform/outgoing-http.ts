import ipaddr from "ipaddr.js";
import { lookup } from "node:dns/promises";
import { type IncomingHttpHeaders, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { codeOf } from "./errors.ts";

/** A call as a whole, from the name's resolution to the end of the answer. */
const MAX_MS = 15_000;
/** Nothing that matters in an answer comes later. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** What became of a call. A redirect is an answer: nothing follows it. */
export type HttpOutcome =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      /** The first 64 kB. */
      readonly body: string;
    }
  /** The other side has received nothing; `code` says why, such as ECONNREFUSED, CERT_HAS_EXPIRED or TIMEOUT. */
  | { readonly kind: "unreachable"; readonly code: string }
  /** It may have received all of it, but its answer did not arrive as a whole. */
  | { readonly kind: "unknown"; readonly code: string }
  /** Suncrew does not call it. */
  | { readonly kind: "forbidden"; readonly because: "URL" | "PRIVATE_ADDRESS" };

export interface JsonCall {
  readonly url: string;
  /** JSON, byte for byte as it is sent. */
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface OutgoingHttpOptions {
  /** Finds the addresses of a name; DNS by default. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
  readonly maxMs?: number;
}

/**
 * Posts JSON to addresses that people entered (decision 81): never to a private address unless it is allowed. Each call
 * resolves the name once, and connects to exactly the addresses that were checked.
 */
export class OutgoingHttp {
  readonly #allowed: readonly string[] | "every address";
  readonly #resolve: (name: string) => Promise<readonly string[]>;
  readonly #maxMs: number;

  /** `allowed` are the private addresses and networks that may be called, or every address, for those of a setting. */
  constructor(allowed: readonly string[] | "every address", options: OutgoingHttpOptions = {}) {
    this.#allowed = allowed;
    this.#resolve = options.resolve ?? resolveByDns;
    this.#maxMs = options.maxMs ?? MAX_MS;
  }

  /** Throws only if `signal` aborts: its reason. */
  async postJson({ url, body, headers = {} }: JsonCall, signal: AbortSignal): Promise<HttpOutcome> {
    signal.throwIfAborted();
    const target = callableUrl(url);
    if (target === null) return { kind: "forbidden", because: "URL" };
    const timeLimit = AbortSignal.timeout(this.#maxMs);
    const ended = AbortSignal.any([signal, timeLimit]);
    const failed = (kind: "unreachable" | "unknown", error: unknown): HttpOutcome => {
      signal.throwIfAborted();
      return { kind, code: timeLimit.aborted ? "TIMEOUT" : codeOf(error) || "FAILED" };
    };
    const host = target.hostname.replace(/^\[|\]$/g, "");
    let addresses: readonly string[];
    try {
      addresses = isIP(host) === 0 ? await unlessEnded(this.#resolve(host), ended) : [host];
    } catch (error) {
      return failed("unreachable", error);
    }
    const allowed = this.#allowed;
    if (allowed !== "every address" && !addresses.every((address) => isPublic(address) || isListed(address, allowed))) {
      return { kind: "forbidden", because: "PRIVATE_ADDRESS" };
    }
    let connected = false;
    try {
      const exchanged = exchange(target, body, headers, addresses, ended, () => (connected = true));
      return await unlessEnded(exchanged, ended);
    } catch (error) {
      return failed(connected ? "unknown" : "unreachable", error);
    }
  }
}

/** An http address without a sign-in, which could reach logs and answers; null for anything else. */
export function callableUrl(text: string): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const isCallable = ["http:", "https:"].includes(url.protocol) && url.username === "" && url.password === "";
  return isCallable ? url : null;
}

async function resolveByDns(name: string): Promise<readonly string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

/** DNS cannot be interrupted, and no answer may keep a call: nobody waits for it any longer. */
async function unlessEnded<T>(work: Promise<T>, ended: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onEnd = () => reject(ended.reason);
  ended.addEventListener("abort", onEnd);
  if (ended.aborted) onEnd();
  try {
    return await Promise.race([work, promise]);
  } finally {
    ended.removeEventListener("abort", onEnd);
  }
}

async function exchange(
  url: URL,
  body: string,
  headers: Readonly<Record<string, string>>,
  addresses: readonly string[],
  signal: AbortSignal,
  onConnected: () => void,
): Promise<HttpOutcome> {
  const isSecure = url.protocol === "https:";
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  const connectTo: LookupFunction = (_name, options, done) => {
    const [first] = found;
    if (options.all === true || first === undefined) done(null, found);
    else done(null, first.address, first.family);
  };
  const { promise, resolve, reject } = Promise.withResolvers<HttpOutcome>();
  const call = (isSecure ? requestHttps : requestHttp)(url, {
    method: "POST",
    // A connection of its own: one that is kept open belongs to an address that was checked some time ago.
    agent: false,
    lookup: connectTo,
    signal,
    headers: {
      accept: "application/json",
      "user-agent": "Suncrew",
      ...headers,
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(body)),
    },
  });
  call.on("error", reject);
  call.on("socket", (socket) => socket.once(isSecure ? "secureConnect" : "connect", onConnected));
  // Instead of a response: the receiver wants another protocol, which nobody asked for.
  call.on("upgrade", ({ statusCode: status = 0, headers: answered }, socket) => {
    socket.destroy();
    resolve({ kind: "answered", status, headers: answered, body: "" });
  });
  call.on("response", (answer) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    const finish = () => {
      const text = Buffer.concat(parts).subarray(0, MAX_ANSWER_BYTES).toString("utf8");
      resolve({ kind: "answered", status: answer.statusCode ?? 0, headers: answer.headers, body: text });
    };
    answer.on("data", (part: Buffer) => {
      parts.push(part);
      bytes += part.length;
      if (bytes < MAX_ANSWER_BYTES) return;
      finish();
      call.destroy();
    });
    answer.on("end", finish);
    answer.on("error", reject);
  });
  call.end(body);
  return promise;
}

type Address = ReturnType<typeof ipaddr.parse>;

/** The whole of the internet that IPv6 has given out so far. */
const GLOBAL_IPV6 = ipaddr.parseCIDR("2000::/3");
/** Networks that reach IPv4 through a gateway only (RFC 6052) see each IPv4 address in here. */
const NAT64 = ipaddr.parseCIDR("64:ff9b::/96");
/** Public by its number, but within Azure it is the host of the virtual machine, which knows its secrets. */
const AZURE_HOST = "168.63.129.16";

/** Whether an address is on the public internet: no private, special or documentation range of either protocol. */
function isPublic(text: string): boolean {
  const address = plainAddress(text);
  if (address === null || address.range() !== "unicast" || address.toString() === AZURE_HOST) return false;
  return address.kind() === "ipv4" || address.match(GLOBAL_IPV6);
}

function isListed(text: string, networks: readonly string[]): boolean {
  const address = plainAddress(text);
  return address !== null && networks.some((network) => contains(network, address));
}

function contains(network: string, address: Address): boolean {
  const [start, bits] = ipaddr.parseCIDR(
    network.includes("/") ? network : `${network}/${isIP(network) === 4 ? 32 : 128}`,
  );
  return start.kind() === address.kind() && address.match(start, bits);
}

/** The IPv4 address that an IPv6 address stands for, if it does; null for what is no address. */
function plainAddress(text: string): Address | null {
  if (!ipaddr.isValid(text)) return null;
  const address = ipaddr.process(text);
  if (address.kind() === "ipv4" || !address.match(NAT64)) return address;
  return ipaddr.fromByteArray(address.toByteArray().slice(-4));
}
