import fastifyJwt from "@fastify/jwt";
import { type TokenClaims, tokenClaimsSchema } from "@suncrew/contract/auth/auth.ts";
import type { FastifyInstance } from "fastify";
import type { Clock } from "../../platform/clock.ts";
import { notSignedIn } from "../../platform/http/http-error.ts";

/** Signs and reads tokens; HS256 is the only algorithm taken. */
export async function useTokens(app: FastifyInstance, secretKey: string): Promise<void> {
  await app.register(fastifyJwt, {
    secret: secretKey,
    sign: { algorithm: "HS256" },
    // Expiry is told by the server's clock, not by this process's time.
    verify: { algorithms: ["HS256"], ignoreExpiration: true },
  });
}

export function signToken(app: FastifyInstance, claims: TokenClaims, now: Date): string {
  return app.jwt.sign({ ...claims, iat: Math.floor(now.getTime() / 1000) });
}

/** The claims of the request's bearer token. Throws 401 where there is none, it is not ours, or it has expired. */
export function readToken(app: FastifyInstance, authorization: string | undefined, clock: Clock): TokenClaims {
  const token = /^Bearer ([\w.-]+)$/i.exec(authorization ?? "")?.[1];
  if (token === undefined) throw notSignedIn();
  const claims = tokenClaimsSchema.safeParse(verified(app, token));
  if (!claims.success) throw notSignedIn();
  if (claims.data.exp * 1000 <= clock.now().getTime()) throw notSignedIn("Token expired");
  return claims.data;
}

function verified(app: FastifyInstance, token: string): unknown {
  try {
    return app.jwt.verify(token);
  } catch {
    return null;
  }
}
