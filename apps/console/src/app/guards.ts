import { may } from "@suncrew/domain/auth/permissions.ts";
import type { Ability } from "@suncrew/domain/auth/permissions.ts";
import { redirect } from "react-router";
import { paths } from "../platform/paths.ts";
import { currentSession, dropExpiredSession } from "../platform/session/session.ts";

/** §2: the sign-in page sends whom is signed in to the dashboard. */
export function redirectSignedIn(): Response | null {
  return currentSession() === null ? null : redirect(paths.dashboard());
}

/** §2 Protected routes: nobody signed in goes to `/`; an expired token goes there by a hard redirect. */
export function requireSession(): Response | null {
  if (dropExpiredSession()) {
    location.replace(paths.signIn());
    return redirect(paths.signIn());
  }
  return currentSession() === null ? redirect(paths.signIn()) : null;
}

/** §6: a page for those who may do this alone. Others go to `/`, and so to the dashboard, where `refusal` tells why. */
export function requireAbility(ability: Ability, refusal: string): () => Response | null {
  return () => {
    const signedOut = requireSession();
    if (signedOut !== null) return signedOut;
    if (may(currentSession()?.role ?? null, ability)) return null;
    void import("../platform/toast.tsx").then(({ toast }) =>
      toast.failure({ title: "Access Denied", message: refusal }),
    );
    return redirect(paths.signIn());
  };
}
