import type { Role } from "@suncrew/contract/auth/auth.ts";
import { redirect } from "react-router";
import { paths } from "../platform/paths.ts";
import { currentSession, dropExpiredSession } from "../platform/session/session.ts";

/** §2: the sign-in page sends whom is signed in to the dashboard. */
export function redirectSignedIn(): Response | null {
  return currentSession() === null ? null : redirect(paths.dashboard());
}

/**
 * §2 Protected routes: nobody signed in, or a role that is not among `roles`, goes to `/`; an expired
 * token goes there by a hard redirect.
 */
export function requireSession(roles?: readonly Role[]): () => Response | null {
  return () => {
    if (dropExpiredSession()) {
      location.replace(paths.signIn());
      return redirect(paths.signIn());
    }
    const session = currentSession();
    if (session === null) return redirect(paths.signIn());
    return roles === undefined || roles.includes(session.role) ? null : redirect(paths.signIn());
  };
}
