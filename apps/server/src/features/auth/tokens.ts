import fastifyJwt from "@fastify/jwt";
import { type TokenClaims, tokenClaimsSchema } from "@suncrew/contract/auth/auth.ts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { createHmac } from "node:crypto";
import type { Clock } from "../../platform/clock.ts";
import { notSignedIn } from "../../platform/http/http-error.ts";
import { isSameSecret } from "../../platform/secrets.ts";

/** Prepares the signing and reading of tokens; HS256 is the only accepted algorithm. */
export async function useTokens(app: FastifyInstance, secretKey: string): Promise<void> {
  await app.register(fastifyJwt, {
    secret: secretKey,
    sign: { algorithm: "HS256" },
    // `readToken` checks expiry by the server's Clock.
    verify: { algorithms: ["HS256"], ignoreExpiration: true },
  });
}

/** The claims say when it expires: TOKEN_HOURS after the sign-in. */
export function signToken(app: FastifyInstance, claims: TokenClaims, now: Date): string {
  return app.jwt.sign({ ...claims, iat: Math.floor(now.getTime() / 1000) });
}

/** The claims of the request's bearer token. Throws 401 if there is none, it is not ours, or it has expired. */
export function readToken(app: FastifyInstance, authorization: string | undefined, clock: Clock): TokenClaims {
  const token = /^Bearer ([\w.-]+)$/i.exec(authorization ?? "")?.[1];
  if (token === undefined) throw notSignedIn();
  const claims = tokenClaimsSchema.safeParse(verified(app, token));
  if (!claims.success) throw notSignedIn();
  if (claims.data.exp * 1000 <= clock.now().getTime()) throw notSignedIn("Token expired", "TOKEN_EXPIRED");
  return claims.data;
}

function verified(app: FastifyInstance, token: string): unknown {
  try {
    return app.jwt.verify(token);
  } catch {
    return null;
  }
}

/** Maximum cookies per browser, of people and of wallboards each: those of abandoned sessions are removed, the oldest first. */
export const COOKIES_PER_BROWSER = 8;

/** Each session has its own; session ids ascend with time. */
const NAME = /^(?:__Host-)?suncrew-(wall-)?([0-9a-f]{32})$/;

/**
 * Besides the token, a browser has a cookie for each of its sessions that no script can read (decision 46). Its value
 * is derived from the session with the server's key, so it can be checked without the database.
 */
export class BrowserCookies {
  readonly #secretKey: string;

  constructor(secretKey: string) {
    this.#secretKey = secretKey;
  }

  /** Gives the requesting browser the cookie of a person's or a wallboard's session, valid for `hours`. */
  set(request: FastifyRequest, reply: FastifyReply, { sessionId, hours, isWallboard }: NewCookie): void {
    // The browser sends its page's origin with every sign-in, whatever proxies are in between.
    const isTls = request.headers.origin?.startsWith("https:") === true || request.protocol === "https";
    const session = hexOf(sessionId);
    const name = `${isTls ? "__Host-" : ""}suncrew-${isWallboard ? "wall-" : ""}${session}`;
    send(reply, name, this.#valueOf(session), hours * 3600);
    // A wallboard's session is the same whenever its link is opened.
    const before = cookiesOf(request).filter(
      (cookie) => cookie.isWallboard === isWallboard && cookie.session !== session && this.#isOurs(cookie),
    );
    const oldestFirst = before.toSorted((a, b) => (a.session < b.session ? -1 : 1));
    for (const old of oldestFirst.slice(0, 1 - COOKIES_PER_BROWSER)) send(reply, old.name, "", 0);
  }

  /** Removes the cookie of an ended session from the browser that makes the request. */
  clear(request: FastifyRequest, reply: FastifyReply, sessionId: string): void {
    for (const { name, session } of cookiesOf(request)) if (session === hexOf(sessionId)) send(reply, name, "", 0);
  }

  has(request: FastifyRequest, sessionId: string): boolean {
    return cookiesOf(request).some((cookie) => cookie.session === hexOf(sessionId) && this.#isOurs(cookie));
  }

  /** Another Suncrew on another port of the same host has other cookies in the same browser. */
  #isOurs({ session, value }: Cookie): boolean {
    return isSameSecret(value, this.#valueOf(session));
  }

  #valueOf(session: string): string {
    return createHmac("sha256", this.#secretKey).update(`browser-of:${session}`).digest("base64url");
  }
}

interface NewCookie {
  readonly sessionId: string;
  readonly hours: number;
  readonly isWallboard: boolean;
}

interface Cookie {
  readonly name: string;
  readonly isWallboard: boolean;
  /** Its session's id without hyphens. */
  readonly session: string;
  readonly value: string;
}

function cookiesOf({ headers }: FastifyRequest): Cookie[] {
  return (headers.cookie ?? "").split(";").flatMap((pair) => {
    const [name = "", value = ""] = pair.trim().split("=");
    const [, wall, session] = NAME.exec(name) ?? [];
    return session === undefined ? [] : [{ name, isWallboard: wall !== undefined, session, value }];
  });
}

const hexOf = (sessionId: string): string => sessionId.replaceAll("-", "").toLowerCase();

/** `__Host-` keeps other hosts of the domain from setting the cookie; it requires TLS and this path. */
function send(reply: FastifyReply, name: string, value: string, maxAgeS: number): void {
  const cookie = `${name}=${value}; Max-Age=${maxAgeS}; Path=/; HttpOnly; SameSite=Strict`;
  void reply.header("set-cookie", name.startsWith("__Host-") ? `${cookie}; Secure` : cookie);
}
