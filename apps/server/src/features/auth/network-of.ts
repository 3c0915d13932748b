import { isIPv6 } from "node:net";
import { HttpError } from "../../platform/http/http-error.ts";

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
