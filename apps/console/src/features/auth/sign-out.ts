import { logout } from "@suncrew/contract/auth/auth.ts";
import { call } from "../../platform/api/call.ts";
import { paths } from "../../platform/paths.ts";
import { forgetLeftPlace } from "../../platform/session/left-place.ts";
import { clearSession } from "../../platform/session/session.ts";

/**
 * §4 Session: logout notifies the server, whose answer is ignored (§7: a failure is only logged), and clears what the
 * browser stores. The page is reloaded, so that nothing of this user stays in memory for the next one.
 */
export function signOut(): void {
  // The request carries the token, so it starts before the token is removed; it may outlive the page.
  call(logout, {}, { keepalive: true }).catch((error: unknown) => {
    // oxlint-disable-next-line no-console -- the session is over here anyway, so nobody needs to be told but a developer
    console.warn(`The server did not confirm the sign-out: ${error instanceof Error ? error.message : "no reason"}`);
  });
  clearSession();
  forgetLeftPlace();
  location.replace(paths.signIn());
}
