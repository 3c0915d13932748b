import { isIPv6 } from "node:net";
import { HttpError } from "../../platform/http/http-error.ts";

/** After a few failed sign-ins each attempt has to wait twice as long as the one before, up to a lockout. */
export interface SignInLimit {
  /** After this many failures a wait follows: 1 s, 2 s, 4 s, ... */
  readonly slowedFrom: number;
  /** After this many failures the wait is `LOCKED_MS`. */
  readonly lockedFrom: number;
}

/** For one caller at one account: a browser or an address that is known there, or any other address. */
export const accountLimit: SignInLimit = { slowedFrom: 3, lockedFrom: 8 };
/** For an address at accounts where it is not known. Many people may share an address. */
export const addressLimit: SignInLimit = { slowedFrom: 30, lockedFrom: 36 };
/** For all unknown callers of an account together: it is never locked, they are queued instead. */
export const everybodyLimit: SignInLimit = { slowedFrom: Infinity, lockedFrom: Infinity };

/** After this many failures of unknown callers at one account they are queued. */
export const IN_TURN_FROM = 40;
/** Between two turns: at most 360 guesses an hour at one account, from however many addresses. */
export const TURN_EVERY_MS = 10_000;
/** Turns are not reserved further ahead than this. */
export const LONGEST_QUEUE_MS = 3_600_000;

/** How long a browser or an address is known after the last sign-in from there. */
export const KNOWN_MS = 60 * 24 * 3_600_000;
/** How many of a person's newest browsers and addresses are known; each may guess separately. */
export const KNOWN_PER_USER = 30;

export const LOCKED_MS = 15 * 60_000;
/** Older failures no longer count. */
export const FORGOTTEN_MS = 15 * 60_000;

/** How long further attempts are refused after this many failures in a row, in milliseconds. */
export function waitAfter(failures: number, limit: SignInLimit): number {
  if (failures >= limit.lockedFrom) return LOCKED_MS;
  return failures < limit.slowedFrom ? 0 : 1000 * 2 ** (failures - limit.slowedFrom);
}

/** Wrong passwords are those by which a signed-in person confirms something. */
export function tooManyFailures(what: "failed sign-ins" | "wrong passwords", waitMs: number): string {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  const [count, unit] = seconds < 60 ? [seconds, "second"] : [Math.ceil(seconds / 60), "minute"];
  return `Too many ${what}. Try again in ${count} ${unit}${count === 1 ? "" : "s"}.`;
}

/**
 * The network that a request is counted against. Throws 400 if its connection was closed: then it has no address any
 * more, and nobody to answer.
 */
export function clientNetwork({ ip }: { readonly ip: string | undefined }): string {
  if (ip === undefined)
    throw new HttpError(400, "CONNECTION_CLOSED", "The connection was closed before the request was processed.");
  return networkOf(ip);
}

/** An IPv4 address as is, and the /64 of an IPv6 address, because its owner has all addresses in it. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [plain = ""] = address.split("%");
  if (!isIPv6(plain)) return address;
  const [head = "", tail] = plain.toLowerCase().split("::");
  const groups = (part: string) => (part === "" ? [] : part.split(":"));
  const after = tail === undefined ? [] : groups(tail);
  const before = groups(head);
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const all = [...before, ...Array<string>(zeros).fill("0"), ...after].map((group) => group.replace(/^0+(?=.)/, ""));
  return `${all.slice(0, 4).join(":")}::/64`;
}
