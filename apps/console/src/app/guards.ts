import type { Role } from "@suncrew/contract/auth/auth.ts";
import { type Ability, may } from "@suncrew/domain/auth/abilities.ts";
import { type LoaderFunctionArgs, redirect } from "react-router";
import { isPagePath, pagePathOf, paths } from "../platform/paths.ts";
import { forgetLeftPlace, leftPlace, rememberRequestedPlace } from "../platform/session/left-place.ts";
import { addressOf, currentSession, dropExpiredSession } from "../platform/session/session.ts";

/** §6: what a page requires, besides being signed in. */
const abilities: ReadonlyMap<string, Ability> = new Map([
  [paths.partners(), "viewPartners"],
  [paths.activity(), "viewActivity"],
  [paths.reportManagement(), "viewReportManagement"],
  [paths.webhooks(), "viewWebhooks"],
  [paths.demoMessages(), "viewDemoMessages"],
]);

/** True if the URL is a page of the console, and of this role. */
export function mayOpen(role: Role, address: string): boolean {
  const { origin, pathname } = new URL(address, location.origin);
  if (origin !== location.origin || !isPagePath(pathname)) return false;
  const ability = abilities.get(pagePathOf(pathname));
  return ability === undefined || may(role, ability);
}

/**
 * §2: the sign-in page redirects signed-in users to the dashboard; or to the page that was requested before, if nobody
 * else left it and the role may open it.
 */
export function redirectSignedIn(): Response | null {
  const address = addressAfterSignIn();
  return address === null ? null : redirect(address);
}

/** Where `redirectSignedIn` leads; null if nobody is signed in. The requested page is then forgotten. */
export function addressAfterSignIn(): string | null {
  const session = currentSession();
  if (session === null) return null;
  const left = leftPlace();
  forgetLeftPlace();
  const isTheirs = left !== null && (left.userId === null || left.userId === session.user.id);
  return isTheirs && mayOpen(session.role, left.address) ? left.address : paths.dashboard();
}

/** §2 Protected routes: signed-out visitors go to `/`; an expired token goes there by a hard redirect. */
export function requireSession({ request }: LoaderFunctionArgs): Response | null {
  const asked = addressOf(new URL(request.url));
  if (dropExpiredSession(asked)) {
    location.replace(paths.signIn());
    return redirect(paths.signIn());
  }
  if (currentSession() !== null) return null;
  rememberRequestedPlace(asked);
  return redirect(paths.signIn());
}

/** The dashboard's address of a fleet figure, as links had it before there was a page of robots. */
export function redirectFigure({ request }: LoaderFunctionArgs): Response | null {
  const figure = new URL(request.url).searchParams.get("figure");
  return figure === null ? null : redirect(paths.robots({ figure }));
}

/** §6: `page` is not for every role. Others go to `/`, and so to the dashboard, where `refusal` says why. */
export function requireRole(page: string, refusal: string): (args: LoaderFunctionArgs) => Response | null {
  return (args) => {
    const signedOut = requireSession(args);
    if (signedOut !== null) return signedOut;
    const session = currentSession();
    if (session !== null && mayOpen(session.role, page)) return null;
    void import("../platform/toast.tsx").then(({ toast }) =>
      toast.failure({ title: "Access Denied", message: refusal }),
    );
    return redirect(paths.signIn());
  };
}
