import fastifyRateLimit from "@fastify/rate-limit";
import { adminList, createAdmin, removeAdmin, resetAdminPassword } from "@suncrew/contract/admins/admins.ts";
import { changePassword, login, logout } from "@suncrew/contract/auth/auth.ts";
import type { FastifyInstance } from "fastify";
import { HttpError } from "../../platform/http/http-error.ts";
import { register, registerOpen } from "../../platform/http/register.ts";
import type { Dependencies, Service } from "../../platform/dependencies.ts";
import { GatheredAudit } from "../audit/public.ts";
import { AdminsService } from "./admins.service.ts";
import { AuthService, ChangePasswordService, SignInCleaner } from "./auth.service.ts";
import { BrowserCookies, signToken, useTokens } from "./tokens.ts";
import { CallLimits, useGuard } from "./guard.ts";
import { networkOfCaller } from "./sign-in-limits.ts";
import { PasswordTries } from "./password-attempts.ts";
import { SessionReader } from "./session-reader.ts";

/** Tries of one address that are looked at, right or wrong; more than this in a minute never reach the database. */
const TRIES_PER_MINUTE = 120;

/** Tokens, the guard of every call, signing in and out, the own password, and Super Admins. Comes before every other feature. */
export async function authRoutes(app: FastifyInstance, deps: Dependencies): Promise<Service[]> {
  await useTokens(app, deps.settings.secretKey);
  const sessions = new SessionReader(deps);
  const limits = await CallLimits.open(app, deps.settings.callsPerMinute);
  const refusals = new GatheredAudit(deps);
  const cookies = new BrowserCookies(deps.settings.secretKey);
  useGuard(app, { clock: deps.clock, sessions, limits, refusals, cookies });
  const tries = new PasswordTries(deps);
  const auth = new AuthService({ ...deps, tries, refusals, sign: (claims, now) => signToken(app, claims, now) });
  const passwords = new ChangePasswordService({ ...deps, tries, refusals });
  const admins = new AdminsService({ ...deps, tries, refusals });

  await app.register(async (scope) => {
    await scope.register(fastifyRateLimit, {
      max: TRIES_PER_MINUTE,
      timeWindow: 60_000,
      keyGenerator: networkOfCaller,
      errorResponseBuilder: ({ routeOptions }) => {
        const what = routeOptions.config.route === login ? "sign-ins" : "password changes";
        return new HttpError(429, `Too many ${what} from here. Try again in a minute.`);
      },
    });
    registerOpen(scope, login, async ({ body, request, reply, signal }) => {
      const { browser = null } = body;
      const { sessionId, answer } = await auth.signIn({ ...body, browser, address: networkOfCaller(request) }, signal);
      if (browser !== null) cookies.set(request, reply, sessionId, deps.settings.tokenHours);
      return answer;
    });
    register(scope, changePassword, ({ viewer, body, request, signal }) =>
      passwords.change(viewer, body, networkOfCaller(request), signal),
    );
  });

  register(app, adminList, () => admins.list());
  register(app, createAdmin, ({ viewer, body, request, signal: gone }) =>
    admins.create({ viewer, password: body.password, address: networkOfCaller(request), gone }, body),
  );
  register(app, resetAdminPassword, ({ viewer, params, body, request, signal: gone }) =>
    admins.resetPassword({ viewer, ...body, address: networkOfCaller(request), gone }, params.id),
  );
  register(app, removeAdmin, ({ viewer, params, body, request, signal: gone }) =>
    admins.remove({ viewer, ...body, address: networkOfCaller(request), gone }, params.id),
  );
  register(app, logout, async ({ viewer, request, reply }) => {
    await auth.signOut(viewer);
    cookies.clear(request, reply, viewer.sessionId);
    return { message: "Logged out" };
  });

  return [sessions, refusals, new SignInCleaner(deps)];
}
