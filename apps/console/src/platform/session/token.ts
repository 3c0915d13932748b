import { tokenClaimsSchema } from "@suncrew/contract/auth/auth.ts";
import { z } from "zod";

/**
 * What the console itself needs from a token (§3 Session user); only the server verifies it. The expiry is
 * in seconds, and RFC 7519 allows a fraction.
 */
const claimsSchema = tokenClaimsSchema.pick({ role: true, username: true }).extend({ exp: z.number() });
export type SessionClaims = z.output<typeof claimsSchema>;

/** The claims in the middle segment of a token, or null if they cannot be decoded (§5 Session token). */
export function decodeToken(token: string): SessionClaims | null {
  const middle = token.split(".")[1];
  if (middle === undefined) return null;
  try {
    const binary = atob(middle.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const claims = claimsSchema.safeParse(JSON.parse(new TextDecoder().decode(bytes)));
    return claims.success ? claims.data : null;
  } catch {
    return null;
  }
}

/** The claims of a token that is still valid at `nowMs` (§5: its expiry must be later than now), otherwise null. */
export function validClaims(token: string, nowMs: number): SessionClaims | null {
  const claims = decodeToken(token);
  return claims !== null && claims.exp * 1000 > nowMs ? claims : null;
}
