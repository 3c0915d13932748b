import { isIPv6 } from "node:net";
import { HttpError } from "../../platform/http/http-error.ts";

/** Rules of failed sign-ins: after a few, each next try has to wait, twice as long each time, then all are refused for a while. */
export interface SignInLimit {
  /** From this many failures on a wait follows: 1 s, 2 s, 4 s, ... */
  readonly slowedFrom: number;
  /** From this many failures on the wait is `LOCKED_MS`. */
  readonly lockedFrom: number;
}

/** Of one caller at one account: a browser or an address that is known there, or any other address. */
export const accountLimit: SignInLimit = { slowedFrom: 3, lockedFrom: 8 };
/** Of an address at accounts where it is not known. Many people may share an address. */
export const addressLimit: SignInLimit = { slowedFrom: 30, lockedFrom: 36 };
/** An account over all callers that it does not know is never locked: they are heard in turn. */
export const everybodyLimit: SignInLimit = { slowedFrom: Infinity, lockedFrom: Infinity };

/** From so many failures of unknown callers at one account they are heard one after another. */
export const IN_TURN_FROM = 40;
/** From one turn to the next: at the most 360 guesses an hour at one account, from however many addresses. */
export const TURN_EVERY_MS = 10_000;
/** No turn is given away that is further off. */
export const LONGEST_LINE_MS = 3_600_000;

/** For so long after the last sign-in from there a browser or an address is known. */
export const KNOWN_MS = 60 * 24 * 3_600_000;
/** Browsers and addresses that are known of one person at the most, the newest ones: each may guess for itself. */
export const KNOWN_PER_USER = 30;

export const LOCKED_MS = 15 * 60_000;
/** Failures older than this count no more. */
export const FORGOTTEN_MS = 15 * 60_000;

/** How long no further try is taken after this many failures in a row, in milliseconds. */
export function waitAfter(failures: number, limit: SignInLimit): number {
  if (failures >= limit.lockedFrom) return LOCKED_MS;
  return failures < limit.slowedFrom ? 0 : 1000 * 2 ** (failures - limit.slowedFrom);
}

export function tooManySentence(waitMs: number): string {
  return `Too many failed sign-ins. Try again in ${waitWords(waitMs)}.`;
}

/** Where the current password is asked for to change it. */
export function tooManyWrongSentence(waitMs: number): string {
  return `Too many wrong passwords. Try again in ${waitWords(waitMs)}.`;
}

function waitWords(waitMs: number): string {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  const minutes = Math.ceil(seconds / 60);
  return seconds < 60
    ? `${seconds} ${seconds === 1 ? "second" : "seconds"}`
    : `${minutes} ${minutes === 1 ? "minute" : "minutes"}`;
}

/**
 * What counts as the address that a request comes from. Throws 400 where its connection is gone: then there is no
 * address any more to count it by, and nobody to answer.
 */
export function networkOfCaller({ ip }: { readonly ip: string | undefined }): string {
  if (ip === undefined) throw new HttpError(400, "The connection was closed before the request was looked at.");
  return networkOf(ip);
}

/**
 * What counts as one address: an IPv4 address itself, of IPv6 the network of 64 bits, because whoever has one
 * address there has all of them.
 */
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
