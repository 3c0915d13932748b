import fastifyRateLimit from "@fastify/rate-limit";
import { adminList, createAdmin, removeAdmin, resetAdminPassword } from "@suncrew/contract/admins/admins.ts";
import { changePassword, login, logout } from "@suncrew/contract/auth/auth.ts";
import {
  createWallboardLink,
  openWallboard,
  wallboardLinks,
  withdrawWallboardLink,
} from "@suncrew/contract/wallboard/wallboard.ts";
import type { FastifyInstance } from "fastify";
import type { Dependencies, Service } from "../../platform/dependencies.ts";
import { HttpError } from "../../platform/http/http-error.ts";
import { register, registerOpen } from "../../platform/http/register.ts";
import { ThrottledAudit } from "../audit/public.ts";
import { AdminsService } from "./admins.service.ts";
import { AuthService, signInCleaner } from "./auth.service.ts";
import { CallLimits, useGuard } from "./guard.ts";
import { PasswordAttempts } from "./password-attempts.ts";
import { SessionReader } from "./session-reader.ts";
import { clientNetwork } from "./sign-in-limits.ts";
import { SignInLockouts } from "./sign-in-lockouts.ts";
import { BrowserCookies, signToken, useTokens } from "./tokens.ts";
import { WALLBOARD_HOURS, WallboardLinks } from "./wallboard-links.ts";

/** Password attempts per address, right or wrong; more than this in a minute never reach the database. */
const ATTEMPTS_PER_MINUTE = 120;

/** Tokens, the guard of every call, sign-in, passwords, Super Admins and wallboards' links. Registered before every other feature. */
export async function authRoutes(app: FastifyInstance, deps: Dependencies): Promise<Service[]> {
  await useTokens(app, deps.settings.secretKey);
  const sessions = new SessionReader(deps);
  const limits = await CallLimits.open(app, deps.settings.callsPerMinute);
  const refusals = new ThrottledAudit(deps);
  const cookies = new BrowserCookies(deps.settings.secretKey);
  const openings = new ThrottledAudit(deps);
  const links = new WallboardLinks({ ...deps, openings, refusals, sign: (claims, now) => signToken(app, claims, now) });
  useGuard(app, { clock: deps.clock, sessions, limits, refusals, cookies, links });
  const attempts = new PasswordAttempts(deps);
  const auth = new AuthService({ ...deps, attempts, refusals, sign: (claims, now) => signToken(app, claims, now) });
  const admins = new AdminsService({ ...deps, attempts, refusals });

  await app.register(async (scope) => {
    await scope.register(fastifyRateLimit, {
      max: ATTEMPTS_PER_MINUTE,
      timeWindow: 60_000,
      keyGenerator: clientNetwork,
      errorResponseBuilder: ({ routeOptions }) => {
        const { route } = routeOptions.config;
        const what = route === login ? "sign-ins" : route === openWallboard ? "wallboards" : "password changes";
        return new HttpError(429, "ADDRESS_RATE_LIMITED", `Too many ${what} from here. Try again in a minute.`);
      },
    });
    registerOpen(scope, login, async ({ body, request, reply, signal }) => {
      const { browser = null } = body;
      const { sessionId, answer } = await auth.signIn({ ...body, browser, address: clientNetwork(request) }, signal);
      const hours = deps.settings.tokenHours;
      if (browser !== null) cookies.set(request, reply, { sessionId, hours, isWallboard: false });
      return answer;
    });
    registerOpen(scope, openWallboard, async ({ body, request, reply }) => {
      const { sessionId, answer } = await links.open(body.token, clientNetwork(request));
      cookies.set(request, reply, { sessionId, hours: WALLBOARD_HOURS, isWallboard: true });
      return answer;
    });
    register(scope, changePassword, ({ viewer, body, request, signal }) =>
      auth.changePassword(viewer, body, clientNetwork(request), signal),
    );
  });

  register(app, adminList, () => admins.list());
  register(app, createAdmin, ({ viewer, body, request, signal }) =>
    admins.create({ viewer, password: body.password, address: clientNetwork(request), signal }, body),
  );
  register(app, resetAdminPassword, ({ viewer, params, body, request, signal }) =>
    admins.resetPassword({ viewer, ...body, address: clientNetwork(request), signal }, params.id),
  );
  register(app, removeAdmin, ({ viewer, params, body, request, signal }) =>
    admins.remove({ viewer, ...body, address: clientNetwork(request), signal }, params.id),
  );
  register(app, logout, async ({ viewer, request, reply }) => {
    await auth.signOut(viewer);
    sessions.rememberEnded(viewer.sessionId);
    cookies.clear(request, reply, viewer.sessionId);
    return { message: "Logged out" };
  });

  register(app, wallboardLinks, ({ viewer }) => links.list(viewer));
  register(app, createWallboardLink, ({ viewer, body }) => links.create(viewer, body.name));
  register(app, withdrawWallboardLink, async ({ viewer, params }) => {
    const { sessionId, message } = await links.withdraw(viewer, params.linkId);
    sessions.rememberEnded(sessionId);
    return { message };
  });

  return [sessions, refusals, openings, signInCleaner(deps), new SignInLockouts(deps)];
}
